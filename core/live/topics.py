"""The interface between the hub and each kind of topic: who may watch, and what a screen shows."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from core.live.hub import Hub


class TopicGone(Exception):
    """The watched topic no longer exists."""


class Watch(Protocol):
    """One screen, as its token describes it."""

    @property
    def code(self) -> str: ...
    @property
    def user(self) -> int | None:
        """Primary key of the account the token was made for; None for a guest's."""

    @property
    def session(self) -> str:
        """The browser's session key; it comes from the cookie and isn't in the token."""


W = TypeVar("W", bound=Watch)
Version = tuple[int, ...]
Group = Hashable
"""Identifies screens of a topic that are drawn together."""
Seat = tuple[str, int]
News = tuple[str | int | bool, ...]
"""What has changed, as sent over the bus."""


class Picture(Protocol):
    """What the screens of one group show at one version."""

    @property
    def version(self) -> Version: ...
    @property
    def is_whole(self) -> bool:
        """Whether it replaces what the screen shows, rather than updating it."""

    @property
    def due(self) -> float | None:
        """When it next changes on its own (a timestamp)."""

    @property
    def connected(self) -> Collection[int]:
        """The seats it was drawn as connected."""

    def message(self, watch: Any) -> bytes | None:
        """The event for one screen; None if the screen no longer belongs here."""


@dataclass(frozen=True, slots=True)
class Drawn(Generic[W]):
    """The pictures for some screens, and the screens that have lost their right.

    Pictures may be drawn lazily, as they're iterated, so that those with many viewers come first.
    """

    pictures: Iterable[tuple[Any, Picture]]
    ended: Collection[W] = ()


@dataclass(frozen=True, slots=True)
class Missed(Generic[W]):
    """Changes that no message reported, found by checking the database."""

    news: Iterable[tuple[str, News]] = ()
    ended: Collection[W] = ()
    gone: Collection[str] = ()
    """Codes of topics that no longer exist."""


@dataclass(slots=True)
class Watched(Generic[W]):
    """What a process watches: the screens of each topic, and their seats."""

    watches: set[W] = field(default_factory=set)
    seats: set[Seat] = field(default_factory=set)


class TopicType(ABC, Generic[W]):
    """Base class for a kind of topic. Methods under "In the thread" may use the database; the others mustn't block."""

    name: ClassVar[str]
    """Its name on the bus and in metrics."""
    path: ClassVar[re.Pattern[str]]
    """The stream's URL path; its group `code` names the topic."""
    over: ClassVar[tuple[type[Exception], ...]] = ()
    """Exceptions which mean that a topic is over or gone, so there's nothing left to do."""

    @abstractmethod
    def start(self, hub: Hub[W]) -> None:
        """Start telling the hub what changes in this process."""

    @abstractmethod
    def stop(self, hub: Hub[W]) -> None: ...

    @abstractmethod
    def read(self, token: str) -> W | None:
        """The screen a token is for; None if we didn't sign it or it has expired."""

    @abstractmethod
    def group_of(self, watch: W) -> Group: ...

    @abstractmethod
    def seat_of(self, watch: W) -> int | None:
        """The seat that counts as connected while it has a screen."""

    def counted_seat(self, watch: W) -> int | None:
        """The seat that the limit on streams applies to."""
        return self.seat_of(watch)

    @abstractmethod
    def behind(self, shown: Mapping[Group, Version], *news: Any) -> Iterable[Group]:
        """The groups that show something older than this news."""

    def is_gathered(self, *news: Any) -> bool:
        """Whether such news is batched, and shown a few times a second at most."""
        return False

    def farewell(self, watch: W) -> bytes | None:
        """The last message to a screen that's closed because its right was lost."""
        return None

    # In the thread

    @abstractmethod
    def draw(
        self, code: str, watches: Collection[W], newcomers: Collection[W], shown: Mapping[Group, Picture]
    ) -> Drawn[W]:
        """Draw what these screens show now; raises `TopicGone`.

        `shown` has the groups' last whole pictures, if an update to them is enough. The rights of newcomers haven't
        been checked yet.
        """

    @abstractmethod
    def without_right(self, watches: Collection[W]) -> Collection[W]:
        """The screens that have lost their right."""

    @abstractmethod
    def find_missed(self, watched: Watched[W]) -> Missed[W]:
        """Find changes that this process wasn't told of."""

    @abstractmethod
    def came(self, code: str, seats: Collection[int]) -> None:
        """Handle seats that have a screen here and weren't known to be connected."""

    @abstractmethod
    def left(self, seat: Seat) -> None:
        """Handle a seat that has had no screen anywhere for longer than the grace period."""

    def catch_up(self, code: str) -> None:
        """Apply what's due by now."""

    def tick(self) -> None:
        """Called about every second."""
