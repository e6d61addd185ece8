// A screen of a live lesson: when the server says that there is something new, it asks for its own picture anew.
(() => {
  const screen = document.querySelector(".lesson-screen");
  if (!screen) return;
  const target = document.getElementById("screen");
  let source = null;
  let isAsking = false;
  let isStale = false;

  const seen = () => target.querySelector("[data-seen]")?.dataset.seen ?? "";
  const isNews = (html) => {
    const old = seen().split(".");
    const now = /data-seen="([\d.]+)"/.exec(html)?.[1].split(".");
    return !now || now.some((number, place) => Number(number) > Number(old[place] ?? 0));
  };
  const offline = (is) => { screen.querySelector(".offline").hidden = !is; };

  // A form about which a question is open is not taken away by what others do.
  const dialog = document.getElementById("ask");
  dialog?.addEventListener("close", () => { if (isStale) look(); });

  async function look() {
    if (isAsking || dialog?.open) {
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
  // A picture that is drawn anew because of somebody else keeps what is open, marked and half filled in. Only what I
  // have sent myself clears my device; and what was marked for another round means nothing in this one.
  const fields = () => [...target.querySelectorAll("form :is(input:not([type=hidden]), select)")];
  const isBox = (field) => field.matches("[type=checkbox], [type=radio]");
  const key = (field) => `${field.form.action} ${field.name} ${isBox(field) ? field.value : ""}`;
  const isTouched = (field) => isBox(field) ? field.checked !== field.defaultChecked
    : field.matches("select") ? ![...field.options].every((each) => each.selected === each.defaultSelected) : field.value !== field.defaultValue;
  const round = () => ["activity", "round"].map((name) => target.querySelector(`[name=${name}]`)?.value ?? "").join("/");
  target.addEventListener("htmx:beforeSwap", ({ detail }) => {
    if (detail.requestConfig.verb === "get") {
      if (dialog?.open) isStale = true;
      // What was asked for before I sent something may come after its answer, and does not know of it.
      if (dialog?.open || !isNews(detail.serverResponse)) detail.shouldSwap = false;
    }
    if (!detail.shouldSwap) return;
    const isRemote = screen.matches(".remote");
    const open = [...target.querySelectorAll("details[open][data-key]")].map((each) => each.dataset.key);
    const keeps = isRemote || detail.requestConfig.verb === "get";
    const touched = new Map(keeps ? fields().filter(isTouched).map((field) => [key(field), field]) : []);
    const focused = keeps && target.contains(document.activeElement) && document.activeElement.form ? key(document.activeElement) : null;
    const before = round();
    target.addEventListener("htmx:afterSwap", () => {
      const isSame = isRemote || before === round();
      for (const field of isSame ? fields() : []) {
        const old = touched.get(key(field));
        if (old) [field.value, field.checked] = [old.value, old.checked];
        if (key(field) === focused) field.focus({ preventScroll: true });
      }
      for (const each of target.querySelectorAll("details[data-key]")) if (open.includes(each.dataset.key)) each.open = true;
    }, { once: true });
  });
  open();
})();
