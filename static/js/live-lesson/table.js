// A table in a lesson: check with the lesson whether the student still sits here; if not, go back to the lesson.
// It also keeps the lesson's stream open, so that students who play here count as present.
import { coalesce } from "../coalesce.js";
import { LiveStream } from "../live-stream.js";

const { lesson, code } = document.getElementById("play").dataset;
let stream = null;

const checkLesson = coalesce(async () => {
  try {
    const answer = await fetch(`${lesson}part/`, { headers: { "HX-Request": "true" } });
    show(await answer.text());
  } catch {
    // No network: the table's stream shows that, and this asks again when it's back.
  }
});

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
  stream.addEventListener("changed", checkLesson);
}

function checkUnlessFollowed() {
  if (!stream) checkLesson();
}

// The tab is visible or online again: ask now, because nothing else tells us until the stream is open.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) checkUnlessFollowed();
});
window.addEventListener("online", checkUnlessFollowed);
checkLesson();
