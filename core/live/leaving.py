"""Seats that closed their last screen in this process, until it's certain they're gone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from core.live.bus import Bus
from core.live.topics import Seat

ANSWER_SECONDS = 0.5


class Leaving:
    """Waits out a grace period, since a reload isn't leaving, then asks whether another process has a screen."""

    def __init__(self, bus: Bus, kind: str, *, is_here: Callable[[Seat], bool], gone: Callable[[Seat], None]) -> None:
        self._bus = bus
        self._question, self._answer = f"{kind} gone?", f"{kind} here"
        self._is_here, self._gone = is_here, gone
        self._in_grace: dict[Seat, asyncio.TimerHandle] = {}
        self._asked: dict[Seat, asyncio.TimerHandle] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._bus.on(self._question, self._reply)
        self._bus.on(self._answer, self.is_back)

    def stop(self) -> None:
        self._bus.off(self._question, self._reply)
        self._bus.off(self._answer, self.is_back)
        self._loop = None

    def __contains__(self, seat: Seat) -> bool:
        return seat in self._in_grace

    def begin(self, code: str, number: int, *, grace: float) -> None:
        self.is_back(code, number)
        if self._loop:
            self._in_grace[code, number] = self._loop.call_later(grace, self.end, code, number)

    def is_back(self, code: str, number: int) -> None:
        for waiting in (self._in_grace, self._asked):
            timer = waiting.pop((code, number), None)
            if timer:
                timer.cancel()

    def end(self, code: str, number: int) -> None:
        """End the grace period: ask the other processes, if any."""
        self.is_back(code, number)
        if self._loop is None:
            return
        if self._bus.is_shared:
            self._bus.tell(self._question, code, number)
            self._asked[code, number] = self._loop.call_later(ANSWER_SECONDS, self._no_answer, code, number)
        else:
            self._gone((code, number))

    def _reply(self, code: str, number: int) -> None:
        """Answer another process. A seat in its grace period here counts too, since we're still handling it."""
        if self._is_here((code, number)) or (code, number) in self._in_grace:
            self._bus.tell(self._answer, code, number)

    def _no_answer(self, code: str, number: int) -> None:
        del self._asked[code, number]
        self._gone((code, number))
