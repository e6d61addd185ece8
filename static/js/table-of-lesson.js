// A table in a lesson: this page asks the lesson whether this is still where I sit, and goes back to it if not.
// It holds the lesson's stream open too, so that who plays here counts as being there.
(() => {
  const play = document.getElementById("play");
  if (!play?.dataset.lesson) return;
  const { lesson, code } = play.dataset;
  let source = null;
  let isAsking = false;
  let isStale = false;

  async function look() {
    isStale = isAsking;
    if (isAsking) return;
    isAsking = true;
    try {
      const answer = await fetch(`${lesson}part/`, { headers: { "HX-Request": "true" } });
      const part = new DOMParser().parseFromString(await answer.text(), "text/html");
      const table = part.querySelector("[data-table]");
      if (table?.dataset.table === code) follow(table.dataset.stream);
      else if (!part.querySelector(".is-eyes-up")) location.replace(lesson);
    } catch {
      // No network: the stream of the table says so, and the lesson is asked again when it is back.
    } finally {
      isAsking = false;
      if (isStale) look();
    }
  }

  function follow(url) {
    if (source && source.readyState !== EventSource.CLOSED) return;
    source = new EventSource(url);
    source.addEventListener("changed", look);
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) setTimeout(look, 2000);
    };
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) source?.close();
    else look();
  });
  window.addEventListener("online", look);
  look();
})();
