"""A mail server for tests that can misbehave on request."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

_DRIP_SECONDS = 30


@dataclass
class MailServer:
    hangs: bool = False
    """Accepts connections and never answers."""
    drips: str = ""
    """A command ("" for none, "HELLO" for the greeting) that's answered one letter at a time and never completely."""
    was_left: threading.Event = field(default_factory=threading.Event)
    """Set when a client disconnects from a slow answer; otherwise that lasts `_DRIP_SECONDS`."""
    answer_to_recipient: str = "250 fine"
    answer_to_mail: str = "250 taken"
    """Drop the connection once the whole mail has arrived, without an answer."""
    received: list[str] = field(default_factory=list)
    port: int = 0

    def serve(self, connection: socket.socket, is_over: threading.Event) -> None:
        with connection:
            if self.hangs:
                is_over.wait()
                return
            lines = connection.makefile("rwb")
            self._talk(lines, is_over)

    def _drip(self, lines, is_over: threading.Event) -> None:
        """Send one letter at a time, each fast enough not to hit the socket's timeout."""
        end = time.monotonic() + _DRIP_SECONDS
        try:
            while time.monotonic() < end and not is_over.wait(0.02):
                lines.write(b"2")
                lines.flush()
        except OSError:
            self.was_left.set()
        with suppress(OSError):
            lines.close()

    def _talk(self, lines, is_over: threading.Event) -> None:
        def say(text: str) -> None:
            lines.write(text.encode() + b"\r\n")
            lines.flush()

        if self.drips == "HELLO":
            self._drip(lines, is_over)
            return
        say("220 here")
        for raw in lines:
            command = raw.decode().strip().upper()
            if self.drips and command.startswith(self.drips):
                self._drip(lines, is_over)
                return
            if command.startswith("RCPT"):
                say(self.answer_to_recipient)
            elif command == "DATA":
                say("354 go on")
                text = b"".join(iter(lines.readline, b".\r\n"))
                self.received.append(text.decode())
                if not self.answer_to_mail:
                    return
                say(self.answer_to_mail)
            elif command == "QUIT":
                say("221 bye")
                return
            else:
                say("250 fine")


@contextmanager
def mail_server(**how: object) -> Iterator[MailServer]:
    server = MailServer(**how)
    is_over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server.port = listening.getsockname()[1]

        def accept() -> None:
            while True:
                try:
                    connection, _address = listening.accept()
                except OSError:
                    return
                threading.Thread(target=server.serve, args=(connection, is_over), daemon=True).start()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield server
        is_over.set()
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(timeout=10)
