// The player's own part of a shared table: whatever the server sends, the page shows what it means for this player.
import { showCountdown, showReveal } from "./clock.js";
import "./keys.js";
import { areThree, clearMarks, restoreMarks, sendPick } from "./marks.js";
import { boxes, compare, isMine, me, notice, play, state, table } from "./page.js";
import { connect } from "./stream.js";

let focused = null; // the place of the focused card before the table is replaced

// An older table never replaces a newer one, whether it comes by the stream or a response. Listeners on the table itself
// run before those on the document, like that of motion.js, which needs to know what isn't shown.
table.addEventListener("htmx:sseBeforeMessage", (event) => {
  if (compare(event.detail.data) <= 0) event.preventDefault();
  rememberFocus();
});
table.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target === table) {
    notice.textContent = "";
    if (compare(detail.serverResponse) < 0) detail.shouldSwap = false;
  }
  rememberFocus();
});
table.addEventListener("htmx:afterSwap", settle);
table.addEventListener("htmx:sseMessage", settle);

function rememberFocus() {
  const box = document.activeElement;
  focused = box?.name === "card" && table.contains(box) ? boxes().indexOf(box) : null;
}

function settle() {
  const wasMine = "mine" in play.dataset;
  restoreMarks();
  if (focused !== null) boxes()[Math.min(focused, boxes().length - 1)]?.focus({ preventScroll: true });
  focused = null;
  show();
  if (!isMine() || wasMine) return;
  if (areThree()) sendPick();
  else if (!table.contains(document.activeElement)) boxes()[0]?.focus({ preventScroll: true });
}

function show() {
  const { control, agreed, phase, version } = state();
  play.dataset.phase = phase;
  play.toggleAttribute("data-mine", isMine());
  play.toggleAttribute("data-held", control !== "" && !isMine());
  play.querySelector(".set-button")?.setAttribute("aria-disabled", String(control !== ""));
  play.toggleAttribute("data-agreed", me !== "" && agreed.split(" ").includes(me));
  table.querySelector(`.seat[data-seat="${me}"]`)?.classList.add("is-me");
  showCountdown();
  showReveal();
  sayOnce(version);
}

// Have screen readers say what happened, once for each version of the table.
function sayOnce(version) {
  const say = document.getElementById("say");
  if (say.dataset.version === version) return;
  say.dataset.version = version;
  say.textContent = table.querySelector(".spoken")?.textContent ?? "";
}

play.querySelector(".table-form").addEventListener("htmx:afterRequest", ({ detail }) => {
  if (!detail.successful || !detail.requestConfig.path.endsWith("/pick/")) return;
  clearMarks();
  notice.textContent = "";
});

play.dataset.live = "";
connect(show);
show();
