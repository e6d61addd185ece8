// Answers that can't reach the server are stored by the service worker, and the lesson goes on.
import { coalesce } from "./coalesce.js";
import { ask, canAsk, onState } from "./service-worker.js";

const lesson = document.getElementById("exercise") ?? document.getElementById("step");
const messages = document.getElementById("later");
const isPractice = lesson?.id === "exercise";
// These answers must be judged before the next one, so they can't be stored.
const NEEDS_REFEREE = ["find-all", "no-set-builder"];
// Statuses to store the answer for: no server behind the proxy, or a form that's too old to be accepted.
const SWALLOWED = [403, 502, 503, 504];
const PATIENCE = 8000;

function start() {
  // Each answer gets an id up front: if only the response was lost, the answer isn't counted twice.
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    showMessages("");
    if (!detail.elt.matches("form.question")) return;
    detail.parameters.sent_as = crypto.randomUUID();
    detail.timeout = PATIENCE;
  });
  document.addEventListener("htmx:sendError", ({ detail }) => storeLostAnswer(detail.requestConfig));
  document.addEventListener("htmx:timeout", ({ detail }) => storeLostAnswer(detail.requestConfig));
  document.addEventListener("htmx:responseError", ({ detail }) => {
    if (SWALLOWED.includes(detail.xhr.status)) storeLostAnswer(detail.requestConfig);
  });
  // Once everything has been checked, the lesson is where it would be had there been a network.
  onState(({ isOnline, waiting, done }) => {
    if (!isOnline || waiting) return;
    if (done) showMessages("");
    fetchLesson();
  });
  // The cached page shows a question that has been answered since.
  if (isPractice && "kept" in document.documentElement.dataset) goOn("");
}

async function storeLostAnswer({ verb, elt, formData }) {
  if (!lesson.contains(elt)) return;
  if (!(await canAsk())) showMessages("alone");
  else if (verb === "get") goOn("");
  else if (formData.has("help")) showMessages("help");
  else if (needsReferee(elt, formData)) goOn("referee");
  else if (isUnfinished(elt)) showMessages("choose");
  else {
    await ask({ type: "put", answer: answerOf(formData) });
    elt.inert = true;
    goOn("kept");
  }
}

function answerOf(formData) {
  return {
    whose: document.getElementById("network").dataset.whose,
    place: location.pathname.split("/").slice(2, 4).join("/"),
    at: Date.now(),
    form: [...formData].filter(([name]) => name !== "csrfmiddlewaretoken"),
  };
}

function needsReferee(form, formData) {
  const isTooOld = document.documentElement.dataset.kept === "old" && formData.has("ticket");
  return isTooOld || NEEDS_REFEREE.includes(form.dataset.kind);
}

function isUnfinished(form) {
  const chosen = form.querySelectorAll("input[type=checkbox]:checked").length;
  return "pickThree" in form.dataset ? chosen !== 3 : !chosen && form.querySelector("input[type=checkbox]");
}

async function goOn(name) {
  showMessages(name);
  if (!isPractice) {
    for (const next of lesson.querySelectorAll(".later-next")) next.hidden = false;
    return;
  }
  const next = await ask({ type: "take" });
  if (!next) {
    showMessages(name, "none");
    return;
  }
  lesson.innerHTML = next;
  htmx.process(lesson);
}

function showMessages(...names) {
  for (const part of messages.children) part.hidden = !names.includes(part.dataset.say);
}

// Fetch the lesson only while it shows an answered question: a second response would replace the first one's question.
const fetchLesson = coalesce(async () => {
  if (!lesson.querySelector("form[inert]")) return;
  await htmx.ajax("GET", location.pathname, { target: lesson, swap: "innerHTML" });
});

// Outside a secure context there's no service worker and no crypto.randomUUID.
if (lesson && messages && navigator.serviceWorker && crypto.randomUUID) start();
