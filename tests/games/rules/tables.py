"""A table for referee tests, with players and moves that read like sentences."""

from __future__ import annotations

import pytest

from games.rules import Options, decide, find_sets, new_match, replay
from games.rules import commands as ask
from games.rules.errors import RefusalReason, Refused
from games.rules.state import MatchState, Phase
from tests.builders.cards import a_set, no_set


class Table:
    """A match in progress; time stands still unless the test moves it."""

    def __init__(self, options: Options | None = None, *, players: int = 2, seed: int | str = 1, dealt: bool = True):
        self.start = self.match = new_match(options or Options(), seed=seed)
        self.now = 100.0
        self.log: list = []
        for _ in range(players):
            self.do(ask.Join())
        if dealt:
            self.do(ask.Deal(0))

    def do(self, command) -> tuple:
        before = self.match
        events = decide(before, command, self.now)
        self.match = replay(before, events)
        self.log += events
        return events

    def refuses(self, command, reason: RefusalReason) -> None:
        before = self.match
        with pytest.raises(Refused) as refused:
            decide(before, command, self.now)
        assert refused.value.reason is reason
        assert self.match is before

    def a_set(self):
        return a_set(self.match.table)

    def no_set(self):
        return no_set(self.match.table)

    def take(self, seat: int, cards=None) -> tuple:
        self.do(ask.Call(seat))
        return self.do(ask.Pick(seat, cards or self.a_set()))

    def all_agree(self) -> tuple:
        events: tuple = ()
        for seat in sorted(self.match.voters):
            events = self.do(ask.AgreeNoSet(seat))
        return events

    def points(self) -> list[int]:
        return [seat.points for seat in self.match.seats]

    def play_deal_out(self, seat: int = 0) -> None:
        """Let one player take every SET of the deal."""
        while self.match.phase is Phase.PLAYING:
            if find_sets(self.match.table):
                self.take(seat)
            else:
                self.all_agree()


def table_where(condition, options: Options | None = None, *, players: int = 2) -> Table:
    """The table of the first seed whose deal meets the condition."""
    for seed in range(20_000):
        table = Table(options, players=players, seed=seed)
        if condition(table.match):
            return table
    raise LookupError("no seed gives such a table")


def has_no_set(match: MatchState) -> bool:
    return not find_sets(match.table)
