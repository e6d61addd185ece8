// Lesson pages for the current user: from the network if it answers soon, else the cached copy, else the offline page.
const PATIENCE = 4000;
const NO_SERVER = [502, 503, 504];

const pageCacheName = (whose, lang) => `pages ${whose} ${lang}`;
const isPageCache = (name) => name.startsWith("pages ");

async function switchUser(whose, lang) {
  if (await storeUser(whose, lang))
    await deleteCaches((name) => isPageCache(name) && name !== pageCacheName(whose, lang));
}

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
    return here && (await caches.match(path, { cacheName: pageCacheName(here.whose, here.lang), ignoreVary: true }));
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
