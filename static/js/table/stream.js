// The table's stream, through which htmx receives each new table; the page says when it's interrupted.
import { LiveStream } from "../live-stream.js";
import { setServerTime } from "./clock.js";
import { play } from "./page.js";

let stream = null;

// Let htmx open its stream here, and call a listener when the server has told its time.
export function connect(onTime) {
  htmx.createEventSource = (url) => {
    stream = new LiveStream(url);
    stream.addEventListener("up", () => setOffline(false));
    stream.addEventListener("down", () => setOffline(true));
    stream.addEventListener("clock", ({ data }) => {
      setServerTime(Number(data));
      onTime();
    });
    return stream;
  };
}

function setOffline(isOffline) {
  play.querySelector(".offline").hidden = !isOffline;
}

if (!navigator.onLine) setOffline(true);
// A page that was only partly loaded has no stream to open.
window.addEventListener("online", () => {
  if (!stream) location.reload();
});
// The player's own moves come back by the stream, like everybody's; without a stream the response brings the table.
document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (stream?.isOpen) detail.headers["X-Live"] = "1";
});
