// The service worker: keeps the files of the site, and of its pages those of the lessons, for who is here now.
/* global VERSION, FILES, PLACES, HOUR, TWO_DAYS, fact, isNewcomer, all, fillStock, takeExercise, putAnswer, sendAnswers, seen, tell */
const FILE_CACHE = `files ${VERSION}`;
const PATIENCE = 4000;
const NO_SERVER = [502, 503, 504];
const IS_HASHED = /\.[0-9a-f]{12}\.\w+$/;
// Elsewhere a form may change who is here, in which language, and how pages look.
const CHANGES_NOTHING_HERE = /^\/(learn|play|session|teach|lab)\//;

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(FILE_CACHE).then((cache) => cache.addAll(FILES)));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(takeOver());
});

// Pages of before name files of before.
async function takeOver() {
  await forget((name) => name !== FILE_CACHE);
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== self.location.origin) return;
  if (request.method === "POST" && !CHANGES_NOTHING_HERE.test(url.pathname)) event.waitUntil(forget(isOfPages));
  if (request.method !== "GET") return;
  if (url.pathname.startsWith("/static/")) event.respondWith(file(request));
  else if (request.mode === "navigate") event.respondWith(page(event, url));
});

self.addEventListener("sync", (event) => {
  event.waitUntil(sendAnswers().then((isDone) => isDone || Promise.reject(new Error("no network yet"))));
});

self.addEventListener("message", (event) => {
  const { data, ports } = event;
  const deeds = {
    hello: () => welcome(data),
    put: () => putAnswer(data.answer).then(() => ports[0].postMessage(true)),
    take: () => takeExercise().then((html) => ports[0].postMessage(html)),
    send: sendAnswers,
    seen: () => seen(data.isAgain),
  };
  event.waitUntil(deeds[data.type]());
});

async function welcome({ whose, lang, isKept, isLesson, links }) {
  if (!whose) return;
  await meet(whose, lang);
  const isOnline = await sendAnswersIfAny(isKept);
  if (!isOnline) return;
  try {
    for (const path of [PLACES.offline, PLACES.learn, PLACES.practice]) await keepAhead(path);
    if (isLesson) for (const path of [...await fillStock(), ...links]) await keepAhead(path);
  } catch {
    // The network went in between; the next page tries again.
  }
}

async function sendAnswersIfAny(isKept) {
  const answers = await all("answers");
  if (answers.length || isKept) return sendAnswers();
  await tell({ isOnline: true });
  return true;
}

async function meet(whose, lang) {
  if (await isNewcomer(whose, lang)) await forget((name) => isOfPages(name) && name !== pagesOf(whose, lang));
}

// Files: a name that carries its content never changes; any other is asked for anew while it can be.

async function file(request) {
  const cache = await caches.open(FILE_CACHE);
  const copy = await cache.match(request, { ignoreVary: true });
  if (copy && IS_HASHED.test(request.url)) return copy;
  try {
    const response = await fetch(request);
    if (response.ok) cache.put(request, response.clone()).catch(() => {}); // a full disk keeps nothing, and shows it all the same
    return response;
  } catch {
    return copy ?? Response.error();
  }
}

// Pages: from the network if it answers soon, else the copy, else a kind word.

const pagesOf = (whose, lang) => `pages ${whose} ${lang}`;
const isOfPages = (name) => name.startsWith("pages ");

async function page(event, url) {
  const answer = (async () => {
    const response = (await event.preloadResponse) ?? (await fetch(event.request));
    if (NO_SERVER.includes(response.status)) throw new Error("no server");
    return response;
  })();
  answer.catch(() => {});
  const copy = url.pathname.startsWith(PLACES.learn) ? await cached(url.pathname) : undefined;
  try {
    const response = await (copy ? Promise.race([answer, patience()]) : answer);
    if (response.headers.has("X-Whose")) event.waitUntil(keep(url, response.clone()));
    return response;
  } catch {
    const instead = copy ?? (await cached(PLACES.offline));
    return instead ? marked(instead) : Response.error();
  }
}

const patience = () => new Promise((_, reject) => setTimeout(reject, PATIENCE));

// The server says with the page whose it is; without that word it is not kept.
async function keep(url, response) {
  const whose = response.headers.get("X-Whose");
  const lang = response.headers.get("Content-Language");
  if (!whose || !response.ok || response.redirected) return;
  await meet(whose, lang);
  if (!url.search) await (await caches.open(pagesOf(whose, lang))).put(url.pathname, response);
}

async function keepAhead(path) {
  const copy = await cached(path);
  if (copy && Date.parse(copy.headers.get("Date")) > Date.now() - HOUR) return;
  const url = new URL(path, self.location.origin);
  await keep(url, await fetch(url));
}

async function cached(path) {
  try {
    const here = await fact("here");
    return here && await caches.match(path, { cacheName: pagesOf(here.whose, here.lang), ignoreVary: true });
  } catch {
    // A browser that lets nothing be kept still shows pages.
    return undefined;
  }
}

// A copy says that it is one, and whether its questions are too old to be answered.
async function marked(copy) {
  const headers = new Headers(copy.headers);
  headers.delete("Content-Encoding");
  headers.delete("Content-Length");
  const age = Date.now() - Date.parse(copy.headers.get("Date")) > TWO_DAYS ? "old" : "";
  return new Response((await copy.text()).replace("<html", `<html data-kept="${age}"`), { headers });
}

async function forget(isMeant) {
  for (const name of await caches.keys()) if (isMeant(name)) await caches.delete(name);
}
