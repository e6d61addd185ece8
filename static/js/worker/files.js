// Static files: those with a content hash in their name never change; others are fetched from the network first.
const FILE_CACHE = `files ${VERSION}`;
const IS_HASHED = /\.[0-9a-f]{12}\.\w+$/;

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

async function deleteCaches(isOutdated) {
  for (const name of await caches.keys()) if (isOutdated(name)) await caches.delete(name);
}
