"""The written course: complete, valid, in short sentences, and true to the rules."""

import random
import re
from collections import Counter
from itertools import combinations
from statistics import mean

import pytest
from django.utils import translation
from django.utils.functional import Promise

from games.odds import exact_no_set
from games.rules import Feature, find_sets, is_set, third_card
from games.rules.state import Phase
from games.rules.triples import FeaturePattern, differing
from lessons.course.units import ORDER, course, find_step, step_after
from lessons.questions import make_exercise
from lessons.questions.course import Ask, Drill, Experiment, Look, NameValue, NoSetBuilder, PickAll, Scene, WhatChanged
from lessons.skills import ExerciseKind

UNITS = dict(zip(ORDER, course(), strict=True))
STEPS = [(unit, step) for unit in course() for step in unit.steps]
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def steps_with(kind):
    found = [(unit, step) for unit, step in STEPS if isinstance(step.question, kind)]
    return pytest.mark.parametrize("step", [step for _, step in found], ids=[f"{u.slug}/{s.slug}" for u, s in found])


def texts_of(unit):
    yield from (unit.title, unit.about)
    for step in unit.steps:
        yield from (step.title, *step.words)


def sentences_of(*texts):
    with translation.override("en-us"):
        return [sentence for text in texts for sentence in re.split(r"(?<=[.!?])\s+", str(text))]


# The whole.


def test_every_unit_is_in_the_order_and_named_by_its_module():
    assert [unit.slug for unit in course()] == [name.replace("_", "-") for name in ORDER]


def test_slugs_are_unique_and_safe_in_an_address():
    for unit in course():
        slugs = [step.slug for step in unit.steps]
        assert len(set(slugs)) == len(slugs)
        assert all(SLUG.fullmatch(slug) for slug in [unit.slug, *slugs])


def test_a_unit_is_a_handful_of_steps():
    sizes = {name: len(unit.steps) for name, unit in UNITS.items()}
    assert sizes.pop("five_examples") == 15
    assert sizes.pop("the_play") == 10
    assert all(4 <= size <= 9 for size in sizes.values()), sizes


def test_the_course_is_walked_from_the_first_step_to_the_last():
    walked = [(STEPS[0][0], STEPS[0][1])]
    while (after := step_after(walked[-1][0].slug, walked[-1][1].slug)) is not None:
        walked.append(after)
    assert walked == STEPS
    assert all(find_step(unit.slug, step.slug) == (unit, step) for unit, step in STEPS)


# The words.


@pytest.mark.parametrize("unit", course(), ids=ORDER)
def test_all_words_wait_to_be_translated(unit):
    assert all(isinstance(text, Promise) for text in texts_of(unit))


@pytest.mark.parametrize("unit", course(), ids=ORDER)
def test_every_step_says_something_and_little(unit):
    for step in unit.steps:
        assert 1 <= len(step.words) <= 2, step.slug
        assert all(str(text).strip() for text in (step.title, *step.words)), step.slug
        assert len(sentences_of(*step.words)) <= 3, step.slug


@pytest.mark.parametrize("unit", course(), ids=ORDER)
def test_sentences_are_short(unit):
    lengths = [len(sentence.split()) for step in unit.steps for sentence in sentences_of(*step.words)]
    assert mean(lengths) <= 10
    assert max(lengths) <= 18


@pytest.mark.parametrize("unit", course(), ids=ORDER)
def test_sentences_are_finished_and_titles_are_not(unit):
    with translation.override("en-us"):
        for step in unit.steps:
            assert all(str(text)[-1] in ".?!" for text in step.words), step.slug
            assert not str(step.title).endswith("."), step.slug


@pytest.mark.parametrize("unit", course(), ids=ORDER)
def test_nobody_is_scolded_or_hurried(unit):
    text = " ".join(sentences_of(*texts_of(unit))).lower()
    assert not re.search(r"\b(wrong|fail\w*|mistakes?|error|invalid|quick!|hurry up|faster|incorrect)\b", text)


# The cards.


def looked_at(question):
    match question:
        case NameValue() | PickAll():
            return question.feature
        case WhatChanged(first, second):
            return next(feature for feature in Feature if first.value(feature) is not second.value(feature))


