// A notice is about the last request, so the next one clears it.
document.addEventListener("htmx:beforeRequest", () => document.getElementById("notice")?.replaceChildren());

// Install the service worker, tell it who the current user is, and show the visitor the state of the network.
(() => {
  const line = document.getElementById("network");
  if (!line) return;
  const page = document.documentElement;
  const workers = navigator.serviceWorker;
  // A table and a live lesson show it themselves when they're offline.
  const isLive = Boolean(document.querySelector(".offline"));
  const [SOON, SELDOM] = [1000, 16000];
  let timer = null;
  let wasOffline = false;
  let pause = SOON;

  function show(state) {
    clearTimeout(timer);
    // Replace the offline message with the page that was requested.
    if (state.isOnline && wasOffline && document.querySelector("[data-stands-in]")) location.reload();
    wasOffline = !state.isOnline;
    pause = state.isOnline ? SOON : Math.min(2 * pause, SELDOM);
    if (!state.isOnline) timer = setTimeout(() => tell({ type: "send" }), pause);
    const { done } = state;
    const name = !state.isOnline ? (workers?.controller ? "offline" : "alone")
      : state.isSending ? "sending"
      : done ? "done"
      : state.others && line.dataset.whose === "guest" ? "others" : "";
    for (const part of line.children) {
      part.hidden = isLive || part.dataset.state !== name;
      for (const words of part.querySelectorAll("[data-words]")) {
        words.textContent = words.dataset.words.replace(/\{(\w+)\}/g, (_, key) => done?.[key] ?? state[key]);
        words.hidden = "lost" in words.dataset && !done?.lost;
      }
    }
    const again = line.querySelector("[data-again]");
    again.hidden = !done?.again.length;
    if (done?.again.length) again.href = done.again[0];
  }

  async function tell(message) {
    const registration = await workers?.ready;
    registration?.active.postMessage(message);
  }

  function hello() {
    const isLesson = location.pathname.startsWith("/learn/");
    const links = isLesson && !navigator.connection?.saveData ? [...document.querySelectorAll("main a[href^='/learn/']")] : [];
    tell({
      type: "hello",
      whose: line.dataset.whose,
      lang: page.lang,
      isKept: "kept" in page.dataset || !navigator.onLine,
      isLesson,
      links: [location.pathname, ...links.map((link) => link.pathname)],
    });
  }

  line.addEventListener("click", ({ target }) => {
    if (target.closest("[data-again], [data-close]")) tell({ type: "seen", isAgain: target.matches("[data-again]") });
  });
  window.addEventListener("offline", () => show({ isOnline: false }));
  window.addEventListener("online", () => {
    pause = SOON;
    if (workers?.controller) tell({ type: "send" });
    else show({ isOnline: true });
  });
  if (!navigator.onLine) show({ isOnline: false });
  if (!workers) return;
  workers.addEventListener("message", ({ data }) => show(data));
  workers.startMessages();
  workers.register(line.dataset.worker).then(hello, () => {});
})();
