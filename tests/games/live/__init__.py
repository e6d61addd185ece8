"""A screen of the live table: an open stream of the running site, read the way a browser reads it."""

from __future__ import annotations

import http.client
import re
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from urllib.parse import urlsplit

from django.conf import settings

from games.live import tokens

PATIENCE = 60.0
"""Seconds to wait for an expected event before failing."""


@dataclass(frozen=True)
class Table:
    """The table as shown by one stream message."""

    html: str

    @property
    def version(self) -> int:
        return int(self._data("version"))

    @property
    def control(self) -> int | None:
        text = self._data("control")
        return int(text) if text else None

    @property
    def cards(self) -> list[int]:
        return [int(number) for number in re.findall(r'name="card" value="(\d+)"', self.html)]

    def points(self, seat: int) -> int:
        return int(re.search(r"points:</span>(-?\d+)<", self._seat(seat))[1])

    def is_away(self, seat: int) -> bool:
        return "is-away" in self._seat(seat)

    def _data(self, name: str) -> str:
        return re.search(rf'data-{name}="([^"]*)"', self.html)[1]

    def _seat(self, number: int) -> str:
        return re.search(rf'<li class="seat seat-{number}[ "].*?</li>', self.html)[0]


class Screen:
    """A stream that's read message by message, and only on request."""

    def __init__(
        self,
        site: str,
        path: str,
        *,
        session: str = "",
        method: str = "GET",
        buffer: int | None = None,
        seconds: float = PATIENCE,
    ) -> None:
        address = urlsplit(site)
        self.path = path
        self.connection = http.client.HTTPConnection(address.hostname, address.port)
        self.connection.sock = socket.socket()
        self.connection.sock.settimeout(seconds)
        if buffer:
            self.connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.connection.sock.connect((address.hostname, address.port))
        cookies = {"Cookie": f"{settings.SESSION_COOKIE_NAME}={session}"} if session else {}
        self.connection.request(method, path, headers=cookies)
        self.response = self.connection.getresponse()
        self.status = self.response.status

    @classmethod
    def of(cls, site: str, code: str, *, seat: int | None = None, language: str = "en-us", **more) -> Screen:
        """A screen opened with a valid token."""
        return cls(site, stream_path(code, tokens.sign(tokens.TableWatch(code, seat, language))), **more)

    def message(self) -> tuple[str, bytes]:
        """The next message: its name and its full bytes."""
        lines: list[bytes] = []
        while not lines or lines[-1] != b"\n":
            line = self.response.readline()
            if not line:
                raise EOFError("the stream has ended")
            lines.append(line)
        name = next((line for line in lines if line.startswith(b"event: ")), b"event: \n")
        return name[7:-1].decode(), b"".join(lines)

    def data(self, wanted: str) -> bytes:
        """The data of the next message with this name, skipping heartbeats."""
        deadline = time.monotonic() + PATIENCE
        while True:
            name, content = self.message()
            assert time.monotonic() < deadline, f"no {wanted} has come"
            if name == wanted:
                return content.partition(b"data: ")[2][:-2]

    def table(self, until: Callable[[Table], bool] = lambda table: True) -> Table:
        """The next table that fulfills the condition."""
        deadline = time.monotonic() + PATIENCE
        while True:
            table = Table(self.data("table").decode())
            if until(table):
                return table
            assert time.monotonic() < deadline, f"the last table was {table.html}"

    def close(self) -> None:
        self.response.close()
        self.connection.close()

    def __enter__(self) -> Screen:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def stream_path(code: str, token: str) -> str:
    return f"/play/{code}/stream/?token={token}"
