// The front page: after a verdict, the next tap starts a new try.
const form = document.getElementById("front-form");
const answer = document.getElementById("answer");

function beginAgain({ target }) {
  if (!answer.querySelector(".front-told")) return;
  for (const box of form.querySelectorAll("input:checked")) if (box !== target) box.checked = false;
  for (const hint of form.querySelectorAll(".is-hint")) hint.classList.remove("is-hint");
  answer.replaceChildren();
}

// Before pick-three.js counts what's marked.
form.addEventListener("change", beginAgain, { capture: true });
