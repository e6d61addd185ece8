"""Computer opponents: slower on harder SETs, beaten by stronger ones, and wrong the way beginners are."""

import itertools
import math
import random
from collections import Counter
from statistics import fmean

import pytest

from games.rules import FULL_DECK, Options, decide, explain, find_sets, new_match, replay
from games.rules import commands as ask
from games.rules.cards import Shading
from games.rules.errors import RulesError
from games.rules.hints import ranked_sets
from games.rules.opponents import STRENGTHS, Find, Strength, UnknownStrength, like, look, play_out, strength
from games.rules.state import MatchState, Phase

NAMES = list(STRENGTHS)
AS_PEOPLE = NAMES[1:]
"""Opponents that see an easy SET as fast as people."""


def table_of_two(seed, options: Options | None = None) -> MatchState:
    match = new_match(options or Options(), seed=seed)
    for _ in range(2):
        match = replay(match, decide(match, ask.Join(), 0.0))
    return match


def final(seed, opponents, options: Options | None = None) -> MatchState:
    match = table_of_two(seed, options)
    for _, _, events in play_out(match, opponents):
        match = replay(match, events)
    return match


def test_there_are_five_strengths():
    assert NAMES == ["slow", "newcomer", "learner", "player", "expert"]
    with pytest.raises(UnknownStrength, match="newcomer"):
        strength("grandmaster")
    assert strength("expert").slug == "expert"


GAMES = 200
DOUBT = 0.001


def chance_of(counts: range, games: int, rate: float) -> float:
    """How likely one of these numbers of wins is, for a player who wins at this rate."""
    return sum(math.comb(games, count) * rate**count * (1 - rate) ** (games - count) for count in counts)


@pytest.mark.parametrize(("weaker", "stronger"), list(itertools.pairwise(NAMES)))
def test_the_stronger_wins_more_than_four_games_of_five_and_the_weaker_few(weaker, stronger):
    """So many wins would be a matter of luck less than once in a thousand times."""
    wins = Counter()
    for seed in range(GAMES):
        # They swap seats, so that neither seat is an advantage.
        sides = (weaker, stronger) if seed % 2 else (stronger, weaker)
        match = final(seed, {seat: STRENGTHS[name] for seat, name in enumerate(sides)})
        wins.update({sides[match.outcome.winners[0]] if len(match.outcome.winners) == 1 else "shared": 1})
    assert chance_of(range(wins[stronger], GAMES + 1), GAMES, 0.8) < DOUBT, wins
    assert chance_of(range(wins[weaker] + 1), GAMES, 0.15) < DOUBT, wins


def test_what_may_be_luck_is_no_proof():
    assert chance_of(range(GAMES + 1), GAMES, 0.8) == pytest.approx(1)
    assert chance_of(range(170, GAMES + 1), GAMES, 0.8) > DOUBT
    assert chance_of(range(180, GAMES + 1), GAMES, 0.8) < DOUBT


@pytest.mark.parametrize("name", NAMES)
def test_mean_times_rise_with_difficulty(name):
    rng = random.Random(3)
    seconds: dict[int, list[float]] = {}
    for _ in range(1_500):
        cards = rng.sample(FULL_DECK, 12)
        ranked = ranked_sets(cards)
        if len(ranked) == 1:
            intent = look(cards, STRENGTHS[name], rng)
            if intent.cards == ranked[0][1]:
                seconds.setdefault(round(ranked[0][0]), []).append(intent.after)
    efforts = sorted(effort for effort, times in seconds.items() if len(times) >= 15)
    means = [fmean(seconds[effort]) for effort in efforts]
    assert len(means) >= 3
    assert means == sorted(means)


def test_the_strong_are_faster_on_the_hard_ones_only():
    newcomer, expert = STRENGTHS["newcomer"], STRENGTHS["expert"]
    assert len({STRENGTHS[name].start for name in AS_PEOPLE}) == 1
    assert newcomer.slope > 4 * expert.slope


def test_with_the_small_deck_the_slow_one_leaves_a_child_time_to_look():
    rng = random.Random(5)
    small = [card for card in FULL_DECK if card.shading is Shading.SOLID]
    seconds = sorted(look(rng.sample(small, 12), STRENGTHS["slow"], rng).after for _ in range(500))
    assert seconds[len(seconds) // 20] > 6
    assert 10 < seconds[len(seconds) // 2] < 30


def test_beginners_mistake_near_misses_and_mostly_overlook_shading_and_number():
    rng = random.Random(5)
    broken = Counter()
    for _ in range(3_000):
        intent = look(rng.sample(FULL_DECK, 12), STRENGTHS["newcomer"], rng)
        if intent.cards and not (verdict := explain(*intent.cards)).is_set:
            (feature,) = verdict.broken
            broken[str(feature.feature)] += 1
    assert sum(broken.values()) > 100
    assert broken["shading"] + broken["number"] > 2 * (broken["color"] + broken["shape"])


def test_beginners_also_say_that_there_is_no_set_when_there_is():
    rng = random.Random(5)
    impatient = Strength(slug="impatient", slope=0.85, patience=5.0)
    intents = [look(table, impatient, rng) for table in (rng.sample(FULL_DECK, 12) for _ in range(200))]
    assert any(intent.cards is None for intent in intents)


def test_a_table_without_a_set_is_agreed_to_have_none():
    rng = random.Random(1)
    table = next(cards for cards in iter(lambda: rng.sample(FULL_DECK, 12), None) if not find_sets(cards))
    assert look(table, STRENGTHS["expert"], random.Random(2)).cards is None


def test_a_game_of_computers_is_the_same_each_time():
    opponents = {0: STRENGTHS["newcomer"], 1: STRENGTHS["player"]}
    assert list(play_out(table_of_two("again"), opponents)) == list(play_out(table_of_two("again"), opponents))


@pytest.mark.parametrize("edition", ["1990s", "1997", "fr"])
def test_computers_play_every_kind_of_game_to_its_end(edition):
    for seed in range(10):
        match = final(seed, {0: STRENGTHS["learner"], 1: STRENGTHS["learner"]}, Options.of(edition, easy=seed % 2 == 0))
        assert match.phase is Phase.OVER


def finds_of(model: Strength, count: int) -> list[Find]:
    rng = random.Random(9)
    efforts = [rng.uniform(0.5, 4.5) for _ in range(count)]
    times = [model.start * math.exp(model.slope * (effort - 1) + rng.gauss(0, model.spread)) for effort in efforts]
    return [Find(effort, time) for effort, time in zip(efforts, times, strict=True)]


@pytest.mark.parametrize("name", AS_PEOPLE)
def test_like_me_comes_close_to_the_player_it_is_fitted_to(name):
    model = STRENGTHS[name]
    fitted = like(finds_of(model, 400), wrong=40)
    assert fitted.start == pytest.approx(model.start, rel=0.2)
    assert fitted.slope == pytest.approx(model.slope, abs=0.08)
    assert fitted.spread == pytest.approx(model.spread, abs=0.08)
    assert fitted.slips == pytest.approx(40 / 440, abs=0.01)


def test_like_me_without_any_find_is_the_middle_strength():
    fitted, middle = like([]), STRENGTHS["player"]
    assert (fitted.start, fitted.slope) == (pytest.approx(middle.start), pytest.approx(middle.slope))


def test_times_that_cannot_be_are_refused():
    for finds, wrong in (([Find(1.0, 0.0)], 0), ([Find(1.0, math.inf)], 0), ([], -1)):
        with pytest.raises(RulesError):
            like(finds, wrong=wrong)
