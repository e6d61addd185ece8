// The memory of the service worker: answers on their way to the server, exercises ahead, and who is here.
/* global PLACES, clients, registration */
const GUEST = "guest";
const TWO_DAYS = 2 * 86_400_000; // as long as a question may be answered
const HOUR = 3_600_000;
const FEW = 5;

let opened = null;
let sending = null;

function open() {
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

// Run some work on stores in one transaction; it is done when it is on the disk.
async function within(names, mode, work) {
  const database = await (opened ??= open());
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(names, mode, { durability: "strict" });
    const result = work(...names.map((name) => transaction.objectStore(name)));
    transaction.oncomplete = () => resolve(result?.result);
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
  });
}

const all = (name) => within([name], "readonly", (store) => store.getAll());
const fact = (name) => within(["facts"], "readonly", (facts) => facts.get(name));
const learn = (name, value) => within(["facts"], "readwrite", (facts) => facts.put(value, name));

// Who is here, as the server says with every page that may be kept. True if it is somebody else than before.
async function isNewcomer(whose, lang) {
  const before = await fact("here");
  if (before?.whose === whose && before.lang === lang) return false;
  await within(["facts", "exercises"], "readwrite", (facts, exercises) => {
    facts.put({ whose, lang }, "here");
    exercises.clear();
    if (before?.whose !== whose) facts.delete("done");
  });
  return true;
}

// Exercises ahead

// Fill the stock up if it is low or old; gives the pages of the current unit, to be kept with it.
async function fillStock() {
  const { whose } = (await fact("here")) ?? {};
  const stock = await all("exercises");
  if (stock.length >= FEW && stock[0].at > Date.now() - HOUR) return [];
  const response = await fetch(PLACES.ahead, { cache: "no-store" });
  if (!response.ok || response.headers.get("X-Whose") !== whose) return [];
  const { exercises, pages } = await response.json();
  await within(["exercises"], "readwrite", (store) => {
    store.clear();
    for (const html of exercises) store.add({ html, at: Date.now() });
  });
  return pages;
}

async function takeExercise() {
  const exercise = (await all("exercises")).find(({ at }) => at > Date.now() - TWO_DAYS);
  if (!exercise) return "";
  await within(["exercises"], "readwrite", (store) => store.delete(exercise.key));
  return exercise.html;
}

// Answers

async function putAnswer(answer) {
  await within(["answers"], "readwrite", (store) => store.add(answer));
  // Where the browser can, it sends them even when no page is open.
  registration.sync?.register("answers").catch(() => {});
  await tell({ isOnline: false });
}

// Send what is kept, in its order. One round at a time: whoever asks meanwhile gets the next one. False if it is to be tried again.
function sendAnswers() {
  sending = (sending ?? Promise.resolve()).then(sendRound, sendRound);
  return sending;
}

async function sendRound() {
  let desk;
  try {
    const response = await fetch(PLACES.later, { cache: "no-store" });
    desk = await response.json();
  } catch {
    await tell({ isOnline: false });
    return false;
  }
  // One moment for all of them: rounded each at its own, a later answer could come before an earlier one.
  const now = Date.now();
  for (const answer of await all("answers")) {
    if (answer.at < Date.now() - TWO_DAYS) await settle(answer, { lost: 1 });
    if (answer.at < Date.now() - TWO_DAYS || isOfOthers(answer, desk.whose, desk.older)) continue;
    await tell({ isOnline: true, isSending: true });
    const response = await sendOne(answer, desk.token, now);
    const status = response?.status ?? 0;
    if (status === 200) {
      const { is_right: isRight, again } = await response.json();
      await settle(answer, { checked: 1, right: Number(isRight), again: again ? [again] : [] });
    } else if (status === 410 || status === 422) {
      await settle(answer, { lost: 1 });
    } else if (status !== 409 && status !== 500) {
      // Gone again, too many at once, or the token has changed: all that is left waits.
      await tell({ isOnline: false });
      return false;
    }
  }
  await tell({ isOnline: true });
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

// What a guest answers goes with them when they sign in; what a user answers waits for that user.
// The site may have changed its key since: then the learner goes by an older word too.
const isOfOthers = (answer, whose, older = []) => ![GUEST, whose, ...older].includes(answer.whose);

// Forget an answer and remember what came of it, both or neither.
async function settle(answer, { checked = 0, right = 0, lost = 0, again = [] }) {
  await within(["answers", "facts"], "readwrite", (answers, facts) => {
    answers.delete(answer.key);
    const asked = facts.get("done");
    asked.onsuccess = () => {
      const done = asked.result ?? { checked: 0, right: 0, lost: 0, again: [] };
      facts.put({ checked: done.checked + checked, right: done.right + right, lost: done.lost + lost, again: [...done.again, ...again] }, "done");
    };
  });
}

async function seen(isAgain) {
  const done = await fact("done");
  if (isAgain && done?.again.length > 1) await learn("done", { ...done, again: done.again.slice(1) });
  else await within(["facts"], "readwrite", (facts) => facts.delete("done"));
  await tell({ isOnline: true });
}

// Every open page shows how it stands.
async function tell({ isOnline, isSending = false }) {
  const [answers, here, done] = [await all("answers"), await fact("here"), await fact("done")];
  const others = answers.filter((answer) => isOfOthers(answer, here?.whose)).length;
  const state = { isOnline, isSending, waiting: answers.length - others, others, done };
  for (const client of await clients.matchAll({ type: "window" })) client.postMessage(state);
}
