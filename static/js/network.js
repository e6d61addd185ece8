// Install the service worker, tell it who the current user is, and show the visitor the state of the network.
import { install, isInstalled, onState, tell } from "./service-worker.js";

const line = document.getElementById("network");
const page = document.documentElement;
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
  const name = nameOf(state);
  const { done } = state;
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

// Which part of the line applies; none if there's nothing to say.
function nameOf({ isOnline, isSending, done, others }) {
  if (!isOnline) return isInstalled() ? "offline" : "alone";
  if (isSending) return "sending";
  if (done) return "done";
  return others && line.dataset.whose === "guest" ? "others" : "";
}

function hello() {
  const isLesson = location.pathname.startsWith("/learn/");
  const mayPrefetch = isLesson && !navigator.connection?.saveData;
  const links = mayPrefetch ? [...document.querySelectorAll("main a[href^='/learn/']")] : [];
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
  if (isInstalled()) tell({ type: "send" });
  else show({ isOnline: true });
});
if (!navigator.onLine) show({ isOnline: false });
if (navigator.serviceWorker) {
  onState(show);
  install(line.dataset.worker).then(hello, () => {});
}
