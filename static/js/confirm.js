// Confirmation dialog for actions that can't be undone: forms with data-hx-confirm (question) and data-then (consequence).
const dialog = document.getElementById("ask");

document.addEventListener("htmx:confirm", (event) => {
  const { question, elt, issueRequest } = event.detail;
  if (!question) return;
  event.preventDefault();
  dialog.querySelector("#ask-title").textContent = question;
  dialog.querySelector("#ask-text").textContent = elt.dataset.then;
  dialog.querySelector("[value=yes]").textContent = elt.querySelector("[type=submit]").textContent;
  dialog.returnValue = "";
  const answer = () => dialog.returnValue === "yes" && issueRequest(true);
  dialog.addEventListener("close", answer, { once: true });
  dialog.showModal();
});
