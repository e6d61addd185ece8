// The service worker's database: answers waiting to be sent, prefetched exercises, and facts such as the current user.
const HOUR = 3_600_000;
const TWO_DAYS = 48 * HOUR; // how long a question may be answered

let openedDatabase = null;

function openDatabase() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("setsite", 1);
    request.onupgradeneeded = () => {
      for (const name of ["answers", "exercises"])
        request.result.createObjectStore(name, { keyPath: "key", autoIncrement: true });
      request.result.createObjectStore("facts");
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

// Run work on stores in one transaction; resolves once it's committed.
async function inTransaction(names, mode, work) {
  openedDatabase ??= openDatabase();
  const database = await openedDatabase;
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
