"""When a computer opponent calls, and what it picks: slower on harder SETs, and with a beginner's mistakes.

Each SET on the table gets a random time, log-normal around `start * exp(slope * (effort - 1))`, and the earliest one is
called. People see an easy SET about equally fast and differ in the slope (Taatgen). So do the strengths, except for the
first, which starts late to give a child who is new to the game a chance.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean, linear_regression

from games.rules.cards import FULL_DECK, Card, Feature
from games.rules.commands import AgreeNoSet, Call, Command, Deal, Pick, Withdraw
from games.rules.errors import RulesError
from games.rules.events import Event
from games.rules.evolution import replay
from games.rules.hints import ranked_sets
from games.rules.match import decide
from games.rules.state import MatchState, Phase
from games.rules.triples import Triple, explain, third_card


class UnknownStrength(RulesError):
    """No computer opponent has this strength."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    slug: str
    start: float = 4.0
    """Seconds to see a SET of effort one."""
    slope: float
    """How much the logarithm of the time rises per unit of effort."""
    spread: float = 0.45
    """Standard deviation of the logarithm of a time."""
    slips: float = 0.0
    """The chance, on each new look at the table, of mistaking a near miss for a SET."""
    patience: float = 25.0
    """Seconds without finding a SET before it says there's none."""
    picking: float = 1.2
    """Seconds from the call to the third card."""


_ALL = (
    # The small deck puts many SETs on the table, so even "newcomer" calls one within two seconds: hence "slow".
    Strength(slug="slow", start=30.0, slope=0.30, spread=0.35, slips=0.30, patience=60.0, picking=4.0),
    Strength(slug="newcomer", slope=0.85, spread=0.55, slips=0.30, patience=60.0, picking=2.5),
    Strength(slug="learner", slope=0.60, spread=0.50, slips=0.15, patience=45.0, picking=2.0),
    Strength(slug="player", slope=0.38, slips=0.05, patience=30.0, picking=1.5),
    Strength(slug="expert", slope=0.15, spread=0.40, slips=0.01, patience=18.0, picking=1.0),
)
STRENGTHS: Mapping[str, Strength] = {strength.slug: strength for strength in _ALL}

# The chance that a mismatch in a feature goes unnoticed: newcomers see color and shape before shading and number.
OVERLOOKED: Mapping[Feature, float] = {
    Feature.SHADING: 1.0,
    Feature.NUMBER: 0.8,
    Feature.COLOR: 0.3,
    Feature.SHAPE: 0.3,
}


def strength(slug: str) -> Strength:
    try:
        return STRENGTHS[slug]
    except KeyError:
        raise UnknownStrength(f"no opponent is called {slug!r}; there are {', '.join(STRENGTHS)}") from None


@dataclass(frozen=True, slots=True)
class Intent:
    """What an opponent will do after some seconds: pick three cards, or (None) say there's no SET."""

    after: float
    cards: Triple | None


def look(table: Sequence[Card], opponent: Strength, rng: random.Random) -> Intent:
    """Decide what the opponent will do with a table."""
    finds = [Intent(_seconds(effort, opponent, rng), triple) for effort, triple in ranked_sets(table)]
    if rng.random() < opponent.slips and (mistake := _near_miss(table, rng)):
        finds.append(Intent(_seconds(_apparent_effort(mistake), opponent, rng), mistake))
    gives_up = Intent(opponent.patience * math.exp(rng.gauss(0, opponent.spread / 2)), None)
    return min([*finds, gives_up], key=lambda intent: intent.after)


def _seconds(effort: float, opponent: Strength, rng: random.Random) -> float:
    return opponent.start * math.exp(opponent.slope * (effort - 1) + rng.gauss(0, opponent.spread))


def _apparent_effort(triple: Triple) -> float:
    return float(sum(verdict.shared is None for verdict in explain(*triple).features))


def _neighbors(card: Card) -> frozenset[Card]:
    """The eight cards that differ from this one in a single feature."""
    return frozenset(
        other for other in FULL_DECK if sum(card.value(feature) is not other.value(feature) for feature in Feature) == 1
    )


_NEIGHBORS = {card: _neighbors(card) for card in FULL_DECK}


