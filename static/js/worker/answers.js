// Answers given without a network: kept, and sent when it's back.
const GUEST = "guest";

let sending = null;

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
      facts.put(
        {
          checked: done.checked + checked,
          right: done.right + right,
          lost: done.lost + lost,
          again: [...done.again, ...again],
        },
        "done",
      );
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
