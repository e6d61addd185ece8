// The front page: a verdict comes row by row, and after it the next tap starts a new try.
const form = document.getElementById("front-form");
const answer = document.getElementById("answer");

function beginAgain({ target }) {
  if (!answer.querySelector(".front-told")) return;
  for (const box of form.querySelectorAll("input:checked")) if (box !== target) box.checked = false;
  for (const hint of form.querySelectorAll(".is-hint")) hint.classList.remove("is-hint");
  answer.replaceChildren();
}

function show() {
  answer.querySelector(".strip")?.classList.add("is-coming");
  answer.querySelector(".burst")?.classList.add("is-on");
}

// Before pick-three.js counts what's marked.
form.addEventListener("change", beginAgain, { capture: true });
answer.addEventListener("htmx:afterSwap", show);
