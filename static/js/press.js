// Where others' moves draw the page anew: what is replaced while the mouse is down on it would get no click, and is
// still what was meant. A finger needs no help, its tap goes to what lies there when it is lifted.
(() => {
  let pressed = null;

  const control = ({ target }) => target.closest?.("label, button, summary, a");
  // What a summary says changes with what it's about.
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
})();
