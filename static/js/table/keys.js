// Keys: a letter for each place, arrows to move, space to call, X for no SET, Z to unmark the last card.
import { lastMarked } from "./marks.js";
import { boxes, mayPick, play, table } from "./page.js";

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const LEAST = 4; // pixels that count as a step

document.addEventListener("keydown", (event) => {
  const { target } = event;
  if (event.repeat && event.key === " ") event.preventDefault(); // when held down, it would mark the newly focused card
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.matches("input:not([name=card]), select, textarea")) return;
  const onCard = target.name === "card";
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  if (key === " " && (!onCard || !mayPick()) && !target.matches("button, a, summary")) press(event, ".set-button");
  else if (key === "X") press(event, ".no-set-button");
  else if (key === "Z") tap(event, lastMarked());
  else if (key === "Enter" && onCard) tap(event, target);
  else if (key in DIRECTIONS) move(event, DIRECTIONS[key]);
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

// Move the focus to the nearest card in a direction.
function move(event, [right, down]) {
  const all = boxes();
  if (!all.length) return;
  event.preventDefault();
  if (!all.includes(document.activeElement)) {
    all[0].focus();
    return;
  }
  const here = document.activeElement.getBoundingClientRect();
  let best = null;
  for (const box of all) {
    const there = box.getBoundingClientRect();
    const [x, y] = [there.x - here.x, there.y - here.y];
    const forward = x * right + y * down;
    const aside = Math.abs(x * down) + Math.abs(y * right);
    if (forward <= LEAST || aside >= here.height / 2) continue;
    if (!best || forward < best.forward) best = { box, forward };
  }
  best?.box.focus();
}
