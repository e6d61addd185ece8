// When someone else's action redraws the picture, keep what's open, marked and half filled in. Only the user's own action
// clears their device; marks from another round mean nothing in this one.
const fieldsOf = (target) => [...target.querySelectorAll("form :is(input:not([type=hidden]), select)")];
const isBox = (field) => field.matches("[type=checkbox], [type=radio]");
const key = (field) => `${field.form.action} ${field.name} ${isBox(field) ? field.value : ""}`;
const roundOf = (target) =>
  ["activity", "round"].map((name) => target.querySelector(`[name=${name}]`)?.value ?? "").join("/");

function isTouched(field) {
  if (isBox(field)) return field.checked !== field.defaultChecked;
  if (!field.matches("select")) return field.value !== field.defaultValue;
  return [...field.options].some((each) => each.selected !== each.defaultSelected);
}

// Save the state of the current picture; returns a function that restores it in the next.
export function saveState(target, { isRemote, isOwn = false }) {
  const open = [...target.querySelectorAll("details[open][data-key]")].map((each) => each.dataset.key);
  const keeps = isRemote || !isOwn;
  const kept = keeps ? fieldsOf(target).filter(isTouched) : [];
  const touched = new Map(kept.map((field) => [key(field), field]));
  const active = document.activeElement;
  const focused = keeps && target.contains(active) && active.form ? key(active) : null;
  const round = roundOf(target);
  return () => {
    const isSame = isRemote || round === roundOf(target);
    for (const field of isSame ? fieldsOf(target) : []) {
      const old = touched.get(key(field));
      if (old) [field.value, field.checked] = [old.value, old.checked];
      if (key(field) === focused) field.focus({ preventScroll: true });
    }
    for (const each of target.querySelectorAll("details[data-key]")) {
      if (open.includes(each.dataset.key)) each.open = true;
    }
  };
}
