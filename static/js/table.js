// The table on this screen: what is mine around the table that all share. The server is the referee; this only
// remembers which cards I have marked, turns keys into taps, and shows how long a call still lasts.
/* global LiveStream */
(() => {
  const play = document.getElementById("play");
  if (!play) return;
  const table = document.getElementById("table");
  const notice = document.getElementById("notice");
  const form = play.querySelector(".table-form");
  const me = play.dataset.me;
  const REVEAL_SECONDS = 2;
  let ahead = 0; // by how many seconds the server's clock is ahead of ours
  let marked = []; // the cards I have marked, the oldest first
  let focused = null;

  play.dataset.live = "";

  const state = () => table.querySelector(".state");
  const boxes = () => [...table.querySelectorAll("input[name=card]")];
  const version = (html) => Number(/data-version="(\d+)"/.exec(html)?.[1] ?? -1);
  const now = () => Date.now() / 1000 + ahead;
  const isMine = () => me !== "" && state().dataset.control === me;
  const mayPick = () => isMine() || ("quick" in play.dataset && state().dataset.control === "");

  // An older table never replaces a newer one, whichever way it comes.
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

  // Nothing that another player does clears what I have marked, except cards that are gone.
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
    // Who was given more time sees it; the others do not.
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

  // Two seconds are short for a slow reader: the reason can be looked at again for as long as one likes.
  table.addEventListener("click", ({ target }) => {
    if (target.closest(".why-button")) table.querySelector(".reveal").classList.toggle("is-past");
    else if (target.closest(".reveal")) table.querySelector(".reveal").classList.add("is-past");
  });

  // Marking cards: a fourth lets the oldest go, the third of a call is the pick.
  table.addEventListener("change", ({ target }) => {
    if (target.name !== "card") return;
    marked = marked.filter((value) => value !== target.value);
    if (target.checked) marked.push(target.value);
    while (marked.length > 3) marked.shift();
    for (const box of boxes()) box.checked = marked.includes(box.value);
    if (marked.length === 3 && target.checked && mayPick()) sendPick();
  });

  // By its own button: htmx remembers the last one that was clicked, and would send the cards to the call.
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

  // Keys: a letter for each place, arrows from card to card, space to call, X for no SET, Z to unmark the last.
  document.addEventListener("keydown", (event) => {
    if (event.repeat && event.key === " ") event.preventDefault(); // held down, it would mark the card it comes to
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
  // What I do comes back to me by the stream, like everybody's doing; without one the answer brings the table.
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
  // A page that was cut off while it loaded has no stream to open.
  window.addEventListener("online", () => { if (!stream) location.reload(); });

  // Hints stay on the cards they are about until the table changes.
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