def test_shading_and_number_get_at_least_twice_the_steps_of_color_and_shape():
    counts = Counter(filter(None, (looked_at(step.question) for step in UNITS["cards"].steps)))
    assert min(counts[feature] for feature in Feature) >= 1
    assert min(counts["shading"], counts["number"]) >= 2 * max(counts["color"], counts["shape"])


def test_the_first_unit_names_sorts_and_compares():
    kinds = {type(step.question) for step in UNITS["cards"].steps}
    assert kinds == {Look, NameValue, PickAll, WhatChanged}


SAME, DIFFERENT, TWO_AND_ONE = FeaturePattern.ALL_SAME, FeaturePattern.ALL_DIFFERENT, FeaturePattern.TWO_AND_ONE
# RULES.md, "The five example triples": per feature the pattern, the value of all or of the two, and that of the third.
FIVE = [
    {
        "color": (SAME, "red", None),
        "shape": (SAME, "oval", None),
        "number": (SAME, 2, None),
        "shading": (DIFFERENT, None, None),
    },
    {
        "color": (DIFFERENT, None, None),
        "shape": (DIFFERENT, None, None),
        "number": (DIFFERENT, None, None),
        "shading": (SAME, "striped", None),
    },
    dict.fromkeys(["color", "shape", "number", "shading"], (DIFFERENT, None, None)),
    {
        "shape": (SAME, "diamond", None),
        "number": (SAME, 1, None),
        "color": (DIFFERENT, None, None),
        "shading": (TWO_AND_ONE, "outlined", "solid"),
    },
    {
        "shape": (SAME, "squiggle", None),
        "number": (SAME, 2, None),
        "shading": (DIFFERENT, None, None),
        "color": (TWO_AND_ONE, "red", "green"),
    },
]


@pytest.mark.parametrize("place", range(5))
def test_the_five_examples_give_the_verdicts_of_the_sheets(place):
    decide, look, tell = UNITS["five_examples"].steps[3 * place : 3 * place + 3]
    (verdict,) = look.question.verdicts
    found = {str(each.feature): (each.kind, each.shared, each.odd_value) for each in verdict.features}
    assert found == FIVE[place]
    assert verdict.is_set is (place < 3)
    assert decide.question.exercise.kind is ExerciseKind.IS_SET
    assert tell.question.exercise.kind is ExerciseKind.EXPLAIN
    assert decide.question.exercise.cards == tell.question.exercise.cards == verdict.cards


# The questions.


@steps_with(Drill)
def test_a_drill_can_be_made_from_any_seed(step):
    assert step.question.right >= 1
    for wanted in step.question.wanted:
        made = [make_exercise(wanted, str(seed)) for seed in range(20)]
        assert all(exercise.wanted == wanted and exercise.cards for exercise in made)
        assert len({exercise.cards for exercise in made}) > 15


@steps_with(Ask)
def test_an_exercise_of_the_course_makes_sense(step):
    exercise = step.question.exercise
    assert exercise.seed == ""
    if exercise.kind is ExerciseKind.THIRD_CARD:
        third = third_card(*exercise.cards)
        assert third in exercise.choices
        assert len(set(exercise.choices)) == len(exercise.choices) >= 4
        assert not set(exercise.cards) & set(exercise.choices)
        assert exercise.wanted.difficulty == differing((*exercise.cards, third))
    else:
        assert exercise.kind is not ExerciseKind.WHICH_BREAKS or not is_set(*exercise.cards)
        assert not is_set(*exercise.cards) or exercise.wanted.difficulty == differing(exercise.cards)


def test_the_small_deck_comes_before_the_full_one():
    for name, easy in [("easy_start", True), ("full_deck", False)]:
        drills = [step.question for step in UNITS[name].steps if isinstance(step.question, Drill)]
        wanted = [each for drill in drills for each in drill.wanted]
        assert {each.easy for each in wanted} == {easy}
        assert {each.kind for each in wanted} == {ExerciseKind.FIND_ONE, ExerciseKind.FIND_ALL, ExerciseKind.ANY_SET}
    ones = [each.difficulty for each in wanted if each.kind is ExerciseKind.FIND_ONE]
    assert ones == [1, 2, 3, 4]


