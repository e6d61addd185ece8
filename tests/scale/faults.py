"""Players who keep playing while something breaks, and remember every response to compare with the log."""

from __future__ import annotations

import math
import os
import random
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPException
from itertools import combinations
from socket import SHUT_RDWR

from games.models import Match
from games.rules import Card, is_set
from games.rules.records import event_from
from tests.games.live import PATIENCE, Screen, Table
from tests.scale.people import Answer, Person
from tests.scale.race import stored_log
from tools.scale.engines import wait_until

_SOON = 5.0
SORRY = "We made a mistake"
"""The text of the site's error page for an outage."""
BROKEN = (OSError, EOFError, HTTPException)
"""Errors of a connection that broke or couldn't be made."""
_RETRY_SECONDS = 1.0
_MOST_SETS = 3
_WRONG = 500


def soon() -> float:
    """Seconds within which a screen must be right after any fault: five, or more on a busy machine."""
    return _SOON * max(1.0, 2 * os.getloadavg()[0] / (os.cpu_count() or 1))


class Follower:
    """A screen like a browser's: it reopens a closed stream, and an older table never replaces a newer one."""

    def __init__(self, person: Person, code: str, *sites: str) -> None:
        self._path = person.stream_of(sites[0], code)
        self.code = code
        self.sites = deque(sites)
        """The processes it connects to; if one doesn't answer, it tries the next."""
        self.shown: Table | None = None
        self.streams = 0
        """How many streams it has opened."""
        self._screen: Screen | None = None
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def _follow(self) -> None:
        while not self._is_over.is_set():
            with suppress(*BROKEN), Screen(self.sites[0], self._path) as self._screen:
                self.streams += 1
                while True:
                    table = self._screen.table()
                    if self.shown is None or table.version > self.shown.version:
                        self.shown = table
            self.sites.rotate(-1)
            self._is_over.wait(_RETRY_SECONDS)

    @property
    def is_right(self) -> bool:
        """Whether it shows the current table."""
        match = Match.objects.get(code=self.code)
        shown, state = self.shown, match.state
        return (
            shown is not None
            and shown.version == match.version
            and shown.control == (state.control.seat if state.control else None)
            and shown.cards == [card.index for card in state.table]
        )

    def drop(self) -> None:
        """Break the connection."""
        with suppress(AttributeError, *BROKEN):
            self._screen.connection.sock.shutdown(SHUT_RDWR)

    def close(self) -> None:
        self._is_over.set()
        self.drop()
        self._thread.join()


class Player:
    """Calls, picks and withdraws without pause; resends unanswered requests unchanged to the next process."""

    def __init__(self, person: Person, code: str, seat: int, *sites: str) -> None:
        self.person = person
        self.code = code
        self.seat = seat
        self.sites = deque(sites)
        self.told: Counter[str] = Counter()
        """What the log must contain for this seat: everything that was answered, exactly once."""
        self.failures: list[str] = []
        """The error pages received."""
        self.unanswered = 0
        self.trouble: BaseException | None = None
        self._rng = random.Random(seat)
        self._is_over = threading.Event()
        self._latest = math.inf
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    @property
    def moves(self) -> int:
        return sum(self.told.values())

    def _play(self) -> None:
        try:
            while not self._is_over.is_set():
                self._round()
        except BaseException as error:
            self.trouble = error

    def _round(self) -> None:
        seen = self._get()
        called = self._do("call", seen.version)
        if called.status == 422:
            assert called.control != self.seat, "our own call, sent again, was taken for another"
            # Another player has control.
            return
        assert called.status == 200, f"{called.status} {called.text}"
        self.told["Called"] += 1
        triples = list(combinations(called.cards, 3))
        right = [triple for triple in triples if is_set(*map(Card.from_index, triple))]
        if right and self.told["SetTaken"] < _MOST_SETS:
            picked, brings = self._do("pick", called.version, card=self._rng.choice(right)), "SetTaken"
        elif self._rng.random() < 0.5:
            wrong = self._rng.choice(sorted(set(triples) - set(right)))
            picked, brings = self._do("pick", called.version, card=wrong), "CallFailed"
        else:
            picked, brings = self._do("withdraw", called.version), "CallFailed"
        assert picked.status == 200, f"{picked.status} {picked.text}"
        self.told[brings] += 1

    def _get(self) -> Answer:
        return self._until_answered(lambda site: self.person.get(site, f"/play/{self.code}/"))

    def _do(self, order: str, version: int, **form: object) -> Answer:
        return self._until_answered(lambda site: self.person.do(site, self.code, order, version=version, **form))

    def _until_answered(self, ask: Callable[[str], Answer]) -> Answer:
        while time.monotonic() < self._latest:
            try:
                answer = ask(self.sites[0])
            except BROKEN:
                self.unanswered += 1
                self.sites.rotate(-1)
            else:
                if answer.status == 429:
                    # Lift the move limit, which isn't tested here.
                    self._is_over.wait(1.0)
                elif answer.status < _WRONG:
                    return answer
                else:
                    self.failures.append(answer.text)
            self._is_over.wait(0.02)
        raise TimeoutError("no answer has come")

    def close(self) -> None:
        """Stop after the current request."""
        self._latest = time.monotonic() + PATIENCE
        self._is_over.set()
        self._thread.join()
        if self.trouble:
            raise self.trouble


@contextmanager
def playing(people: list[Person], code: str, *sites: str) -> Iterator[tuple[list[Player], list[Follower]]]:
    """Let everybody play at once, each with a screen, the first at the first process, the second at the second, etc."""
    with ExitStack() as ends:
        players, screens = [], []
        for seat, person in enumerate(people):
            own = deque(sites)
            own.rotate(-seat)
            screens.append(Follower(person, code, *own))
            ends.callback(screens[-1].close)
        for seat, (person, screen) in enumerate(zip(people, screens, strict=True)):
            players.append(Player(person, code, seat, *screen.sites))
            ends.callback(players[-1].close)
        yield players, screens


def wait_for_moves(players: list[Player], count: int) -> None:
    """Wait until everybody together has made `count` more moves."""
    before = sum(player.moves for player in players)
    is_done = lambda: any(player.trouble for player in players) or sum(p.moves for p in players) >= before + count  # noqa: E731
    wait_until(is_done, f"{count} more moves")


def wait_until_right(screens: list[Follower]) -> None:
    """Wait until every screen shows the current table; nobody may be playing."""
    for screen in screens:
        wait_until(
            lambda screen=screen: screen.is_right, f"the screen shows the table of {screen.code}", seconds=soon()
        )


def settle(players: list[Player], screens: list[Follower]) -> None:
    """Stop playing, and wait until every screen shows the final table."""
    for player in players:
        player.close()
    wait_until_right(screens)


def assert_nothing_is_lost_or_done_twice(code: str, players: list[Player]) -> None:
    """The log is complete, replays to the state, and contains exactly what the players were told."""
    log = stored_log(code)
    assert not log["has_gaps"]
    assert log["replays"]
    events = [event_from(row.record) for row in Match.objects.get(code=code).events.all()]
    told = {player.seat: Counter() for player in players}
    for player in players:
        told[player.seat] += player.told
    for seat, expected in told.items():
        kinds = [type(event).__name__ for event in events if getattr(event, "seat", None) == seat]
        written = Counter(kind for kind in kinds if kind in ("Called", "SetTaken", "CallFailed"))
        assert written == expected, f"written: {written}, told: {expected}"
