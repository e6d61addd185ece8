// What the page of a shared table shows now. The server is the referee: a table it sends replaces the one here.
export const play = document.getElementById("play");
export const table = document.getElementById("table");
export const notice = document.getElementById("notice");
export const me = play.dataset.me;

export const state = () => table.querySelector(".state").dataset;
export const boxes = () => [...table.querySelectorAll("input[name=card]")];
export const isMine = () => me !== "" && state().control === me;
export const mayPick = () => isMine() || ("quick" in play.dataset && state().control === "");

// The version of the table in this HTML is newer (positive), the same (0) or older than the one shown.
export function compare(html) {
  return Number(/data-version="(\d+)"/.exec(html)?.[1] ?? -1) - Number(state().version);
}
