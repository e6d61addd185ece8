// Which version of the lesson a screen shows: numbers separated by dots.
export const shown = (target) => target.querySelector("[data-seen]")?.dataset.seen ?? "";

// Positive: this HTML is newer than what's shown.
export function compare(html, target) {
  const now = /data-seen="([\d.]+)"/.exec(html)?.[1].split(".");
  const old = shown(target).split(".");
  if (!now) return 1;
  const place = now.findIndex((number, at) => Number(number) !== Number(old[at] ?? 0));
  return place < 0 ? 0 : Number(now[place]) - Number(old[place] ?? 0);
}
