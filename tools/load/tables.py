"""Tables of four players at human pace, and a baseline with the same traffic but no game."""

from __future__ import annotations

import asyncio
import random
import re
import time
from itertools import combinations

from games.rules.cards import Card
from games.rules.triples import find_sets, is_set
from tools.load.client import PUSH, STREAM, Browser, Screen, ScreenGroup

SEATS = 4
EVERY = 5.0
"""Average seconds between two calls at a table."""
_LOOKING, _PICKING = 0.7, 0.3
"""Shares of that time spent looking for a SET, and picking its cards after the call."""
_RIGHT = 0.8
"""Share of picks that are a SET."""
_OPTIONS = {"edition": "us", "deck": "full", "window": "15", "votes": "checked"}
_CARD = re.compile(rb'name="card" value="(\d+)"')
_PHASE = re.compile(rb'data-phase="([a-z]+)"')


class Player:
    """A player: a browser that talks to one process of the site, and a screen."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.screen: Screen | None = None


class Table(ScreenGroup):
    """Four guests from one school, each with a screen, and possibly watchers."""

    def __init__(self, number: int, ports: list[int], *, every: float = EVERY, seed: int = 0) -> None:
        super().__init__()
        self.number, self.ports, self.every = number, ports, every
        self.rng = random.Random(f"{seed}/{number}")
        self.players: list[Player] = []
        self.watchers = 0
        self.code = ""
        self.codes: list[str] = []
        """Codes of all matches played here."""

    async def open(self) -> None:
        """Seat the players, each with their own page and stream, and deal."""
        if not self.players:
            ports = (self.ports[seat % len(self.ports)] for seat in range(SEATS))
            self.browsers = [await Browser.at(port, self.number) for port in ports]
            self.players = list(map(Player, self.browsers))
        first = self.players[0]
        answer = await first.browser.ask("POST", "/play/open/together/", _OPTIONS, status=302)
        self.code = answer.header("location").strip("/").split("/")[-1]
        self.codes.append(self.code)
        for player in self.players:
            if player is not first:
                await player.browser.ask("POST", f"{self._path}join/", status=302)
            path = await player.browser.stream_of(self._path)
            player.screen = Screen(path, self)
            await player.screen.open(player.browser.port, self.number)
        await self.settle()
        await first.browser.ask("POST", f"{self._path}deal/", {"version": self.version}, HX_Request="true")
        await self.settle()

    async def watch(self, watchers: int) -> None:
        """Add watchers, who all use the same watcher's page."""
        self.watchers = watchers
        if watchers:
            somebody = await Browser.at(self.ports[0], self.number)
            path = await somebody.stream_of(self._path)
            somebody.close()
            for number in range(watchers):
                await Screen(path, self).open(self.ports[number % len(self.ports)], self.number)
            await self.settle()

    async def play(self, until: float) -> None:
        """Play one match after another until the given time."""
        await asyncio.sleep(self.rng.uniform(0, self.every))
        while time.perf_counter() < until:
            if self._is_over:
                self.close()
                await self.open()
                await self.watch(self.watchers)
            await self._pause(_LOOKING)
            await self._play_turn()

    async def _play_turn(self) -> None:
        table = self._cards
        sets = find_sets(table)
        if not sets:
            for player in self.players:
                await self._act(player, "no-set")
                await self._pause(_PICKING / SEATS)
            return
        caller = self.rng.choice(self.players)
        if await self._act(caller, "call"):
            await self._pause(_PICKING)
            other_triples = [triple for triple in combinations(table, 3) if not is_set(*triple)]
            # The last three cards are always a SET, so they allow no wrong pick.
            triple = self.rng.choice(sets if self.rng.random() < _RIGHT or not other_triples else other_triples)
            await self._act(caller, "pick", triple)

    async def _act(self, player: Player, action: str, cards: tuple[Card, ...] = ()) -> bool:
        """Send an action the way a page with a stream does; return whether it changed anything."""
        form = {"version": player.screen.version if player.screen else 0, "card": [card.index for card in cards]}
        change = self.begin_change()
        answer = await player.browser.send("POST", f"{self._path}{action}/", form, HX_Request="true", X_Live="1")
        if answer.status == 204:
            change.measurements.answered.append(time.perf_counter() - change.start)
            await self.wait_for(change)
        elif answer.status == 422:
            change.measurements.refused += 1
        else:
            change.measurements.errors += 1
        return answer.status == 204

    async def _pause(self, share: float) -> None:
        await asyncio.sleep(self.rng.uniform(0.5, 1.5) * self.every * share)

    @property
    def _path(self) -> str:
        return f"/play/{self.code}/"

    @property
    def _cards(self) -> list[Card]:
        return [Card.from_index(int(number)) for number in _CARD.findall(self.shown)]

    @property
    def _is_over(self) -> bool:
        phase = _PHASE.search(self.shown)
        return phase is not None and phase[1] == b"over"


class BareTable(ScreenGroup):
    """The same number of streams, bytes and pushes as a table; each request only reads one row."""

    def __init__(self, number: int, ports: list[int], *, size: int, every: float = EVERY, seed: int = 0) -> None:
        super().__init__()
        self.number, self.ports, self.size, self.every = number, ports, size, every
        self.rng = random.Random(f"bare/{seed}/{number}")
        self._pushed = 0

    async def open(self, screens: int) -> None:
        self.browsers = [await Browser.at(port, self.number) for port in self.ports]
        for number in range(screens):
            port = self.ports[number % len(self.ports)]
            await Screen(f"{STREAM}?group={self.number}", self).open(port, self.number)
        await self.settle()

    async def play(self, until: float) -> None:
        await asyncio.sleep(self.rng.uniform(0, self.every))
        while time.perf_counter() < until:
            await asyncio.sleep(self.rng.uniform(0.5, 1.5) * self.every / 2)
            start = time.perf_counter()
            answer = await self.rng.choice(self.browsers).send("GET", "/bench/row/1/")
            if answer.status != 200:
                self.measurements.errors += 1
            self.measurements.answered.append(time.perf_counter() - start)
            self._pushed += 1
            change = self.begin_change()
            path = f"{PUSH}?group={self.number}&bytes={self.size}&version={self._pushed}"
            await asyncio.gather(*(browser.send("POST", path) for browser in self.browsers))
            await self.wait_for(change)
