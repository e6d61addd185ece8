// A screen of a live lesson: when the server says that there is something new, it asks for its own picture anew.
(() => {
  const screen = document.querySelector(".lesson-screen");
  if (!screen) return;
  const target = document.getElementById("screen");
  let source = null;
  let isAsking = false;
  let isStale = false;

  const seen = () => target.querySelector("[data-seen]")?.dataset.seen ?? "";
  const offline = (is) => { screen.querySelector(".offline").hidden = !is; };

  async function look() {
    if (isAsking) {
      isStale = true;
      return;
    }
    isAsking = true;
    isStale = false;
    try {
      await htmx.ajax("GET", `${screen.dataset.part}?seen=${encodeURIComponent(seen())}`, { target, swap: "innerHTML" });
    } finally {
      isAsking = false;
      if (isStale) look();
    }
  }

  function open() {
    source?.close();
    source = new EventSource(screen.dataset.stream);
    source.onopen = () => offline(false);
    source.onerror = () => {
      offline(true);
      if (source.readyState === EventSource.CLOSED) setTimeout(open, 2000);
    };
    source.addEventListener("changed", look);
  }

  // Whoever was sent out, or whose session is gone, is told so by the page itself.
  document.addEventListener("htmx:responseError", ({ detail }) => {
    if (detail.xhr.status === 404) location.reload();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) source?.close();
    else open();
  });
  window.addEventListener("offline", () => offline(true));
  window.addEventListener("online", open);
  // What was open on the remote stays open when the picture is drawn anew, and what was being filled in stays so.
  const fields = () => [...target.querySelectorAll("form :is(input:not([type=hidden]), select)")];
  const key = (field) => `${field.form.action} ${field.name} ${field.type === "radio" ? field.value : ""}`;
  const isTouched = (field) => field.matches("[type=checkbox], [type=radio]") ? field.checked !== field.defaultChecked
    : field.matches("select") ? ![...field.options].every((each) => each.selected === each.defaultSelected) : field.value !== field.defaultValue;
  target.addEventListener("htmx:beforeSwap", () => {
    const open = [...target.querySelectorAll("details[open]")].map((each) => [...target.querySelectorAll("details")].indexOf(each));
    const touched = screen.matches(".remote") ? new Map(fields().filter(isTouched).map((field) => [key(field), field])) : new Map();
    target.addEventListener("htmx:afterSwap", () => {
      for (const field of fields()) {
        const before = touched.get(key(field));
        if (before) [field.value, field.checked] = [before.value, before.checked];
      }
      const all = target.querySelectorAll("details");
      for (const place of open) if (all[place]) all[place].open = true;
    }, { once: true });
  });
  open();
})();
