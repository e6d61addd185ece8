// Before the door of a lesson: when something changes there, ask whether the door is still as this page shows it.
(() => {
  const door = document.getElementById("door");
  if (!door) return;
  let source = null;

  async function look() {
    try {
      const answer = await fetch(`${door.dataset.door}?seen=${encodeURIComponent(door.dataset.seen)}`);
      // A lesson that's gone is told by its page, too.
      if (answer.status !== 204) location.replace(door.dataset.door.replace(/door\/$/, ""));
    } catch {
      // No network: the stream comes back by itself, and then we look again.
    }
  }

  function open() {
    source?.close();
    source = new EventSource(door.dataset.stream);
    source.addEventListener("changed", look);
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) setTimeout(open, 2000);
    };
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) source?.close();
    else open();
  });
  window.addEventListener("online", open);
  open();
})();