def _near_miss(table: Sequence[Card], rng: random.Random) -> Triple | None:
    """Three cards that aren't a SET because of one feature, preferably one that's easily overlooked."""
    pairs = list(combinations(table, 2))
    rng.shuffle(pairs)
    for a, b in pairs:
        almost = sorted(_NEIGHBORS[third_card(a, b)].intersection(table) - {a, b})
        if almost:
            triple = (a, b, rng.choice(almost))
            (broken,) = explain(*triple).broken
            if rng.random() < OVERLOOKED[broken.feature]:
                return triple
    return None


def computer_move(match: MatchState, seat: int, opponent: Strength) -> tuple[float, Command] | None:
    """When and what the opponent in this seat does next, if nothing else happens first.

    It depends on the match alone, so every process computes the same move.
    """
    if match.phase is not Phase.PLAYING or not match.seats[seat].is_seated:
        return None
    rng = random.Random(f"{match.seed}/{seat}/{match.look}")
    intent = look(match.table, opponent, rng)
    if match.control:
        if match.control.seat != seat:
            return None
        if intent.cards is None:
            return max(match.control.since, match.since), Withdraw(seat)
        # Some opponents would take longer than the window, so half of it is their maximum.
        picking = opponent.picking if match.options.window is None else min(opponent.picking, match.options.window / 2)
        return max(match.control.since, match.since) + picking, Pick(seat, intent.cards)
    if intent.cards:
        return match.since + intent.after, Call(seat)
    return None if seat in match.votes else (match.since + intent.after, AgreeNoSet(seat))


def next_move(match: MatchState, opponents: Mapping[int, Strength]) -> tuple[float, Command] | None:
    """The earliest move among several opponents."""
    moves = [computer_move(match, seat, opponent) for seat, opponent in opponents.items()]
    return min((move for move in moves if move), key=lambda move: move[0], default=None)


def play_out(
    match: MatchState, opponents: Mapping[int, Strength], *, start: float = 0.0
) -> Iterator[tuple[float, Command, tuple[Event, ...]]]:
    """Let computers play a match to its end; yield each command with its time and its events."""
    now = start
    while match.phase is not Phase.OVER:
        move = next_move(match, opponents)
        if match.phase is Phase.WAITING:
            move = now, Deal(min(opponents))
        if move is None:
            raise RulesError("nobody has a move, and the match is not over")
        now = max(now, move[0])
        events = decide(match, move[1], now)
        match = replay(match, events)
        yield now, move[1], events


@dataclass(frozen=True, slots=True)
class Find:
    """One SET that a player found: how hard it was, and how long it took."""

    effort: float
    seconds: float


def like(finds: Sequence[Find], *, wrong: int = 0, slug: str = "like-me") -> Strength:
    """An opponent fitted to a player's own times.

    The regression over the logarithms of the times includes four prior points from the middle strength, so a few finds
    shift it a little, and many outweigh the prior.
    """
    if wrong < 0 or any(find.seconds <= 0 or not math.isfinite(find.seconds + find.effort) for find in finds):
        raise RulesError("times are positive numbers of seconds, and nobody is wrong less than never")
    middle = STRENGTHS["player"]
    efforts = [1.0, 2.0, 3.0, 4.0, *(find.effort for find in finds)]
    prior = [math.log(middle.start) + middle.slope * (effort - 1) for effort in efforts[:4]]
    logs = [*prior, *(math.log(find.seconds) for find in finds)]
    slope, intercept = linear_regression(efforts, logs)
    slope = min(max(slope, 0.0), 1.5)
    # With a clamped slope, the line still passes through the mean of the data.
    intercept = fmean(logs) - slope * fmean(efforts)
    misses = [log - (intercept + slope * effort) for effort, log in zip(efforts, logs, strict=True)]
    spread = math.sqrt((sum(miss**2 for miss in misses) + 4 * middle.spread**2) / (len(misses) + 4))
    slips = (wrong + 4 * middle.slips) / (len(finds) + wrong + 4)
    start = math.exp(intercept + slope)
    return replace(middle, slug=slug, start=start, slope=slope, spread=min(spread, 1.0), slips=slips)
