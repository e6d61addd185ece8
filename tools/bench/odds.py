"""How fast the simulations deal and play, on one core."""

from __future__ import annotations

import random
from itertools import combinations, permutations

from games.odds import simulate_first_deals, simulate_games
from games.rules.cards import FULL_DECK, Card
from games.rules.triples import find_sets, third_card
from tools.bench.figures import Figure, Goal, time_rates


def first_deals_12() -> Figure:
    deals, few = 131_072, 100
    rng = random.Random(12)
    thirds = {pair: third_card(*pair) for pair in permutations(FULL_DECK, 2)}

    def deal_plainly() -> int:
        for _ in range(few):
            hand = rng.sample(FULL_DECK, 12)
            present = set(hand)
            any(thirds[pair] in present for pair in combinations(hand, 2))
        return few

    def simulated() -> int:
        return simulate_first_deals("full", 12, deals, seed=rng.randrange(1 << 32)).deals

    rates = time_rates(simulated, deal_plainly)
    baseline = "plain Python: random.sample and a dict with the third card of every pair, stopping at the first SET"
    return Figure("first_deals_12", rates.subject, "deals/s", baseline, rates.baseline, rates.ratio, Goal(at_least=50))


def _play_plainly(rng: random.Random) -> int:
    """Play one game card by card with the rules' own search; return the number of cards left at the end."""
    deck = rng.sample(FULL_DECK, len(FULL_DECK))
    table: list[Card] = [deck.pop() for _ in range(12)]
    while True:
        found = find_sets(table)
        if found:
            taken = rng.choice(found)
            table = [card for card in table if card not in taken]
        elif not deck:
            return len(table)
        if deck and (not found or len(table) < 12):
            table += [deck.pop() for _ in range(3)]


def whole_games() -> Figure:
    games, few = 8_192, 5
    rng = random.Random(12)

    def play_plainly() -> int:
        for _ in range(few):
            _play_plainly(rng)
        return few

    def simulated() -> int:
        return simulate_games("full", 12, games, seed=rng.randrange(1 << 32)).games

    rates = time_rates(simulated, play_plainly)
    baseline = "plain Python: one game at a time with games.rules.find_sets"
    return Figure("whole_games", rates.subject, "games/s", baseline, rates.baseline, rates.ratio, Goal(at_least=10))


FIGURES = [first_deals_12, whole_games]
