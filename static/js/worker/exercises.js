// Exercises fetched ahead, so that practice goes on without a network.
const FEW = 5;

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
