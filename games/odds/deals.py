"""Simulate first deals: how often do the first cards of a shuffled deck hold a SET?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from games.odds.decks import Deck, check_number
from games.odds.runs import ShouldStop, chunks
from games.odds.tallies import Interval, Tally
from games.odds.vectors import Bytes, codes, draw, third_codes, to_codes

# Large enough to make NumPy's overhead per call negligible, small enough to keep the arrays in the CPU cache.
_CHUNK: Final = 32_768


@dataclass(frozen=True, slots=True)
class FirstDeals:
    """Final or interim results of simulated first deals."""

    deck: Deck
    cards: int
    tally: Tally
    cancelled: bool = False

    @property
    def deals(self) -> int:
        return self.tally.seen

    @property
    def without_set(self) -> int:
        return self.tally.without_set

    @property
    def estimate(self) -> float:
        """The estimated chance of no SET."""
        return self.tally.chance

    @property
    def interval(self) -> Interval:
        return self.tally.interval

    @property
    def odds(self) -> str:
        return self.tally.odds


def simulate_first_deals(
    deck: Deck | str,
    cards: int,
    count: int,
    seed: int,
    *,
    on_progress: Callable[[FirstDeals], None] | None = None,
    should_stop: ShouldStop | None = None,
    report_every: int = 100_000,
) -> FirstDeals:
    """Deal `cards` cards `count` times; the same seed deals the same cards.

    After every `report_every` deals, `on_progress` gets the interim results, and `should_stop` may end the run.
    """
    deck = Deck.named(deck)
    check_number("the size of a hand", cards, 1, deck.size)
    check_number("the number of deals", count, 1)
    check_number("a seed", seed, 0)
    check_number("the deals between two reports", report_every, 1)
    rng = np.random.default_rng(seed)
    deals = without_set = 0

    def partial_result() -> FirstDeals:
        return FirstDeals(deck, cards, Tally(deals, without_set))

    def report() -> None:
        if on_progress is not None:
            on_progress(partial_result())

    for chunk in chunks(count, _CHUNK, report_every, report, should_stop):
        without_set += _deal(rng, deck, cards, chunk)
        deals += chunk
    return replace(partial_result(), cancelled=deals < count)


def _deal(rng: np.random.Generator, deck: Deck, cards: int, count: int) -> int:
    """Simulate `count` deals, and return how many hold no SET.

    A deal is a column: the cards laid so far, and the third card of every pair of them. It's dropped as soon as it has
    a SET, so no deal ever holds more cards than can be without one.
    """
    most = min(cards, deck.always_a_set)
    laid = np.empty((most, count), np.uint8)
    thirds = np.empty(((most - 1) * (most - 2) // 2, count), np.uint8)
    pairs = 0
    open_deals = np.ones(count, np.bool_)
    for place in range(most):
        card = _next_card(rng, deck, laid[:place], deck.size - cards + place)
        open_deals &= ~(thirds[:pairs] == card).any(axis=0)
        if 2 * np.count_nonzero(open_deals) < open_deals.size:
            # Compacting the arrays costs more than it saves until half of the deals are over.
            keep = np.flatnonzero(open_deals)
            laid, thirds, card = _keep_columns(laid, place, keep), _keep_columns(thirds, pairs, keep), card.take(keep)
            open_deals = np.ones(keep.size, np.bool_)
        laid[place] = card
        if place < most - 1:
            thirds[pairs : pairs + place] = third_codes(laid[:place], card)
            pairs += place
    return int(np.count_nonzero(open_deals))


def _keep_columns(rows: Bytes, used: int, keep: NDArray[np.intp]) -> Bytes:
    """The same rows with only these columns; unused rows are left uninitialized."""
    kept = np.empty((len(rows), keep.size), np.uint8)
    # With any mode but the default, NumPy writes to `out` without an intermediate copy.
    rows[:used].take(keep, axis=1, out=kept[:used], mode="clip")
    return kept


def _next_card(rng: np.random.Generator, deck: Deck, laid: Bytes, top: int) -> Bytes:
    """One more card for each deal, by Floyd's algorithm for sampling without replacement.

    A card is drawn from the first `top` + 1 of the deck. If the deal already has it, the card at `top`, which it can't
    have yet, is used instead. Once `top` has reached the last card, every hand of that size was equally likely.
    """
    card = to_codes(draw(rng, top + 1, laid.shape[1]), deck)
    card[(laid == card).any(axis=0)] = codes(deck)[top]
    return card
