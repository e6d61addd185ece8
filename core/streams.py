"""Limits on open streams: per seat, per address, and in total for this process.

A stream costs some 16 kB and a little of each push. A school shares one address, so the limits per address leave room
for many classes; they stop a script that opens streams by the thousand. When the process is full, the address with the
most streams loses its oldest, so that a few addresses can't keep everyone else out.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager


class TooManyStreams(Exception):
    """`is_total` says whether the process is full, rather than only this client having too many."""

    def __init__(self, *, is_total: bool) -> None:
        super().__init__("too many streams")
        self.is_total = is_total


class StreamLimits:
    """Counts streams on the event loop, so it needs no lock.

    A stream that was told to close stays until its client notices, so for a while there may be up to a quarter more
    than `total`. Beyond that newcomers are refused.
    """

    def __init__(
        self, *, of_seat: int = 40, of_topic_and_address: int = 300, of_address: int = 1_500, total: int = 8_000
    ) -> None:
        self.of_seat, self.of_topic_and_address = of_seat, of_topic_and_address
        self.of_address, self.total = of_address, total
        self.open = 0
        self.refused = 0
        self.closed = 0
        self._open_of: dict[str, dict[object, Callable[[], None]]] = {}
        """For each address, the function that closes each stream, oldest first; without those already told to close."""
        self._of_address: Counter[Hashable] = Counter()
        self._of_seat: dict[Hashable, deque[Callable[[], None]]] = {}

    @contextmanager
    def opened(self, topic: Hashable, seat: Hashable | None, address: str, close: Callable[[], None]) -> Iterator[None]:
        """Count a stream while it's open; raises `TooManyStreams`.

        At a seat's limit the oldest stream is closed instead: it most likely belongs to a tablet that fell asleep, and
        a refusal would keep out the tablet that just woke up.
        """
        self._check(topic, address)
        if self.open >= self.total:
            self._make_room()
        stream = object()
        self._open_of.setdefault(address, {})[stream] = close
        keys = [address, (topic, address)]
        self._of_address.update(keys)
        self.open += 1
        own = self._of_seat.setdefault((topic, seat), deque()) if seat is not None else None
        if own is not None:
            if len(own) >= self.of_seat:
                own[0]()
            own.append(close)
        try:
            yield
        finally:
            self.open -= 1
            self._forget(address, stream)
            for key in keys:
                self._of_address[key] -= 1
                if not self._of_address[key]:
                    del self._of_address[key]
            if own is not None:
                own.remove(close)
                if not own:
                    del self._of_seat[topic, seat]

    def _check(self, topic: Hashable, address: str) -> None:
        is_total = self.open >= self.total + self.total // 4
        if (
            is_total
            or self._of_address[address] >= self.of_address
            or self._of_address[topic, address] >= self.of_topic_and_address
        ):
            self.refused += 1
            raise TooManyStreams(is_total=is_total)

    def _make_room(self) -> None:
        """Close the oldest stream of the address that has the most, so that a flood closes its own."""
        if not self._open_of:
            return
        address = max(self._open_of, key=lambda each: len(self._open_of[each]))
        oldest, close = next(iter(self._open_of[address].items()))
        self._forget(address, oldest)
        self.closed += 1
        close()

    def _forget(self, address: str, stream: object) -> None:
        own = self._open_of.get(address, {})
        own.pop(stream, None)
        if not own:
            self._open_of.pop(address, None)


limits = StreamLimits()
