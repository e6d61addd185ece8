// A screen in a live lesson: the server pushes what it shows.
/* global LiveStream */
(() => {
  const screen = document.querySelector(".lesson-screen");
  if (!screen) return;
  const target = document.getElementById("screen");
  const isRemote = screen.matches(".remote");
  let isAsking = false;
  let isStale = false;
  let waiting = null; // the update that came while a confirmation was open
  let news = null; // the latest message that updates a picture

  const shown = () => target.querySelector("[data-seen]")?.dataset.seen ?? "";
  // Versions are numbers separated by dots. Positive: this is newer than what's shown.
  function compare(html) {
    const now = /data-seen="([\d.]+)"/.exec(html)?.[1].split(".");
    const old = shown().split(".");
    if (!now) return 1;
    const place = now.findIndex((number, at) => Number(number) !== Number(old[at] ?? 0));
    return place < 0 ? 0 : Number(now[place]) - Number(old[place] ?? 0);
  }
  const offline = (is) => { screen.querySelector(".offline").hidden = !is; };

  // Don't replace a form while its confirmation is open, whatever others do.
  const dialog = document.getElementById("ask");
  dialog?.addEventListener("close", () => setTimeout(() => {
    // Wait until now, because after a "yes" htmx sends the form first, and only if it's still on the page.
    if (waiting) show(waiting);
    if (isStale) fetchScreen();
  }));

  function show(html) {
    waiting = dialog?.open ? html : null;
    if (waiting || compare(html) <= 0) return;
    const restore = saveState();
    htmx.trigger(target, "htmx:sseBeforeMessage");
    htmx.swap(target, html, { swapStyle: "innerHTML" });
    restore();
    if (news) update(news);
  }

  // A new answer changes only the count and who is marked as having answered, so the server sends only those.
  function update(html) {
    news = html;
    const now = target.querySelector("[data-seen]");
    const piece = new DOMParser().parseFromString(html, "text/html").querySelector("[data-seen]");
    if (!now || compare(html) <= 0 || piece.dataset.seen.split(".")[0] !== shown().split(".")[0]) return;
    now.dataset.seen = piece.dataset.seen;
    const [old, count] = [now, piece].map((each) => each.querySelector(".count"));
    if (old && count && old.outerHTML !== count.outerHTML) [old.className, old.textContent] = [count.className, count.textContent];
    const badge = piece.querySelector("[data-answered]");
    for (const number of badge?.dataset.answered.split(" ") ?? []) {
      const person = now.querySelector(`[data-person="${number}"]`);
      if (!person || person.querySelector(".is-answered")) continue;
      const own = badge.cloneNode(true);
      delete own.dataset.answered;
      person.querySelector("summary").append(" ", own);
      person.querySelector(".paper-answer")?.remove();
    }
  }

  // Fetch the screen when the stream can't bring it: this screen may no longer be ours.
  async function fetchScreen() {
    if (isAsking || dialog?.open) {
      isStale = true;
      return;
    }
    isAsking = true;
    isStale = false;
    try {
      await htmx.ajax("GET", `${screen.dataset.part}?seen=${encodeURIComponent(shown())}`, { target, swap: "innerHTML" });
    } finally {
      isAsking = false;
      if (isStale) fetchScreen();
    }
  }

  const stream = new LiveStream(screen.dataset.stream);
  stream.addEventListener("up", () => offline(false));
  stream.addEventListener("down", () => offline(true));
  stream.addEventListener("part", ({ data }) => show(data));
  stream.addEventListener("news", ({ data }) => update(data));
  stream.addEventListener("changed", fetchScreen);
  // The result of a remote's action comes by the stream, or with the response if there's no stream.
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (isRemote && stream.isOpen) detail.headers["X-Live"] = "1";
  });

  // The page itself tells people that they were removed or that the session is gone.
  document.addEventListener("htmx:responseError", ({ detail }) => {
    if (detail.xhr.status === 404) location.reload();
  });

  // When someone else's action redraws the picture, keep what's open, marked and half filled in. Only the user's own
  // action clears their device; marks from another round mean nothing in this one.
  const fields = () => [...target.querySelectorAll("form :is(input:not([type=hidden]), select)")];
  const isBox = (field) => field.matches("[type=checkbox], [type=radio]");
  const key = (field) => `${field.form.action} ${field.name} ${isBox(field) ? field.value : ""}`;
  const isTouched = (field) => isBox(field) ? field.checked !== field.defaultChecked
    : field.matches("select") ? ![...field.options].every((each) => each.selected === each.defaultSelected) : field.value !== field.defaultValue;
  const round = () => ["activity", "round"].map((name) => target.querySelector(`[name=${name}]`)?.value ?? "").join("/");

  // Save the state of the current picture; returns a function that restores it in the next.
  function saveState(isOwn = false) {
    const open = [...target.querySelectorAll("details[open][data-key]")].map((each) => each.dataset.key);
    const keeps = isRemote || !isOwn;
    const touched = new Map(keeps ? fields().filter(isTouched).map((field) => [key(field), field]) : []);
    const focused = keeps && target.contains(document.activeElement) && document.activeElement.form ? key(document.activeElement) : null;
    const before = round();
    return () => {
      const isSame = isRemote || before === round();
      for (const field of isSame ? fields() : []) {
        const old = touched.get(key(field));
        if (old) [field.value, field.checked] = [old.value, old.checked];
        if (key(field) === focused) field.focus({ preventScroll: true });
      }
      for (const each of target.querySelectorAll("details[data-key]")) if (open.includes(each.dataset.key)) each.open = true;
    };
  }

  target.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const isOwn = detail.requestConfig.verb !== "get";
    if (!isOwn && dialog?.open) isStale = true;
    // A fetch from before the user's action may arrive after the action's response and be older; and the response may
    // arrive after something newer.
    const is = compare(detail.serverResponse);
    if (isOwn ? is < 0 : dialog?.open || is <= 0) detail.shouldSwap = false;
    if (detail.shouldSwap) target.addEventListener("htmx:afterSwap", saveState(isOwn), { once: true });
  });
})();
