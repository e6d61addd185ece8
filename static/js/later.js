// Answers that can't reach the server are stored by the service worker, and the lesson goes on.
(() => {
  const lesson = document.getElementById("exercise") ?? document.getElementById("step");
  const words = document.getElementById("later");
  // Outside a secure context there's no service worker and no crypto.randomUUID.
  if (!lesson || !words || !navigator.serviceWorker || !crypto.randomUUID) return;
  const isPractice = lesson.id === "exercise";
  // These answers must be judged before the next one, so they can't be stored.
  const NEEDS_REFEREE = ["find-all", "no-set-builder"];
  // Statuses to store the answer for: no server behind the proxy, or a form that's too old to be accepted.
  const SWALLOWED = [403, 502, 503, 504];
  const PATIENCE = 8000;
  let isAsking = false;

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

  async function storeLostAnswer({ verb, elt, formData }) {
    if (!lesson.contains(elt)) return;
    if (!(await navigator.serviceWorker.getRegistration())?.active) return showMessages("alone");
    if (verb === "get") return goOn("");
    if (formData.has("help")) return showMessages("help");
    const isTooOld = document.documentElement.dataset.kept === "old" && formData.has("ticket");
    if (isTooOld || NEEDS_REFEREE.includes(elt.dataset.kind)) return goOn("referee");
    if (isUnfinished(elt)) return showMessages("choose");
    await askWorker({
      type: "put",
      answer: {
        whose: document.getElementById("network").dataset.whose,
        place: location.pathname.split("/").slice(2, 4).join("/"),
        at: Date.now(),
        form: [...formData].filter(([name]) => name !== "csrfmiddlewaretoken"),
      },
    });
    elt.inert = true;
    return goOn("kept");
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
    const next = await askWorker({ type: "take" });
    if (!next) return showMessages(name, "none");
    lesson.innerHTML = next;
    htmx.process(lesson);
  }

  function showMessages(...names) {
    for (const part of words.children) part.hidden = !names.includes(part.dataset.say);
  }

  async function askWorker(message) {
    const { active } = await navigator.serviceWorker.ready;
    const { port1, port2 } = new MessageChannel();
    return new Promise((resolve) => {
      port1.onmessage = ({ data }) => resolve(data);
      active.postMessage(message, [port2]);
    });
  }

  // Once everything has been checked, the lesson is where it would be had there been a network.
  navigator.serviceWorker.addEventListener("message", async ({ data }) => {
    if (!data.isOnline || data.waiting) return;
    if (data.done) showMessages("");
    // Fetch only once, however often this event comes: a second response would replace the first one's question.
    if (isAsking || !lesson.querySelector("form[inert]")) return;
    isAsking = true;
    try {
      await htmx.ajax("GET", location.pathname, { target: lesson, swap: "innerHTML" });
    } finally {
      isAsking = false;
    }
  });

  // The cached page shows a question that has been answered since.
  if (isPractice && "kept" in document.documentElement.dataset) goOn("");
})();
