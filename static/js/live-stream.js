// A server-sent event stream that closes while the page is hidden, because browsers allow only six connections, and
// reopens when it's visible again. Fires "up" and "down" when its state changes.
const RETRY_AFTER = 2000;

export class LiveStream extends EventTarget {
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
    const source = new EventSource(this.url);
    this.source = source;
    source.onopen = (event) => {
      this.dispatchEvent(new Event("up"));
      this.onopen?.(event);
    };
    source.onerror = () => {
      this.dispatchEvent(new Event("down"));
      // EventSource reconnects by itself unless the server refused it.
      if (source.readyState === EventSource.CLOSED) setTimeout(() => this.reopen(source), RETRY_AFTER);
    };
    for (const name of this.names) this.listen(name);
  }

  // Open a new stream unless there's one already.
  reopen(source) {
    if (this.source === source) this.open();
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
