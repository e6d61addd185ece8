// The waiting page of a lesson: when something changes, check whether this page is still up to date.
import { coalesce } from "../coalesce.js";
import { LiveStream } from "../live-stream.js";

const door = document.getElementById("door");

const checkDoor = coalesce(async () => {
  try {
    const answer = await fetch(`${door.dataset.door}?seen=${encodeURIComponent(door.dataset.seen)}`);
    // If the lesson is gone, its page says so, so load that too.
    if (answer.status !== 204) location.replace(door.dataset.door.replace(/door\/$/, ""));
  } catch {
    // No network: the stream reconnects by itself, and then this runs again.
  }
});

new LiveStream(door.dataset.stream).addEventListener("changed", checkDoor);
