"""Players who act simultaneously in separate processes: what each was told, and what was stored.

`python -m tests.scale.race NAME ROUNDS` runs a race on the database of the environment and prints a report as JSON.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import django
from django.db import connections

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "setsite.settings")
django.setup()

from games.matches import service as matches  # noqa: E402 (models are there once Django is set up)
from games.models import Match, Way  # noqa: E402
from games.players import Player  # noqa: E402
from games.rules import Options, decide, evolve, find_sets, new_match, replay  # noqa: E402
from games.rules import commands as ask  # noqa: E402
from games.rules.errors import RefusalReason, Refused  # noqa: E402
from games.rules.records import event_from, match_from  # noqa: E402

PROCESSES = 4
PATIENCE = 60.0
"""Seconds after which a race is given up as stuck."""
SEATS = 8
NOTHING_NEW = "nothing new"


@dataclass(frozen=True)
class Shot:
    """What one connection sends in one round, with the latest table version."""

    table: int
    order: ask.Command | Player
    """A player who sits down."""
    until_heard: bool = False
    """Whether it's resent until there's a call to withdraw."""


@dataclass
class Race:
    """Rounds of simultaneous shots, at tables that the referee checks after each round."""

    codes: list[str]
    rounds: list[list[Shot]]
    after: Callable[[Shot, Match], None] | None = None
    """What the referee does at each table after a round."""


def opened(options: Options, *, seats: int, seed: str | None = None) -> str:
    """Open a table with this many guests and deal; return its code."""
    now = time.time()
    match = matches.open_match(way=Way.TOGETHER, options=options, player=guest(0), seed=seed, now=now)
    for number in range(1, seats):
        matches.join(match.code, guest(number), now=now)
    matches.command(match.code, ask.Deal(0), now=now)
    return match.code


def guest(number: int) -> Player:
    return Player(name=f"Guest {number}", guest=f"{number:032}")


# The races


CALLED_BY_ALL = Options(relaxed=True, window=None)


def call_at_one_table(rounds: int) -> Race:
    """Forty connections of eight players call; the winner withdraws."""
    codes = [opened(CALLED_BY_ALL, seats=SEATS)]
    shots = [Shot(0, ask.Call(seat)) for seat in range(SEATS) for _connection in range(5)]
    return Race(codes, [shots] * rounds, after=give_back)


def call_at_five_tables(rounds: int) -> Race:
    """Forty players call at five tables."""
    codes = [opened(CALLED_BY_ALL, seats=SEATS) for _table in range(5)]
    shots = [Shot(table, ask.Call(seat)) for seat in range(SEATS) for table in range(5)]
    return Race(codes, [shots] * rounds, after=give_back)


def give_back(shot: Shot, match: Match) -> None:
    holder = match.state.control
    if holder:
        matches.command(match.code, ask.Withdraw(holder.seat), now=time.time())


def retry_a_call(rounds: int) -> Race:
    """One call is sent ten times while it's being withdrawn, and once more at the end."""
    codes = [opened(Options(window=None), seats=2) for _round in range(rounds)]
    plan = []
    for table in range(rounds):
        calls = [Shot(table, ask.Call(1)) for _try in range(10)]
        plan.append([*calls, Shot(table, ask.Withdraw(1), until_heard=True)])
    shown = [Match.objects.get(code=code).version for code in codes]

    def call_late(shot: Shot, match: Match) -> None:
        matches.command(match.code, ask.Call(1), now=time.time(), seen=shown[shot.table])

    return Race(codes, plan, after=call_late)


def pick_overlapping(rounds: int) -> Race:
    """Two players pick SETs that share one card or all three."""
    return _pick(rounds, lambda first, second: bool(set(first) & set(second)))


def pick_apart(rounds: int) -> Race:
    """Two players pick SETs with no card in common."""
    return _pick(rounds, lambda first, second: not set(first) & set(second))


def _pick(rounds: int, fits: Callable[..., bool]) -> Race:
    options = Options(quick=True)
    codes, plan = [], []
    for seed, table in _dealt(options):
        sets = find_sets(table)
        pairs = [pair for pair in [*combinations(sets, 2), *zip(sets, sets, strict=True)] if fits(*pair)]
        if pairs:
            codes.append(opened(options, seats=2, seed=seed))
            # A different pair each time, alternating one and three shared cards.
            chosen = pairs[-len(codes) % len(pairs)]
            plan.append([Shot(len(plan), ask.Pick(seat, cards)) for seat, cards in enumerate(chosen)])
        if len(plan) == rounds:
            break
    return Race(codes, plan)


def _dealt(options: Options) -> Iterator[tuple[str, Any]]:
    """Seeds, each with the table it deals for two players."""
    for number in range(10_000):
        state = new_match(options, seed=f"race {number}")
        for order in (ask.Join(), ask.Join(), ask.Deal(0)):
            for event in decide(state, order, 0.0):
                state = evolve(state, event)
        yield state.seed, state.table


