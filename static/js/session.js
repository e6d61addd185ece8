// A screen of a live lesson: the server sends it what there is to see.
/* global LiveStream */
(() => {
  const screen = document.querySelector(".lesson-screen");
  if (!screen) return;
  const target = document.getElementById("screen");
  const isRemote = screen.matches(".remote");
  let isAsking = false;
  let isStale = false;
  let waiting = null; // what came while a question was open
  let news = null; // what came last that brings a picture up to date

  const shown = () => target.querySelector("[data-seen]")?.dataset.seen ?? "";
  // Versions are numbers with points between them. Above zero: this is newer than what's shown.
  function compare(html) {
    const now = /data-seen="([\d.]+)"/.exec(html)?.[1].split(".");
    const old = shown().split(".");
    if (!now) return 1;
    const place = now.findIndex((number, at) => Number(number) !== Number(old[at] ?? 0));
    return place < 0 ? 0 : Number(now[place]) - Number(old[place] ?? 0);
  }
  const offline = (is) => { screen.querySelector(".offline").hidden = !is; };

  // A form about which a question is open is not taken away by what others do.
  const dialog = document.getElementById("ask");
  dialog?.addEventListener("close", () => setTimeout(() => {
    // Only now: whoever has said yes sends that form first, and htmx sends none that isn't on the page any more.
    if (waiting) show(waiting);
    if (isStale) look();
  }));

  function show(html) {
    waiting = dialog?.open ? html : null;
    if (waiting || compare(html) <= 0) return;
    const bring = keep();
    htmx.trigger(target, "htmx:sseBeforeMessage");
    htmx.swap(target, html, { swapStyle: "innerHTML" });
    bring();
    if (news) update(news);
  }

  // An answer that came changes the count, and who is marked as having answered: that's all that's sent then.
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

  // Where a stream can't tell what there is to see: this screen may not be mine any more.
  async function look() {
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
      if (isStale) look();
    }
  }

  const stream = new LiveStream(screen.dataset.stream);
  stream.addEventListener("up", () => offline(false));
  stream.addEventListener("down", () => offline(true));
  stream.addEventListener("part", ({ data }) => show(data));
  stream.addEventListener("news", ({ data }) => update(data));
  stream.addEventListener("changed", look);
  // What the remote does comes back by its stream; without one the answer brings it.
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (isRemote && stream.isOpen) detail.headers["X-Live"] = "1";
  });

  // Whoever was sent out, or whose session is gone, is told so by the page itself.
  document.addEventListener("htmx:responseError", ({ detail }) => {
    if (detail.xhr.status === 404) location.reload();
  });

  // A picture that is drawn anew because of somebody else keeps what is open, marked and half filled in. Only what I
  // have sent myself clears my device; and what was marked for another round means nothing in this one.
  const fields = () => [...target.querySelectorAll("form :is(input:not([type=hidden]), select)")];
  const isBox = (field) => field.matches("[type=checkbox], [type=radio]");
  const key = (field) => `${field.form.action} ${field.name} ${isBox(field) ? field.value : ""}`;
  const isTouched = (field) => isBox(field) ? field.checked !== field.defaultChecked
    : field.matches("select") ? ![...field.options].every((each) => each.selected === each.defaultSelected) : field.value !== field.defaultValue;
  const round = () => ["activity", "round"].map((name) => target.querySelector(`[name=${name}]`)?.value ?? "").join("/");

  // What's to be kept of the present picture; the function brings it back into the next.
  function keep(isOwn = false) {
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
    // What was asked for before I sent something may come after its answer, and does not know of it; and the answer
    // may come after something newer.
    const is = compare(detail.serverResponse);
    if (isOwn ? is < 0 : dialog?.open || is <= 0) detail.shouldSwap = false;
    if (detail.shouldSwap) target.addEventListener("htmx:afterSwap", keep(isOwn), { once: true });
  });
})();
