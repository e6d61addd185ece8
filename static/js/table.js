// The player's own part of a shared table. The server is the referee; this remembers the cards the player has marked,
// handles the keyboard, and shows the countdown of a call.
/* global LiveStream */
(() => {
  const play = document.getElementById("play");
  if (!play) return;
  const table = document.getElementById("table");
  const notice = document.getElementById("notice");
  const form = play.querySelector(".table-form");
  const me = play.dataset.me;
  const REVEAL_SECONDS = 2;
  let ahead = 0; // seconds by which the server's clock is ahead
  let marked = []; // the cards the player has marked, oldest first
  let focused = null;

  play.dataset.live = "";

  const state = () => table.querySelector(".state");
  const boxes = () => [...table.querySelectorAll("input[name=card]")];
  const version = (html) => Number(/data-version="(\d+)"/.exec(html)?.[1] ?? -1);
  const now = () => Date.now() / 1000 + ahead;
  const isMine = () => me !== "" && state().dataset.control === me;
  const mayPick = () => isMine() || ("quick" in play.dataset && state().dataset.control === "");

  // An older table never replaces a newer one, whether it comes by the stream or a response.
  table.addEventListener("htmx:sseBeforeMessage", (event) => {
    if (version(event.detail.data) <= Number(state().dataset.version)) event.preventDefault();
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target !== table) return;
    notice.textContent = "";
    if (version(event.detail.serverResponse) < Number(state().dataset.version)) event.detail.shouldSwap = false;
  });
  table.addEventListener("htmx:beforeSwap", remember);
  table.addEventListener("htmx:sseBeforeMessage", remember);
  table.addEventListener("htmx:afterSwap", settle);
  table.addEventListener("htmx:sseMessage", settle);

  function remember() {
    const box = document.activeElement;
    focused = box?.name === "card" && table.contains(box) ? boxes().indexOf(box) : null;
  }

  // Other players' moves don't clear the player's marks, except on cards that are gone.
  function settle() {
    const there = new Map(boxes().map((box) => [box.value, box]));
    const wasMine = "mine" in play.dataset;
    marked = marked.filter((value) => there.has(value));
    for (const value of marked) there.get(value).checked = true;
    if (focused !== null) boxes()[Math.min(focused, boxes().length - 1)]?.focus({ preventScroll: true });
    focused = null;
    show();
    if (isMine() && !wasMine) {
      if (marked.length === 3) sendPick();
      else if (!table.contains(document.activeElement)) boxes()[0]?.focus({ preventScroll: true });
    }
  }

  function show() {
    const data = state().dataset;
    play.dataset.phase = data.phase;
    play.toggleAttribute("data-mine", isMine());
    play.toggleAttribute("data-held", data.control !== "" && !isMine());
    play.querySelector(".set-button")?.setAttribute("aria-disabled", String(data.control !== ""));
    play.toggleAttribute("data-agreed", me !== "" && data.agreed.split(" ").includes(me));
    table.querySelector(`.seat[data-seat="${me}"]`)?.classList.add("is-me");
    countDown(data);
    reveal();
    const words = table.querySelector(".spoken")?.textContent ?? "";
    const say = document.getElementById("say");
    if (say.dataset.version !== data.version) {
      say.dataset.version = data.version;
      say.textContent = words;
    }
  }

  function countDown(data) {
    const bar = table.querySelector(".countdown-bar");
    if (!bar || !data.deadline) return;
    // Players with extra time see theirs; the others don't see it.
    const factor = isMine() ? Number(play.dataset.factor ?? 1) : 1;
    bar.style.setProperty("--lasts", `${(data.deadline - data.since) * factor}s`);
    bar.style.setProperty("--elapsed", `${Math.min(0, data.since - now())}s`);
  }

  function reveal() {
    const box = table.querySelector(".reveal");
    if (!box) return;
    const left = Number(box.dataset.at) + REVEAL_SECONDS - now();
    box.classList.toggle("is-past", left <= 0);
    if (left > 0) setTimeout(() => box.classList.add("is-past"), left * 1000);
  }

  // Two seconds are short for slow readers, so the reason can be opened again for as long as they like.
  table.addEventListener("click", ({ target }) => {
    if (target.closest(".why-button")) table.querySelector(".reveal").classList.toggle("is-past");
    else if (target.closest(".reveal")) table.querySelector(".reveal").classList.add("is-past");
  });

  // Mark cards: a fourth unmarks the oldest; after a call, the third one submits the pick.
  table.addEventListener("change", ({ target }) => {
    if (target.name !== "card") return;
    marked = marked.filter((value) => value !== target.value);
    if (target.checked) marked.push(target.value);
    while (marked.length > 3) marked.shift();
    for (const box of boxes()) box.checked = marked.includes(box.value);
    if (marked.length === 3 && target.checked && mayPick()) sendPick();
  });

  // Submit with the form's own button: htmx remembers the last one clicked and would send the cards to the call.
  function sendPick() {
    play.querySelector(".pick-button").click();
  }

  form.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (!detail.requestConfig.path.endsWith("/pick/")) return;
    if (detail.successful) {
      marked = [];
      for (const box of boxes()) box.checked = false;
      notice.textContent = "";
    }
  });

  // Keys: a letter for each place, arrows to move, space to call, X for no SET, Z to unmark the last card.
  document.addEventListener("keydown", (event) => {
    if (event.repeat && event.key === " ") event.preventDefault(); // when held down, it would mark the newly focused card
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input:not([name=card]), select, textarea")) return;
    const onCard = event.target.name === "card";
    const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
    if (key === " " && (!onCard || !mayPick()) && !event.target.matches("button, a, summary")) press(event, ".set-button");
    else if (key === "X") press(event, ".no-set-button");
    else if (key === "Z") unmark(event);
    else if (key === "Enter" && onCard) tap(event, event.target);
    else if (key.startsWith("Arrow")) move(event, key.slice(5));
    else if (/^[A-U]$/.test(key)) tap(event, table.querySelector(`input[data-letter="${key}"]`));
  });

  function press(event, selector) {
    const button = play.querySelector(selector);
    event.preventDefault();
    if (button?.checkVisibility()) button.click();
  }

  function tap(event, box) {
    if (!box || box.matches(":disabled")) return;
    event.preventDefault();
    box.focus();
    box.click();
  }

  function unmark(event) {
    const box = boxes().find(({ value }) => value === marked.at(-1));
    if (box) tap(event, box);
  }

  function move(event, direction) {
    const all = boxes();
    if (!all.length) return;
    event.preventDefault();
    const from = all.includes(document.activeElement) ? document.activeElement : null;
    if (!from) return all[0].focus();
    const here = from.getBoundingClientRect();
    const along = { Left: [-1, 0], Right: [1, 0], Up: [0, -1], Down: [0, 1] }[direction];
    let best = null;
    for (const box of all) {
      const there = box.getBoundingClientRect();
      const dx = there.x - here.x;
      const dy = there.y - here.y;
      const forward = dx * along[0] + dy * along[1];
      const aside = Math.abs(dx * along[1]) + Math.abs(dy * along[0]);
      if (forward > 4 && aside < here.height / 2 && (!best || forward < best.forward)) best = { box, forward };
    }
    best?.box.focus();
  }

  let stream = null;
  // The player's own moves come back by the stream, like everybody's; without a stream the response brings the table.
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (stream?.isOpen) detail.headers["X-Live"] = "1";
  });

  htmx.createEventSource = (url) => {
    stream = new LiveStream(url);
    stream.addEventListener("up", () => offline(false));
    stream.addEventListener("down", () => offline(true));
    stream.addEventListener("clock", ({ data }) => {
      ahead = Number(data) - Date.now() / 1000;
      show();
    });
    return stream;
  };

  function offline(is) {
    play.querySelector(".offline").hidden = !is;
  }
  if (!navigator.onLine) offline(true);
  // A page that was only partly loaded has no stream to open.
  window.addEventListener("online", () => { if (!stream) location.reload(); });

  // Hints stay on their cards until the table changes.
  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail?.target?.id !== "hint") return;
    const hinted = [...detail.target.querySelectorAll("[data-hint]")].map((word) => word.dataset.hint);
    for (const box of boxes()) box.closest(".card").classList.toggle("is-hinted", hinted.includes(box.value));
    const button = play.querySelector(".hint-button");
    button.value = Math.min(4, Number(button.value) + 1);
  });
  table.addEventListener("htmx:afterSwap", () => {
    const button = play.querySelector(".hint-button");
    if (button) button.value = 1;
    document.getElementById("hint").textContent = "";
  });

  const copy = play.querySelector(".copy-button");
  if (copy && navigator.clipboard) {
    copy.hidden = false;
    copy.addEventListener("click", () => navigator.clipboard.writeText(copy.dataset.copy));
  }

  marked = boxes().filter((box) => box.checked).map((box) => box.value);
  show();
})();
