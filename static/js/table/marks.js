// The cards that the player has marked, oldest first. Other players' moves don't clear them, except on cards that are
// gone. A fourth card unmarks the oldest; after a call, the third one submits the pick.
import { boxes, mayPick, play, table } from "./page.js";

let marked = boxes()
  .filter((box) => box.checked)
  .map((box) => box.value);

export const areThree = () => marked.length === 3;

// Mark the same cards on the new table.
export function restoreMarks() {
  const there = new Map(boxes().map((box) => [box.value, box]));
  marked = marked.filter((value) => there.has(value));
  for (const value of marked) there.get(value).checked = true;
}

export function clearMarks() {
  marked = [];
  for (const box of boxes()) box.checked = false;
}

export const lastMarked = () => boxes().find(({ value }) => value === marked.at(-1));

// Submit with the form's own button: htmx remembers the last one clicked and would send the cards to the call.
export function sendPick() {
  play.querySelector(".pick-button").click();
}

table.addEventListener("change", ({ target }) => {
  if (target.name !== "card") return;
  marked = marked.filter((value) => value !== target.value);
  if (target.checked) marked.push(target.value);
  while (marked.length > 3) marked.shift();
  for (const box of boxes()) box.checked = marked.includes(box.value);
  if (areThree() && target.checked && mayPick()) sendPick();
});
