// Forms say beside a field what's wrong with it, in our words, instead of the browser's bubbles. Without scripts the
// server's answer says it in the same place.
const words = document.getElementById("form-words").dataset;
const TO_CHOOSE = new Set(["checkbox", "radio", "select-one", "file"]);
let count = 0;

function wordsFor({ type, validity, min, max, minLength }) {
  if (validity.valueMissing) return TO_CHOOSE.has(type) ? words.choose : words.missing;
  if (validity.typeMismatch && type === "email") return words.email;
  if (validity.tooShort) return words.short.replace("{least}", minLength);
  const isRange = validity.rangeUnderflow || validity.rangeOverflow || validity.badInput || validity.stepMismatch;
  if (isRange && min !== "" && max !== "") return words.range.replace("{min}", min).replace("{max}", max);
  return words.other;
}

const isOneOfSeveral = (field) => field.type === "radio" || field.type === "checkbox";

// Radios of one group have one message, after all of them.
function placeOf(field) {
  const group = isOneOfSeveral(field) && field.closest("fieldset");
  return group || field.closest(".field") || field;
}

function messageOf(field) {
  return document.getElementById(placeOf(field).dataset.error ?? "");
}

function tell(field) {
  const place = placeOf(field);
  let message = messageOf(field);
  if (!message) {
    message = document.createElement("p");
    message.className = "errorlist";
    message.id = `form-error-${++count}`;
    if (place === field) place.after(message);
    else place.append(message);
    place.dataset.error = message.id;
  }
  message.textContent = field.validity.customError ? field.validationMessage : wordsFor(field);
  field.setAttribute("aria-invalid", "true");
  const described = new Set((field.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean));
  field.setAttribute("aria-describedby", [...described.add(message.id)].join(" "));
}

function untell(field) {
  const message = messageOf(field);
  if (!message) return;
  const group = isOneOfSeveral(field) ? field.form.querySelectorAll(`[name="${CSS.escape(field.name)}"]`) : [field];
  for (const each of group) {
    each.removeAttribute("aria-invalid");
    const left = (each.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id && id !== message.id);
    if (left.length) each.setAttribute("aria-describedby", left.join(" "));
    else each.removeAttribute("aria-describedby");
  }
  delete placeOf(field).dataset.error;
  message.remove();
}

let first = null;

function onInvalid(event) {
  event.preventDefault();
  tell(event.target);
  if (first) return;
  first = event.target;
  queueMicrotask(() => {
    first.focus();
    first = null;
  });
}

// A form with `novalidate` is checked here, so that without scripts it's the server that answers.
function onSubmit(event) {
  const form = event.target;
  if (!form.noValidate || event.submitter?.formNoValidate || form.checkValidity()) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

document.addEventListener("invalid", onInvalid, { capture: true });
document.addEventListener("submit", onSubmit, { capture: true });
document.addEventListener("input", ({ target }) => target.validity?.valid && untell(target));
