// A screen of a live lesson: when the server says that there is something new, it asks for its own picture anew.
(() => {
  const screen = document.querySelector(".lesson-screen");
  if (!screen) return;
  const target = document.getElementById("screen");
  let source = null;
  let isAsking = false;
  let isStale = false;

  const seen = () => target.querySelector("[data-seen]")?.dataset.seen ?? "";
  const offline = (is) => { screen.querySelector(".offline").hidden = !is; };

  async function look() {
    if (isAsking) {
      isStale = true;
      return;
    }
    isAsking = true;
    isStale = false;
    try {
      await htmx.ajax("GET", `${screen.dataset.part}?seen=${encodeURIComponent(seen())}`, { target, swap: "innerHTML" });
    } finally {
      isAsking = false;
      if (isStale) look();
    }
  }

  function open() {
    source?.close();
    source = new EventSource(screen.dataset.stream);
    source.onopen = () => offline(false);
    source.onerror = () => {
      offline(true);
      if (source.readyState === EventSource.CLOSED) setTimeout(open, 2000);
    };
    source.addEventListener("changed", look);
  }

  // Whoever was sent out, or whose session is gone, is told so by the page itself.
  document.addEventListener("htmx:responseError", ({ detail }) => {
    if (detail.xhr.status === 404) location.reload();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) source?.close();
    else open();
  });
  window.addEventListener("offline", () => offline(true));
  window.addEventListener("online", open);
  // What was open on the remote stays open when the picture is drawn anew.
  target.addEventListener("htmx:beforeSwap", () => {
    const open = [...target.querySelectorAll("details[open]")].map((each) => [...target.querySelectorAll("details")].indexOf(each));
    target.addEventListener("htmx:afterSwap", () => {
      const all = target.querySelectorAll("details");
      for (const place of open) if (all[place]) all[place].open = true;
    }, { once: true });
  });
  open();
})();
