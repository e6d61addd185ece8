// A table in a lesson: the lesson says whether this is still where I sit; if not, this page goes back to it.
// It holds the lesson's stream open too, so that who plays here counts as being there.
/* global LiveStream */
(() => {
  const play = document.getElementById("play");
  if (!play?.dataset.lesson) return;
  const { lesson, code } = play.dataset;
  let stream = null;

  async function look() {
    try {
      const answer = await fetch(`${lesson}part/`, { headers: { "HX-Request": "true" } });
      show(await answer.text());
    } catch {
      // No network: the stream of the table says so, and the lesson is asked again when it is back.
    }
  }

  function show(html) {
    const part = new DOMParser().parseFromString(html, "text/html");
    const table = part.querySelector("[data-table]");
    if (table?.dataset.table === code) follow(table.dataset.stream);
    else if (!part.querySelector(".is-eyes-up")) location.replace(lesson);
  }

  function follow(url) {
    if (stream) return;
    stream = new LiveStream(url);
    stream.addEventListener("part", ({ data }) => show(data));
    stream.addEventListener("changed", look);
  }

  // Back from another tab, or the network is back: until there is a stream, nobody else tells us.
  document.addEventListener("visibilitychange", () => { if (!document.hidden && !stream) look(); });
  window.addEventListener("online", () => { if (!stream) look(); });
  look();
})();
