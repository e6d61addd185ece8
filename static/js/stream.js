// A live stream, for whichever page listens: closed while nobody looks, since a browser opens only six; opened again
// when somebody does. Tells of its state by the events "up" and "down".
/* exported LiveStream */
class LiveStream extends EventTarget {
  constructor(url) {
    super();
    this.url = url;
    this.names = new Set();
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.close();
      else if (!this.isOpen) this.open();
    });
    // A network that goes without a word leaves the stream open and mute.
    window.addEventListener("offline", () => this.dispatchEvent(new Event("down")));
    window.addEventListener("online", () => this.open());
    this.open();
  }

  open() {
    this.close();
    const source = this.source = new EventSource(this.url);
    source.onopen = (event) => {
      this.dispatchEvent(new Event("up"));
      this.onopen?.(event);
    };
    source.onerror = () => {
      this.dispatchEvent(new Event("down"));
      // It comes back by itself, unless the server has refused it.
      if (source.readyState === EventSource.CLOSED) setTimeout(() => { if (this.source === source) this.open(); }, 2000);
    };
    for (const name of this.names) this.listen(name);
  }

  listen(name) {
    this.source.addEventListener(name, ({ data }) => this.dispatchEvent(new MessageEvent(name, { data })));
  }

  addEventListener(name, ...rest) {
    super.addEventListener(name, ...rest);
    if (this.names.has(name)) return;
    this.names.add(name);
    this.listen(name);
  }

  get readyState() {
    return this.source.readyState;
  }

  get isOpen() {
    return this.readyState === EventSource.OPEN;
  }

  close() {
    this.source?.close();
  }
}
