"""Limits on connections waiting for a request: slow headers are cut off, and idle connections make room for new ones.

uvicorn has a timeout between two requests but none within one. `core.http.wsgi_adapter` limits the time of a body.
"""

from __future__ import annotations

import asyncio
from typing import Any

from core.clients import network_of

HEADER_SECONDS = 20.0
"""For all headers of a request, from the start of the connection or from their first byte."""
MOST_IDLE = 4_000


class Idle:
    """Connections with no request in progress, by address, in the order in which they became idle."""

    def __init__(self, most: int = MOST_IDLE) -> None:
        self.most = most
        self.count = 0
        self.closed = 0
        self._of: dict[str, dict[PatientProtocol, None]] = {}

    def add(self, connection: PatientProtocol) -> None:
        own = self._of.setdefault(connection.address, {})
        if connection in own:
            return
        if self.count >= self.most:
            self._make_room()
        self._of.setdefault(connection.address, {})[connection] = None
        self.count += 1

    def remove(self, connection: PatientProtocol) -> None:
        own = self._of.get(connection.address, {})
        if connection in own:
            del own[connection]
            self.count -= 1
            if not own:
                del self._of[connection.address]

    def _make_room(self) -> None:
        """Close the oldest connection of the address that has the most, so that a flood closes its own."""
        most: dict[PatientProtocol, None] = max(self._of.values(), key=len)
        oldest = next(iter(most))
        self.remove(oldest)
        self.closed += 1
        oldest.transport.abort()


idle = Idle()


class PatientProtocol(asyncio.Protocol):
    """Mixin for a uvicorn protocol; uses its `loop`, `transport`, `client` and `cycle`."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    client: tuple[str, int] | None
    cycle: Any
    address = ""
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.address = network_of(self.client[0]) if self.client else ""
        self._expect_headers()
        idle.add(self)

    def data_received(self, data: bytes) -> None:
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._stop_timer()
            idle.remove(self)
        elif (before is None or before.response_complete) and self._timer is None:
            self._expect_headers()

    def on_response_complete(self) -> None:
        super().on_response_complete()  # type: ignore[misc]
        if not self.transport.is_closing():
            idle.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        idle.remove(self)
        super().connection_lost(exc)

    def _expect_headers(self) -> None:
        self._timer = self.loop.call_later(HEADER_SECONDS, self._too_slow)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_slow(self) -> None:
        self._timer = None
        self.transport.close()


def patient(base: type[asyncio.Protocol]) -> type[asyncio.Protocol]:
    """Add these limits to one of uvicorn's protocols."""
    return type("Patient", (PatientProtocol, base), {})
