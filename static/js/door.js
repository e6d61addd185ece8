// Before the door of a lesson: when something changes there, ask whether the door is still as this page shows it.
/* global LiveStream */
(() => {
  const door = document.getElementById("door");
  if (!door) return;

  async function look() {
    try {
      const answer = await fetch(`${door.dataset.door}?seen=${encodeURIComponent(door.dataset.seen)}`);
      // A lesson that's gone is told by its page, too.
      if (answer.status !== 204) location.replace(door.dataset.door.replace(/door\/$/, ""));
    } catch {
      // No network: the stream comes back by itself, and then we look again.
    }
  }

  new LiveStream(door.dataset.stream).addEventListener("changed", look);
})();
