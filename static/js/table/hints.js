// Hints of a practice game stay on their cards until the table changes.
import { boxes, play, table } from "./page.js";

const hint = document.getElementById("hint");
const LAST_STAGE = 4;

hint.addEventListener("htmx:afterSwap", () => {
  const hinted = [...hint.querySelectorAll("[data-hint]")].map((word) => word.dataset.hint);
  for (const box of boxes()) box.closest(".card").classList.toggle("is-hinted", hinted.includes(box.value));
  const button = play.querySelector(".hint-button");
  button.value = Math.min(LAST_STAGE, Number(button.value) + 1);
});
table.addEventListener("htmx:afterSwap", () => {
  const button = play.querySelector(".hint-button");
  if (button) button.value = 1;
  hint.textContent = "";
});
