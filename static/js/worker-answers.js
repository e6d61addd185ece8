// Storage of the service worker: answers waiting to be sent, prefetched exercises, and the current user.
/* global PLACES, clients, registration */
const GUEST = "guest";
const TWO_DAYS = 2 * 86_400_000; // how long a question may be answered
const HOUR = 3_600_000;
const FEW = 5;

let openedDatabase = null;
let sending = null;

function openDatabase() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("setsite", 1);
    request.onupgradeneeded = () => {
      for (const name of ["answers", "exercises"]) request.result.createObjectStore(name, { keyPath: "key", autoIncrement: true });
      request.result.createObjectStore("facts");
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

// Run work on stores in one transaction; resolves once it's committed.
async function inTransaction(names, mode, work) {
  const database = await (openedDatabase ??= openDatabase());
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(names, mode, { durability: "strict" });
    const result = work(...names.map((name) => transaction.objectStore(name)));
    transaction.oncomplete = () => resolve(result?.result);
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
  });
}

const all = (name) => inTransaction([name], "readonly", (store) => store.getAll());
const getFact = (name) => inTransaction(["facts"], "readonly", (facts) => facts.get(name));
const setFact = (name, value) => inTransaction(["facts"], "readwrite", (facts) => facts.put(value, name));

// Store the current user, whom the server names with every cacheable page. True if it's a different user than before.
async function storeUser(whose, lang) {
  const before = await getFact("here");
  if (before?.whose === whose && before.lang === lang) return false;
  await inTransaction(["facts", "exercises"], "readwrite", (facts, exercises) => {
    facts.put({ whose, lang }, "here");
    exercises.clear();
    if (before?.whose !== whose) facts.delete("done");
  });
  return true;
}

// Prefetched exercises

// Fetch more exercises if the stock is low or old; returns the pages of the current unit, to be cached too.
async function fillStock() {
  const { whose } = (await getFact("here")) ?? {};
  const stock = await all("exercises");
  if (stock.length >= FEW && stock[0].at > Date.now() - HOUR) return [];
  const response = await fetch(PLACES.ahead, { cache: "no-store" });
  if (!response.ok || response.headers.get("X-Whose") !== whose) return [];
  const { exercises, pages } = await response.json();
  await inTransaction(["exercises"], "readwrite", (store) => {
    store.clear();
    for (const html of exercises) store.add({ html, at: Date.now() });
  });
  return pages;
}

async function takeExercise() {
  const exercise = (await all("exercises")).find(({ at }) => at > Date.now() - TWO_DAYS);
  if (!exercise) return "";
  await inTransaction(["exercises"], "readwrite", (store) => store.delete(exercise.key));
  return exercise.html;
}

// Answers

async function putAnswer(answer) {
  await inTransaction(["answers"], "readwrite", (store) => store.add(answer));
  // With background sync, the browser sends them even when no page is open.
  registration.sync?.register("answers").catch(() => {});
  await tellPages({ isOnline: false });
}

// Send stored answers in order, one round at a time; a call during a round gets the next one. False means: try again.
function sendAnswers() {
  sending = (sending ?? Promise.resolve()).then(sendRound, sendRound);
  return sending;
}

async function sendRound() {
  let session;
  try {
    const response = await fetch(PLACES.later, { cache: "no-store" });
    session = await response.json();
  } catch {
    await tellPages({ isOnline: false });
    return false;
  }
  // Use one "now" for all: if each age were rounded at its own time, a later answer could end up before an earlier one.
  const now = Date.now();
  for (const answer of await all("answers")) {
    if (answer.at < Date.now() - TWO_DAYS) await recordResult(answer, { lost: 1 });
    if (answer.at < Date.now() - TWO_DAYS || belongsToOther(answer, session.whose, session.older)) continue;
    await tellPages({ isOnline: true, isSending: true });
    const response = await sendOne(answer, session.token, now);
    const status = response?.status ?? 0;
    if (status === 200) {
      const { is_right: isRight, again } = await response.json();
      await recordResult(answer, { checked: 1, right: Number(isRight), again: again ? [again] : [] });
    } else if (status === 410 || status === 422) {
      await recordResult(answer, { lost: 1 });
    } else if (status !== 409 && status !== 500) {
      // Offline again, too many requests, or the token changed: keep the rest for later.
      await tellPages({ isOnline: false });
      return false;
    }
  }
  await tellPages({ isOnline: true });
  return true;
}

async function sendOne(answer, token, now) {
  const body = new URLSearchParams(answer.form);
  body.set("whose", answer.whose);
  body.set("place", answer.place);
  body.set("ago", Math.max(0, Math.round((now - answer.at) / 1000)));
  try {
    return await fetch(PLACES.later, { method: "POST", body, headers: { "X-CSRFToken": token }, redirect: "error" });
  } catch {
    return null;
  }
}

// A guest's answers go with them when they sign in; a user's answers wait for that user.
// If the site's key has changed, the user is also known by older identifiers.
const belongsToOther = (answer, whose, older = []) => ![GUEST, whose, ...older].includes(answer.whose);

// Delete an answer and record its result, in one transaction.
async function recordResult(answer, { checked = 0, right = 0, lost = 0, again = [] }) {
  await inTransaction(["answers", "facts"], "readwrite", (answers, facts) => {
    answers.delete(answer.key);
    const asked = facts.get("done");
    asked.onsuccess = () => {
      const done = asked.result ?? { checked: 0, right: 0, lost: 0, again: [] };
      facts.put({ checked: done.checked + checked, right: done.right + right, lost: done.lost + lost, again: [...done.again, ...again] }, "done");
    };
  });
}

async function markSeen(isAgain) {
  const done = await getFact("done");
  if (isAgain && done?.again.length > 1) await setFact("done", { ...done, again: done.again.slice(1) });
  else await inTransaction(["facts"], "readwrite", (facts) => facts.delete("done"));
  await tellPages({ isOnline: true });
}

// Tell every open page the current state.
async function tellPages({ isOnline, isSending = false }) {
  const [answers, here, done] = [await all("answers"), await getFact("here"), await getFact("done")];
  const others = answers.filter((answer) => belongsToOther(answer, here?.whose)).length;
  const state = { isOnline, isSending, waiting: answers.length - others, others, done };
  for (const client of await clients.matchAll({ type: "window" })) client.postMessage(state);
}
