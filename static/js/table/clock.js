// What the server's clock decides on this page: the countdown of a call, and how long the reason of a verdict stays.
import { isMine, play, state, table } from "./page.js";

const REVEAL_SECONDS = 2;
let ahead = 0; // seconds by which the server's clock is ahead

const now = () => Date.now() / 1000 + ahead;

export function setServerTime(seconds) {
  ahead = seconds - Date.now() / 1000;
}

export function showCountdown() {
  const bar = table.querySelector(".countdown-bar");
  const { since, deadline } = state();
  if (!bar || !deadline) return;
  // Players with extra time see theirs; the others don't see it.
  const factor = isMine() ? Number(play.dataset.factor ?? 1) : 1;
  bar.style.setProperty("--lasts", `${(deadline - since) * factor}s`);
  bar.style.setProperty("--elapsed", `${Math.min(0, since - now())}s`);
}

export function showReveal() {
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
