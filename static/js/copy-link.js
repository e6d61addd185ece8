// A button that copies a link; hidden where the browser can't.
const button = document.querySelector(".copy-button");

if (button && navigator.clipboard) {
  button.hidden = false;
  button.addEventListener("click", () => navigator.clipboard.writeText(button.dataset.copy));
}
