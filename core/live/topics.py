"""What one use of the live streams tells the hub: who may watch, what a screen shows, and what else there is to do."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from core.live.hub import Hub


class TopicGone(Exception):
    """What was watched isn't there any more."""


class Watch(Protocol):
    """One screen, as its token describes it."""

    @property
    def code(self) -> str: ...
    @property
    def user(self) -> int | None:
        """The key of the account that it was made for; a guest's has none."""

    @property
    def session(self) -> str:
        """Of the browser; it comes from the cookie and isn't in the token."""


W = TypeVar("W", bound=Watch)
Version = tuple[int, ...]
Group = Hashable
"""Screens of a topic that are drawn together."""
Seat = tuple[str, int]
News = tuple[str | int | bool, ...]
"""What has changed, as the bus tells it to other processes."""


class Picture(Protocol):
    """What the screens of one group show at one version."""

    @property
    def version(self) -> Version: ...
    @property
    def is_whole(self) -> bool:
        """Whether it replaces what the screen shows; otherwise it only brings that up to date."""

    @property
    def due(self) -> float | None:
        """When it next changes by itself."""

    @property
    def connected(self) -> Collection[int]:
        """The seats that it knows to be there."""

    def message(self, watch: Any) -> bytes | None:
        """The event for one screen; None where it has no place here any more."""


@dataclass(frozen=True, slots=True)
class Drawn(Generic[W]):
    """What was drawn for some screens, and those that somebody has lost the right to.

    Pictures may be drawn while they're taken: those that many wait for first.
    """

    pictures: Iterable[tuple[Any, Picture]]
    ended: Collection[W] = ()


@dataclass(frozen=True, slots=True)
class Missed(Generic[W]):
    """What nobody told us, and was found by looking."""

    news: Iterable[tuple[str, News]] = ()
    ended: Collection[W] = ()
    gone: Collection[str] = ()
    """Codes of topics that aren't there any more."""


@dataclass(slots=True)
class Watched(Generic[W]):
    """What a process watches: the screens of each topic, and the seats that they belong to."""

    watches: set[W] = field(default_factory=set)
    seats: set[Seat] = field(default_factory=set)


class TopicType(ABC, Generic[W]):
    """Whoever writes it decides what is shown. "In the thread" may use the database, all else mustn't wait."""

    name: ClassVar[str]
    """What it's called on the bus, and in figures."""
    path: ClassVar[re.Pattern[str]]
    """The address of a stream; its group `code` names the topic."""
    over: ClassVar[tuple[type[Exception], ...]] = ()
    """What says that a topic is over or gone, and that nothing is left to look after."""

    @abstractmethod
    def start(self, hub: Hub[W]) -> None:
        """Begin to tell the hub what changes in this process."""

    @abstractmethod
    def stop(self, hub: Hub[W]) -> None: ...

    @abstractmethod
    def read(self, token: str) -> W | None:
        """The screen that a token is for; None where we didn't sign it, or not lately."""

    @abstractmethod
    def group_of(self, watch: W) -> Group: ...

    @abstractmethod
    def seat_of(self, watch: W) -> int | None:
        """The seat that is there as long as one of its screens is."""

    def counted_seat(self, watch: W) -> int | None:
        """The seat whose streams are limited."""
        return self.seat_of(watch)

    @abstractmethod
    def behind(self, shown: Mapping[Group, Version], *news: Any) -> Iterable[Group]:
        """The groups that show something older than what the news are about."""

    def is_gathered(self, *news: Any) -> bool:
        """Whether such news are shown a few times a second at most."""
        return False

    def farewell(self, watch: W) -> bytes | None:
        """What a screen is told before it's closed because somebody lost their right to it."""
        return None

    # In the thread

    @abstractmethod
    def draw(
        self, code: str, watches: Collection[W], newcomers: Collection[W], shown: Mapping[Group, Picture]
    ) -> Drawn[W]:
        """What these screens show now, where some may be shown a whole picture already; raises `TopicGone`.

        The rights of newcomers haven't been checked yet.
        """

    @abstractmethod
    def without_right(self, watches: Collection[W]) -> Collection[W]:
        """Those that somebody has no right to any more."""

    @abstractmethod
    def look(self, watched: Watched[W]) -> Missed[W]:
        """What has changed without a word to this process."""

    @abstractmethod
    def came(self, code: str, seats: Collection[int]) -> None:
        """Seats have a screen here, and weren't known to be there."""

    @abstractmethod
    def left(self, seat: Seat) -> None:
        """A seat has had no screen anywhere for longer than the grace."""

    def catch_up(self, code: str) -> None:
        """Do what was due by now."""

    def tick(self) -> None:
        """Called about every second."""
