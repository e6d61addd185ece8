// A server-sent event stream that closes while the page is hidden, because browsers allow only six connections, and
// reopens when it's visible again. Fires "up" and "down" when its state changes.
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
    // When the network vanishes, the stream stays open but silent, so watch for silence.
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
      // EventSource reconnects by itself unless the server refused it.
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
