// The service worker: caches the site's static files, and the lesson pages for the current user.
/* global VERSION, FILES, PLACES, HOUR, TWO_DAYS, getFact, storeUser, all, fillStock, takeExercise, putAnswer, sendAnswers, markSeen, tellPages */
const FILE_CACHE = `files ${VERSION}`;
const PATIENCE = 4000;
const NO_SERVER = [502, 503, 504];
const IS_HASHED = /\.[0-9a-f]{12}\.\w+$/;
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
    if (isLesson) for (const path of [...await fillStock(), ...links]) await prefetchPage(path);
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

async function switchUser(whose, lang) {
  if (await storeUser(whose, lang)) await deleteCaches((name) => isPageCache(name) && name !== pageCacheName(whose, lang));
}

// Static files: those with a content hash in their name never change; others are fetched from the network first.

async function respondWithFile(request) {
  const cache = await caches.open(FILE_CACHE);
  const copy = await cache.match(request, { ignoreVary: true });
  if (copy && IS_HASHED.test(request.url)) return copy;
  try {
    const response = await fetch(request);
    if (response.ok) cache.put(request, response.clone()).catch(() => {}); // on a full disk, respond without caching
    return response;
  } catch {
    return copy ?? Response.error();
  }
}

// Pages: from the network if it answers soon, else the cached copy, else the offline page.

const pageCacheName = (whose, lang) => `pages ${whose} ${lang}`;
const isPageCache = (name) => name.startsWith("pages ");

async function respondWithPage(event, url) {
  const answer = (async () => {
    const response = (await event.preloadResponse) ?? (await fetch(event.request));
    if (NO_SERVER.includes(response.status)) throw new Error("no server");
    return response;
  })();
  answer.catch(() => {});
  const copy = url.pathname.startsWith(PLACES.learn) ? await cachedPage(url.pathname) : undefined;
  try {
    const response = await (copy ? Promise.race([answer, timeout()]) : answer);
    if (response.headers.has("X-Whose")) event.waitUntil(cachePage(url, response.clone()));
    return response;
  } catch {
    const fallback = copy ?? (await cachedPage(PLACES.offline));
    return fallback ? markCopy(fallback) : Response.error();
  }
}

const timeout = () => new Promise((_, reject) => setTimeout(reject, PATIENCE));

// The server says with each page whose it is; pages without that header aren't cached.
async function cachePage(url, response) {
  const whose = response.headers.get("X-Whose");
  const lang = response.headers.get("Content-Language");
  if (!whose || !response.ok || response.redirected) return;
  await switchUser(whose, lang);
  if (!url.search) await (await caches.open(pageCacheName(whose, lang))).put(url.pathname, response);
}

async function prefetchPage(path) {
  const copy = await cachedPage(path);
  if (copy && Date.parse(copy.headers.get("Date")) > Date.now() - HOUR) return;
  const url = new URL(path, self.location.origin);
  await cachePage(url, await fetch(url));
}

async function cachedPage(path) {
  try {
    const here = await getFact("here");
    return here && await caches.match(path, { cacheName: pageCacheName(here.whose, here.lang), ignoreVary: true });
  } catch {
    // Pages still work in browsers that don't allow caching.
    return undefined;
  }
}

// Mark a cached copy as such, and whether its questions are too old to be answered.
async function markCopy(copy) {
  const headers = new Headers(copy.headers);
  headers.delete("Content-Encoding");
  headers.delete("Content-Length");
  const age = Date.now() - Date.parse(copy.headers.get("Date")) > TWO_DAYS ? "old" : "";
  return new Response((await copy.text()).replace("<html", `<html data-kept="${age}"`), { headers });
}

async function deleteCaches(isOutdated) {
  for (const name of await caches.keys()) if (isOutdated(name)) await caches.delete(name);
}
