// A new answer changes only the count and who is marked as having answered, so the server sends only those.
import { compare, shown } from "./version.js";

let latest = null; // the latest news, which may belong to a picture that isn't there yet

export function showNews(html, target) {
  latest = html;
  const now = target.querySelector("[data-seen]");
  const piece = new DOMParser().parseFromString(html, "text/html").querySelector("[data-seen]");
  if (!now || compare(html, target) <= 0 || picture(piece.dataset.seen) !== picture(shown(target))) return;
  now.dataset.seen = piece.dataset.seen;
  showCount(now.querySelector(".count"), piece.querySelector(".count"));
  const badge = piece.querySelector("[data-answered]");
  for (const number of badge?.dataset.answered.split(" ") ?? []) {
    markAsAnswered(now.querySelector(`[data-person="${number}"]`), badge);
  }
}

// Show the latest news again after the picture they're about has come.
export function showLatestNews(target) {
  if (latest) showNews(latest, target);
}

const picture = (version) => version.split(".")[0];

function showCount(old, count) {
  if (!old || !count || old.outerHTML === count.outerHTML) return;
  old.className = count.className;
  old.textContent = count.textContent;
}

function markAsAnswered(person, badge) {
  if (!person || person.querySelector(".is-answered")) return;
  const own = badge.cloneNode(true);
  delete own.dataset.answered;
  person.querySelector("summary").append(" ", own);
  person.querySelector(".paper-answer")?.remove();
}
