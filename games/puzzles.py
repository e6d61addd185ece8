"""The daily puzzle: one board for everybody, and what each player has found on it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from django.utils.crypto import salted_hmac

from core.actors import lock_actors
from games.models import PuzzleResult
from games.players import Player
from games.rules import FULL_DECK, Card, Feature, easy_deck, explain, find_sets
from games.rules.triples import Triple, Verdict


class PuzzleDeck(StrEnum):
    FULL = "full"
    EASY = "easy"

    @property
    def cards(self) -> tuple[Card, ...]:
        return FULL_DECK if self is PuzzleDeck.FULL else easy_deck(Feature.SHADING)

    @property
    def laid(self) -> int:
        return 12 if self is PuzzleDeck.FULL else 9

    @property
    def sets_there(self) -> int:
        return 6 if self is PuzzleDeck.FULL else 4


def board_of(day: date, deck: PuzzleDeck) -> tuple[Card, ...]:
    """The board of a day. Its seed depends on the site's secret key, so nobody can compute tomorrow's board."""
    seed = salted_hmac("games.puzzles", f"{day.isoformat()}/{deck}").hexdigest()
    rng = random.Random(seed)
    while True:
        board = tuple(rng.sample(deck.cards, deck.laid))
        if len(find_sets(board)) == deck.sets_there:
            return board


def result_of(day: date, deck: PuzzleDeck, player: Player | None) -> PuzzleResult | None:
    if player is None:
        return None
    return PuzzleResult.objects.filter(day=day, deck=deck, **player.key).first()


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of a pick."""

    verdict: Verdict
    is_again: bool
    result: PuzzleResult


def find_set(day: date, deck: PuzzleDeck, player: Player, triple: Triple, *, shown: datetime, now: datetime) -> Finding:
    """Judge three cards, and save a SET that's new to this player; `shown` is when they first saw the board."""
    verdict = explain(*triple)
    cards = sorted(card.index for card in triple)
    with lock_actors(player):
        result, _is_new = PuzzleResult.objects.get_or_create(
            day=day, deck=deck, **player.key, defaults={"started_at": shown}
        )
        is_again = cards in result.found
        if verdict.is_set and not is_again:
            result.found.append(cards)
            if len(result.found) == deck.sets_there:
                result.finished_at = now
        elif not verdict.is_set:
            result.wrong += 1
        result.save()
    return Finding(verdict, is_again, result)


def merge_guest(guest: Player, user: Player, now: float) -> None:
    """Give a guest's results to the user, with both locked. If both did the same puzzle, the better result stays."""
    own = {(row.day, row.deck): row for row in PuzzleResult.objects.of(user)}
    for row in PuzzleResult.objects.of(guest):
        if same := own.get((row.day, row.deck)):
            min(row, same, key=_rank).delete()
    PuzzleResult.objects.of(guest).give_to(user)


def _rank(result: PuzzleResult) -> tuple[int, float]:
    """Sort key, higher is better: more SETs found, then an earlier start, since the board is the same."""
    return len(result.found), -result.started_at.timestamp()