@steps_with(Scene)
def test_a_scene_is_legal_and_what_it_asks_for_can_be_done(step):
    scene = step.question
    assert scene.match.seats[0].number == 0
    answer = {"cards": [str(card.index) for card in find_sets(scene.match.table)[0]]} if scene.do == "set" else {}
    assert scene.grade(answer).is_right
    if scene.do != "go on":
        assert scene.match.phase is Phase.PLAYING


def match_at(unit, step):
    return find_step(unit, step)[1].question.match


def points_at(unit, step):
    return tuple(seat.points for seat in match_at(unit, step).seats)


def test_the_guided_match_is_one_match():
    (green_ovals,) = find_sets(match_at("the-play", "pick").table)
    assert {(card.color, card.shape) for card in green_ovals} == {("green", "oval")}
    assert [
        card for card in match_at("the-play", "call").table if (card.color, card.shape) == ("green", "oval")
    ] == list(green_ovals)
    assert points_at("the-play", "control") == (1, 0)
    assert match_at("the-play", "control").control.seat == 1
    assert points_at("the-play", "too-late") == (1, -1)
    assert points_at("the-play", "not-a-set") == points_at("the-play", "no-set") == (1, -2)
    assert match_at("the-play", "no-set").votes == {1}
    assert len(match_at("the-play", "fifteen-cards").table) == 15


def test_the_last_set_ends_the_game_whichever_one_takes():
    before, after = match_at("the-play", "last-set"), match_at("the-play", "the-score")
    assert points_at("the-play", "last-set") == (3, 3)
    assert not before.deck
    for taken in find_sets(before.table):
        assert not find_sets([card for card in before.table if card not in taken])
    assert points_at("the-play", "the-score") == (4, 3)
    assert after.phase is Phase.OVER
    assert after.outcome.winners == (0,)


def test_the_solitaire_is_paid_back_and_won():
    assert not find_sets(match_at("solitaire", "three-more").table)
    assert match_at("solitaire", "fifteen-cards").seats[0].owed == 1
    last = match_at("solitaire", "pay-back")
    assert (len(last.deck), len(last.table), last.seats[0].owed, len(find_sets(last.table))) == (0, 12, 1, 1)
    assert match_at("solitaire", "won").outcome.winners == (0,)
    strict = match_at("solitaire", "sheet-of-1997")
    assert strict.phase is Phase.OVER
    assert strict.outcome.winners == ()


def test_the_odds_in_words_are_the_exact_ones():
    words = " ".join(sentences_of(*texts_of(UNITS["odds"])))
    for quoted in ["33 to 1", "2,500 to 1", "30 to 1", "2,741 to 1", "14 to 1", "one table in 2,225"]:
        assert quoted in words
    assert round(1 / exact_no_set("full", 12) - 1) == 30
    assert round(1 / exact_no_set("full", 15) - 1) == 2741
    assert round(1 / exact_no_set("easy", 9)) == 2225
    (always,) = [step for step in UNITS["odds"].steps if step.slug == "always"]
    assert len(always.question.cards) == 12
    assert not find_sets(always.question.cards)


@steps_with(Experiment)
def test_an_experiment_runs(step):
    assert step.question.grade({"seed": "a class"}).is_right


def test_every_three_cards_offered_that_are_no_set_make_a_square_of_twelve():
    square = find_step("beyond", "magic-square")[1].question
    for triple in combinations(square.cards, 3):
        if not is_set(*triple):
            answer = {"cards": [str(card.index) for card in triple]}
            assert len(find_sets(square.square(answer))) == 12


@steps_with(NoSetBuilder)
def test_enough_cards_without_a_set_are_reached_whichever_one_takes(step):
    builder = step.question
    for seed in range(200):
        deck = random.Random(seed).sample(builder.deck, len(builder.deck))
        picked = []
        for card in deck:
            if not find_sets([*picked, card]):
                picked.append(card)
        assert builder.enough <= len(picked) <= builder.most
        assert builder.grade({"cards": [str(card.index) for card in picked]}).is_right
