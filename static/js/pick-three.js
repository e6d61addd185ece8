// A form with `data-pick-three`: the third card submits it; a fourth card unmarks the oldest.
const order = new WeakMap();
let count = 0;

document.addEventListener("change", ({ target }) => {
  const form = target.closest("form[data-pick-three]");
  if (!form || target.type !== "checkbox") return;
  order.set(target, ++count);
  const chosen = [...form.querySelectorAll("input[type=checkbox]:checked")];
  chosen.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
  while (chosen.length > 3) chosen.shift().checked = false;
  if (chosen.length === 3 && target.checked) form.requestSubmit();
});
