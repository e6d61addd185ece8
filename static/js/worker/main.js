// The service worker's events: what it does when it's installed, when a page asks for something and when it's told to.

// Forms elsewhere may change the user, the language or the appearance, so pages must be fetched again.
const CHANGES_NOTHING_HERE = /^\/(learn|play|session|teach|lab)\//;

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(FILE_CACHE).then((cache) => cache.addAll(FILES)));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(takeOver());
});

// Old pages refer to old files.
async function takeOver() {
  await deleteCaches((name) => name !== FILE_CACHE);
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== self.location.origin) return;
  if (request.method === "POST" && !CHANGES_NOTHING_HERE.test(url.pathname)) event.waitUntil(deleteCaches(isPageCache));
  if (request.method !== "GET") return;
  if (url.pathname.startsWith("/static/")) event.respondWith(respondWithFile(request));
  else if (request.mode === "navigate") event.respondWith(respondWithPage(event, url));
});

self.addEventListener("sync", (event) => {
  event.waitUntil(sendAnswers().then((isDone) => isDone || Promise.reject(new Error("no network yet"))));
});

self.addEventListener("message", (event) => {
  const { data, ports } = event;
  const handlers = {
    hello: () => prepareOffline(data),
    put: () => putAnswer(data.answer).then(() => ports[0].postMessage(true)),
    take: () => takeExercise().then((html) => ports[0].postMessage(html)),
    send: sendAnswers,
    seen: () => markSeen(data.isAgain),
  };
  event.waitUntil(handlers[data.type]());
});

async function prepareOffline({ whose, lang, isKept, isLesson, links }) {
  if (!whose) return;
  await switchUser(whose, lang);
  const isOnline = await sendAnswersIfAny(isKept);
  if (!isOnline) return;
  try {
    for (const path of [PLACES.offline, PLACES.learn, PLACES.practice]) await prefetchPage(path);
    if (isLesson) for (const path of [...(await fillStock()), ...links]) await prefetchPage(path);
  } catch {
    // The network went away in the meantime; the next page tries again.
  }
}

async function sendAnswersIfAny(isKept) {
  const answers = await all("answers");
  if (answers.length || isKept) return sendAnswers();
  await tellPages({ isOnline: true });
  return true;
}
