// An answer that the network swallows is kept by the service worker, and the lesson goes on.
(() => {
  const lesson = document.getElementById("exercise") ?? document.getElementById("step");
  const words = document.getElementById("later");
  // A page that is not served safely has no service worker, and no ids either.
  if (!lesson || !words || !navigator.serviceWorker || !crypto.randomUUID) return;
  const isPractice = lesson.id === "exercise";
  // Every find is judged before the next one is asked for.
  const NEEDS_REFEREE = ["find-all", "no-set-builder"];
  // No server behind the proxy, or a page whose form has become too old to be taken.
  const SWALLOWED = [403, 502, 503, 504];
  const PATIENCE = 8000;
  let isAsking = false;

  // Every answer has a name of its own from the start: if only our hearing of it was lost, it is not counted twice.
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    say("");
    if (!detail.elt.matches("form.question")) return;
    detail.parameters.sent_as = crypto.randomUUID();
    detail.timeout = PATIENCE;
  });
  document.addEventListener("htmx:sendError", ({ detail }) => lost(detail.requestConfig));
  document.addEventListener("htmx:timeout", ({ detail }) => lost(detail.requestConfig));
  document.addEventListener("htmx:responseError", ({ detail }) => {
    if (SWALLOWED.includes(detail.xhr.status)) lost(detail.requestConfig);
  });

  async function lost({ verb, elt, formData }) {
    if (!lesson.contains(elt)) return;
    if (!(await navigator.serviceWorker.getRegistration())?.active) return say("alone");
    if (verb === "get") return goOn("");
    if (formData.has("help")) return say("help");
    const isTooOld = document.documentElement.dataset.kept === "old" && formData.has("ticket");
    if (isTooOld || NEEDS_REFEREE.includes(elt.dataset.kind)) return goOn("referee");
    if (isUnfinished(elt)) return say("choose");
    await ask({
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
    say(name);
    if (!isPractice) {
      for (const next of lesson.querySelectorAll(".later-next")) next.hidden = false;
      return;
    }
    const next = await ask({ type: "take" });
    if (!next) return say(name, "none");
    lesson.innerHTML = next;
    htmx.process(lesson);
  }

  function say(...names) {
    for (const part of words.children) part.hidden = !names.includes(part.dataset.say);
  }

  async function ask(message) {
    const { active } = await navigator.serviceWorker.ready;
    const { port1, port2 } = new MessageChannel();
    return new Promise((resolve) => {
      port1.onmessage = ({ data }) => resolve(data);
      active.postMessage(message, [port2]);
    });
  }

  // Once all is checked, the lesson stands where it would with a network.
  navigator.serviceWorker.addEventListener("message", async ({ data }) => {
    if (!data.isOnline || data.waiting) return;
    if (data.done) say("");
    // Asked once, however often that is said meanwhile: a second answer would take away the question of the first.
    if (isAsking || !lesson.querySelector("form[inert]")) return;
    isAsking = true;
    try {
      await htmx.ajax("GET", location.pathname, { target: lesson, swap: "innerHTML" });
    } finally {
      isAsking = false;
    }
  });

  // The page as it was kept asks what has been answered since.
  if (isPractice && "kept" in document.documentElement.dataset) goOn("");
})();
