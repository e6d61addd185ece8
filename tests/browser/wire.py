"""A proxy between browser and site that tests can cut; browsers' offline switches don't affect service workers."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import suppress
from urllib.parse import urlsplit


class Wire:
    """A port that forwards to the site while the connection is up."""

    def __init__(self, site: str) -> None:
        self.target = urlsplit(site).hostname, urlsplit(site).port
        self.is_cut = False
        self.swallows_answers = False
        """Whether POST requests arrive but their responses don't."""
        self.swallows_from = re.compile(rb"POST ")
        """Start of the requests whose response is lost."""
        self.swallows = b""
        """Start of the responses that get lost; others arrive."""
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

    def restore(self) -> None:
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
                # A connection made while the wire is being cut counts as before or after, and is closed either way.
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
