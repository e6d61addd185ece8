// A screen in a live lesson: the server pushes what it shows.
import { coalesce } from "../coalesce.js";
import { LiveStream } from "../live-stream.js";
import { saveState } from "./form-state.js";
import { showLatestNews, showNews } from "./news.js";
import { compare, shown } from "./version.js";

const screen = document.querySelector(".lesson-screen");
const target = document.getElementById("screen");
const isRemote = screen.matches(".remote");
const dialog = document.getElementById("ask");
let waiting = null; // the update that came while a confirmation was open
let isStale = false; // whether a fetch was called off because a confirmation was open

function show(html) {
  waiting = dialog?.open ? html : null;
  if (waiting || compare(html, target) <= 0) return;
  const restore = saveState(target, { isRemote });
  htmx.trigger(target, "htmx:sseBeforeMessage");
  htmx.swap(target, html, { swapStyle: "innerHTML" });
  restore();
  showLatestNews(target);
}

// Fetch the screen when the stream can't bring it: this screen may no longer be ours.
const fetchScreen = coalesce(async () => {
  isStale = Boolean(dialog?.open);
  if (isStale) return;
  const address = `${screen.dataset.part}?seen=${encodeURIComponent(shown(target))}`;
  await htmx.ajax("GET", address, { target, swap: "innerHTML" });
});

// Don't replace a form while its confirmation is open, whatever others do.
dialog?.addEventListener("close", () => {
  // Wait until now, because after a "yes" htmx sends the form first, and only if it's still on the page.
  setTimeout(() => {
    if (waiting) show(waiting);
    if (isStale) fetchScreen();
  });
});

target.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const isOwn = detail.requestConfig.verb !== "get";
  if (!isOwn && dialog?.open) isStale = true;
  // A fetch from before the user's action may arrive after the action's response and be older; and the response may
  // arrive after something newer.
  const is = compare(detail.serverResponse, target);
  if (isOwn ? is < 0 : dialog?.open || is <= 0) detail.shouldSwap = false;
  if (!detail.shouldSwap) return;
  target.addEventListener("htmx:afterSwap", saveState(target, { isRemote, isOwn }), { once: true });
});

function setOffline(isOffline) {
  screen.querySelector(".offline").hidden = !isOffline;
}

const stream = new LiveStream(screen.dataset.stream);
stream.addEventListener("up", () => setOffline(false));
stream.addEventListener("down", () => setOffline(true));
stream.addEventListener("part", ({ data }) => show(data));
stream.addEventListener("news", ({ data }) => showNews(data, target));
stream.addEventListener("changed", fetchScreen);

// The result of a remote's action comes by the stream, or with the response if there's no stream.
document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (isRemote && stream.isOpen) detail.headers["X-Live"] = "1";
});
// The page itself tells people that they were removed or that the session is gone.
document.addEventListener("htmx:responseError", ({ detail }) => {
  if (detail.xhr.status === 404) location.reload();
});
