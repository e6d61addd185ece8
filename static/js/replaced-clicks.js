// When another player's move replaces an element while the mouse is down on it, the browser sends no click, although the
// user meant one; this sends it. Touch needs no help: a tap goes to whatever is there when the finger is lifted.
let pressed = null;

const control = ({ target }) => target.closest?.("label, button, summary, a");
// The text of a summary changes with its content.
const name = (each) => (each.tagName === "SUMMARY" && each.closest("[data-key]")?.dataset.key) || each.textContent;
const isSame = (one, other) => one?.tagName === other?.tagName && name(one) === name(other);

document.addEventListener("pointerdown", (event) => {
  pressed = event.pointerType === "touch" || event.button ? null : control(event);
});
document.addEventListener("pointerup", (event) => {
  const here = control(event);
  if (pressed && !pressed.isConnected && isSame(here, pressed)) here.click();
  pressed = null;
});
