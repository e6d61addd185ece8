"""A wire between a browser and the site that a test can cut, as no switch of the browser does for a service worker."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import suppress
from urllib.parse import urlsplit


class Wire:
    """An address of its own that leads to the site while the wire is whole."""

    def __init__(self, site: str) -> None:
        self.target = urlsplit(site).hostname, urlsplit(site).port
        self.is_cut = False
        self.swallows_answers = False
        """Whether what is posted arrives, and the answer to it does not."""
        self.swallows_from = re.compile(rb"POST ")
        """How a request begins whose answer is lost."""
        self.swallows = b""
        """How such an answer begins; others arrive all the same."""
        self.swallowed = 0
        self.heard = threading.Condition()
        self.ends: set[socket.socket] = set()
        self.lock = threading.Lock()
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        with self.lock:
            self.is_cut = True
        self._let_go(*self.ends)

    def mend(self) -> None:
        self.is_cut = False

    def wait_until_swallowed(self, count: int) -> None:
        with self.heard:
            assert self.heard.wait_for(lambda: self.swallowed >= count, timeout=60)

    def close(self) -> None:
        self.listening.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near = self.listening.accept()[0]
                # Whoever comes while the wire is being cut comes before or after it, and is let go in either case.
                with self.lock:
                    if self.is_cut:
                        near.close()
                        continue
                    far = socket.create_connection(self.target)
                    self.ends |= {near, far}
                posted = threading.Event()
                threading.Thread(target=self._carry, args=(near, far, posted, True), daemon=True).start()
                threading.Thread(target=self._carry, args=(far, near, posted, False), daemon=True).start()

    def _carry(self, here: socket.socket, there: socket.socket, posted: threading.Event, is_outward: bool) -> None:
        with suppress(OSError):
            while data := here.recv(65_536):
                if is_outward and self.swallows_answers and self.swallows_from.match(data):
                    posted.set()
                if not is_outward and posted.is_set() and data.startswith(self.swallows):
                    with self.heard:
                        self.swallowed += 1
                        self.heard.notify_all()
                    break
                there.sendall(data)
        self._let_go(here, there)

    def _let_go(self, *ends: socket.socket) -> None:
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
            self.ends.discard(end)