def join_a_table(rounds: int) -> Race:
    """Ten newcomers compete for seven seats, each from two tabs."""
    codes = [opened(Options(), seats=1) for _round in range(rounds)]
    plan = [[Shot(table, guest(number)) for number in range(1, 11) for _tab in range(2)] for table in range(rounds)]
    return Race(codes, plan)


RACES: dict[str, Callable[[int], Race]] = {
    race.__name__: race
    for race in (call_at_one_table, call_at_five_tables, retry_a_call, pick_overlapping, pick_apart, join_a_table)
}


# Running one


def fire(shot: Shot, code: str, seen: int) -> str:
    """Send a shot; return what the player is told, including unexpected errors."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            if isinstance(shot.order, Player):
                return f"seat {matches.join(code, shot.order, now=time.time()).number}"
            written = matches.command(code, shot.order, now=time.time(), seen=seen)
        except Refused as refused:
            if shot.until_heard and refused.reason is RefusalReason.NOT_YOUR_CONTROL and time.monotonic() < deadline:
                continue
            return refused.reason.value
        except Exception as error:
            return f"error: {error!r}"
        return ",".join(type(event).__name__ for event in written.events) or NOTHING_NEW


def play(codes: list[str], rounds: list[list[Shot]], players: list[int], versions: Any, ready: Any, told: Any) -> None:
    """One process with its players, each in a thread."""

    def connection(player: int) -> None:
        mine = []
        for shots in rounds:
            shot = shots[player]
            ready.wait(PATIENCE)
            mine.append(fire(shot, codes[shot.table], versions[shot.table]))
            ready.wait(PATIENCE)
        told.put((player, mine))

    threads = [threading.Thread(target=connection, args=(player,)) for player in players]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def run(race: Race) -> dict[str, Any]:
    """Run the race; report what everybody was told in each round, and each table's final state."""
    fork = multiprocessing.get_context("fork")
    players = range(len(race.rounds[0]))
    versions = fork.Array("q", [Match.objects.get(code=code).version for code in race.codes], lock=False)
    ready = fork.Barrier(len(players) + 1)
    told = fork.Queue()
    shares = [[player for player in players if player % PROCESSES == share] for share in range(PROCESSES)]
    processes = [
        fork.Process(target=play, args=(race.codes, race.rounds, share, versions, ready, told), daemon=True)
        for share in shares
        if share
    ]
    # Forking is fast, but a copied connection would be useless to both processes.
    connections.close_all()
    for process in processes:
        process.start()
    ready.wait(PATIENCE)
    started = time.monotonic()
    rounds = []
    for number, shots in enumerate(race.rounds):
        ready.wait(PATIENCE)
        rounds.append([_look(race, shot, versions) for shot in {shot.table: shot for shot in shots}.values()])
        if number + 1 < len(race.rounds):
            ready.wait(PATIENCE)
    seconds = time.monotonic() - started
    heard = dict(told.get(timeout=PATIENCE) for _player in players)
    for process in processes:
        process.join(PATIENCE)
    return {
        "seconds": seconds,
        "told": [[heard[player][number] for player in players] for number in range(len(race.rounds))],
        "rounds": rounds,
        "tables": [stored_log(code) for code in race.codes],
    }


def _look(race: Race, shot: Shot, versions: Any) -> dict[str, Any]:
    """Check one table after a round: what was written, and who has control."""
    match = Match.objects.get(code=race.codes[shot.table])
    since = match.events.filter(number__gt=versions[shot.table])
    control = match.state.control
    seen = {
        "written": [row.record["kind"] for row in since],
        "control": control.seat if control else None,
        "lost": sum(seat.lost for seat in match.state.seats),
    }
    if race.after:
        race.after(shot, match)
    versions[shot.table] = Match.objects.get(pk=match.pk).version
    return seen


def stored_log(code: str) -> dict[str, Any]:
    """Check whether a table's log is complete and replays to its state."""
    match = Match.objects.get(code=code)
    rows = list(match.events.all())
    events = [event_from(row.record) for row in rows]
    return {
        "version": match.version,
        "has_gaps": [row.number for row in rows] != list(range(1, match.version + 1)),
        "replays": replay(match_from(match.start), events) == match_from(match.snapshot),
        "seats": match.seats.count(),
        "seats_in_state": len(match.state.seats),
        "kinds": Counter(type(event).__name__ for event in events),
        "backwards": sum(later.at < earlier.at for earlier, later in pairwise(events)),
    }


if __name__ == "__main__":
    name, rounds = sys.argv[1:]
    with suppress(KeyboardInterrupt):
        sys.stdout.write(json.dumps(run(RACES[name](int(rounds)))))
