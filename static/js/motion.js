// Animations when part of the page is replaced: new cards are dealt, a SET flies to its taker, a wrong pick shakes.
// They're short decoration on a page that already shows the new state. The result of an answer is also announced as an
// event (`told`), which sounds.js uses.
const LASTS = 180;
const STAGGER = 80;
const SHIFTED = 20;
const reduced = matchMedia("(prefers-reduced-motion: reduce)");
const isStill = () => reduced.matches || document.documentElement.dataset.motion === "less";
let before = null;

const all = (selector) => [...document.querySelectorAll(selector)];
const idOf = (card) => card.dataset.card ?? card.value ?? card.querySelector("input")?.value;

function snapshot() {
  const cards = new Map();
  for (const card of all("main .card")) {
    const id = idOf(card);
    if (id && !cards.has(id)) cards.set(id, { card, place: card.getBoundingClientRect() });
  }
  const told = document.querySelector("[data-told]");
  const at = told?.closest("[data-at]")?.dataset.at;
  const words = told?.parentElement.textContent;
  return { cards, told, at, words, found: new Set(found().map((each) => each.textContent)) };
}

const found = () => all(".found > li:not(.is-empty)");

function remember({ defaultPrevented, detail }) {
  if (defaultPrevented || detail.shouldSwap === false) return;
  for (const card of all(".is-leaving")) card.remove();
  before = snapshot();
}

function show({ detail }) {
  if (!before) return;
  const [old, now] = [before, snapshot()];
  before = null;
  const isOwn = Boolean(detail.requestConfig?.elt.closest("form"));
  const isNews = now.told?.checkVisibility() && (now.at ? now.at !== old.at : isOwn || now.words !== old.words);
  if (isNews) document.dispatchEvent(new CustomEvent("told", { detail: now.told.dataset.told }));
  if (isStill()) return;
  // On the caller's device the cards aren't new: they were already on the projector.
  deal([...now.cards].flatMap(([id, { card }]) => (old.cards.has(id) || card.closest(".box-pick") ? [] : card)));
  slide(old, now);
  for (const each of found()) if (!old.found.has(each.textContent)) pop(each);
  if (isNews) react(old, now);
}

function react(old, now) {
  const { told } = now;
  const verdict = told.parentElement.querySelector(".verdict") ?? document.querySelector(".scene .verdict");
  const ids = verdict?.dataset.cards.split(" ") ?? all("main .card :checked").map((box) => box.value);
  const there = ids.flatMap((id) => now.cards.get(id)?.card ?? []);
  if (told.dataset.told === "wrong") {
    const shown = told.parentElement.querySelectorAll(".triple:not(:has([data-card]))");
    for (const each of [...there, ...shown]) shake(each);
    return;
  }
  for (const each of [told, ...there]) pop(each);
  const score = document.querySelector(`.seat[data-seat="${told.closest("[data-by]")?.dataset.by}"] .seat-points`);
  if (score) pop(score);
  for (const id of ids) if (old.cards.has(id) && !now.cards.has(id)) leave(old.cards.get(id), score);
}

function deal(cards) {
  const from = { opacity: 0, translate: "0 -16px", scale: 0.92 };
  const options = { id: "deal", duration: LASTS - STAGGER, easing: "ease-out", fill: "backwards" };
  for (const [place, card] of cards.entries()) {
    card.animate([from, {}], { ...options, delay: (STAGGER * place) / cards.length });
  }
}

// Move cards that close a gap on the table or make room for more.
function slide(old, now) {
  for (const [id, { card, place }] of now.cards) {
    const was = card.closest(".table-board, .box-board") && old.cards.get(id)?.place;
    if (!was || Math.hypot(was.x - place.x, was.y - place.y) < SHIFTED) continue;
    const from = { translate: `${was.x - place.x}px ${was.y - place.y}px` };
    card.animate([from, {}], { id: "slide", duration: LASTS, easing: "ease-out" });
  }
}

// Animate the card itself, which the new page no longer has, to the score of the player who took it.
function leave({ card, place }, score) {
  // Without a score, up by its own height.
  const goal =
    score?.getBoundingClientRect() ?? new DOMRect(place.x, place.y - place.height, place.width, place.height);
  const along = goal.x + goal.width / 2 - place.x - place.width / 2;
  const down = goal.y + goal.height / 2 - place.y - place.height / 2;
  card.querySelector("input")?.remove();
  card.classList.add("is-leaving");
  card.ariaHidden = "true";
  Object.assign(card.style, { position: "fixed", zIndex: 5, pointerEvents: "none" });
  Object.assign(card.style, { left: `${place.x}px`, top: `${place.y}px`, width: `${place.width}px` });
  document.body.append(card);
  const to = { opacity: 0.3, translate: `${along}px ${down}px`, scale: 0.2 };
  const flight = card.animate([{}, to], { id: "leave", duration: LASTS, easing: "ease-in", fill: "forwards" });
  flight.onfinish = () => card.remove();
}

function shake(each) {
  each.animate({ translate: ["0", "-5px", "5px", "-3px", "0"] }, { id: "shake", duration: LASTS });
}

function pop(each) {
  each.animate({ scale: [1, 1.08, 1] }, { id: "pop", duration: LASTS, easing: "ease-out" });
}

document.addEventListener("htmx:beforeSwap", remember);
document.addEventListener("htmx:sseBeforeMessage", remember);
document.addEventListener("htmx:afterSwap", show);
