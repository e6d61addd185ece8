"""Grading: correct by the plain rules, informative about skills, and robust against any input."""

import contextlib
import itertools
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules import Card, Feature, is_set
from lessons.questions import AnswerFault, BadAnswer, Exercise, exercise_of, make_exercise
from lessons.skills import ExerciseKind, Skill, Wanted
from tests.builders.cards import indices
from tests.lessons.samples import broken, differing, exercises, explained, is_yes, make_of, sets_on

NUMBER, COLOR, SHADING, SHAPE = Feature

# Compare every grade with the plain rules


def answers(exercise: Exercise, rng: random.Random):
    """Some right and wrong answers, each with whether it's right."""
    cards = exercise.cards
    feature = rng.choice(list(Feature))
    match exercise.kind:
        case ExerciseKind.IS_SET:
            yield {"yes": True}, not broken(cards)
            yield {"yes": False}, bool(broken(cards))
            yield {"yes": False, "breaks": feature.value}, feature in broken(cards)
        case ExerciseKind.WHICH_BREAKS:
            yield {"breaks": broken(cards)[0].value}, True
            yield {"breaks": feature.value}, feature in broken(cards)
        case ExerciseKind.EXPLAIN:
            yield explained(exercise), True
            makes = {"all-same", "all-different", "two-and-one"} - {make_of(cards, feature)}
            yield explained(exercise) | {feature.value: rng.choice(sorted(makes))}, False
        case ExerciseKind.THIRD_CARD:
            two = rng.sample(exercise.choices, 2)
            yield from (({"card": card.index}, not broken((*cards, card))) for card in two)
        case ExerciseKind.FIND_ONE:
            yield {"cards": indices(rng.choice(sets_on(cards)))}, True
            picked = rng.sample(cards, 3)
            yield {"cards": [card.index for card in picked]}, not broken(picked)
        case ExerciseKind.FIND_ALL:
            found = [indices(triple) for triple in sets_on(cards)]
            wrong = next(triple for triple in itertools.combinations(cards, 3) if broken(triple))
            yield {"sets": rng.sample(found, len(found))}, True
            yield {"sets": rng.choice([found[1:], [*found, indices(wrong)]])}, False
        case ExerciseKind.ANY_SET:
            yield {"yes": True}, is_yes(exercise)
            yield {"yes": False}, not is_yes(exercise)


def graded(kind, count=None):
    rng = random.Random(3)
    for exercise in exercises(kind)[:count]:
        for answer, is_right in answers(exercise, rng):
            yield exercise, answer, is_right, exercise.grade(answer)


@pytest.mark.parametrize("kind", ExerciseKind)
def test_grades_agree_with_the_plain_rules(kind):
    for exercise, answer, is_right, result in graded(kind):
        assert result.is_right == is_right, (exercise, answer)
        verdict = result.verdict
        assert verdict is None or [each.feature for each in verdict.broken] == broken(verdict.cards)
        skills = [each.skill for each in result.evidence]
        assert len(set(skills)) == len(skills)
        assert (skills[0], result.evidence[0].is_right) == (kind.value, is_right)
        wrong = {each.skill.value for each in result.evidence if not each.is_right}
        assert wrong & {feature.value for feature in Feature} == {feature.value for feature in result.missed}
        assert not (is_right and wrong)


@pytest.mark.parametrize("kind", ExerciseKind)
def test_the_solution_is_what_the_plain_rules_say(kind):
    for exercise in exercises(kind)[:2_000]:
        solution = exercise.solve()
        match kind:
            case ExerciseKind.THIRD_CARD:
                assert not broken((*exercise.cards, solution.card))
            case ExerciseKind.EXPLAIN:
                assert solution.makes == explained(exercise)
            case ExerciseKind.IS_SET | ExerciseKind.WHICH_BREAKS:
                assert list(solution.breaks) == broken(exercise.cards)
                assert solution.yes in {None, not solution.breaks}
            case _:
                assert set(map(frozenset, solution.sets)) == set(sets_on(exercise.cards))
                assert solution.yes in {None, is_yes(exercise)}


# What an answer says about skills


def triple(kind: ExerciseKind, *cards: str, easy: bool = False) -> Exercise:
    """An exercise with three cards in short notation: "1rso" is one red solid oval."""
    words = {
        "r": "red", "g": "green", "p": "purple", "s": "solid", "t": "striped", "u": "outlined",
        "o": "oval", "q": "squiggle", "d": "diamond",
    }  # fmt: skip
    shown = tuple(Card(int(text[0]), *(words[letter] for letter in text[1:])) for text in cards)
    return exercise_of(Wanted(kind, easy=easy), "by hand", shown)


SET_OF_2 = ("1rso", "2gso", "3pso")
NEAR_MISS = ("1rso", "2rto", "3rso")
CLEAR = ("1rso", "2rto", "3gso")


def evidence(exercise, answer) -> dict[str, bool]:
    return {each.skill.value: each.is_right for each in exercise.grade(answer).evidence}


@pytest.mark.parametrize(
    ("cards", "answer", "says"),
    [
        (SET_OF_2, {"yes": True}, {"is-set": True, "differs-2": True}),
        (SET_OF_2, {"yes": False}, {"is-set": False, "differs-2": False}),
        (SET_OF_2, {"yes": False, "breaks": "color"}, {"is-set": False, "differs-2": False, "color": False}),
        (NEAR_MISS, {"yes": True}, {"is-set": False, "shading": False}),
        (NEAR_MISS, {"yes": False}, {"is-set": True, "shading": True}),
        (NEAR_MISS, {"yes": False, "breaks": "shading"}, {"is-set": True, "shading": True}),
        (NEAR_MISS, {"yes": False, "breaks": "number"}, {"is-set": False, "number": False, "shading": False}),
        (CLEAR, {"yes": True}, {"is-set": False, "color": False, "shading": False}),
        (CLEAR, {"yes": False}, {"is-set": True}),
        (CLEAR, {"yes": False, "breaks": "color"}, {"is-set": True, "color": True}),
        (CLEAR, {"yes": False, "breaks": "shape"}, {"is-set": False, "shape": False}),
    ],
)
def test_what_a_judgement_says_about_skills(cards, answer, says):
    assert evidence(triple(ExerciseKind.IS_SET, *cards), answer) == says


@pytest.mark.parametrize(
    ("blamed", "says"),
    [
        ("shading", {"which-breaks": True, "shading": True}),
        ("number", {"which-breaks": False, "number": False, "shading": False}),
    ],
)
def test_what_a_blame_says_about_skills(blamed, says):
    assert evidence(triple(ExerciseKind.WHICH_BREAKS, *NEAR_MISS), {"breaks": blamed}) == says


def test_an_explanation_tells_about_every_feature_but_those_that_look_the_same_without_looking():
    answer = {"number": "all-different", "color": "all-same", "shading": "all-same", "shape": "two-and-one"}
    says = {"explain": False, "number": True, "shading": False, "shape": False}
    assert evidence(triple(ExerciseKind.EXPLAIN, *NEAR_MISS), answer) == says
    assert triple(ExerciseKind.EXPLAIN, *NEAR_MISS).grade(answer).missed == (SHADING, Feature.SHAPE)


def test_in_the_easy_deck_shading_can_be_seen_wrong_but_not_right():
    exercise = triple(ExerciseKind.EXPLAIN, *SET_OF_2, easy=True)
    right = {"number": "all-different", "color": "all-different", "shading": "all-same", "shape": "all-same"}
    assert "shading" not in evidence(exercise, right)
    assert evidence(exercise, right | {"shading": "two-and-one"})["shading"] is False


def test_the_right_third_card_tells_about_the_features_that_the_choices_differ_in():
    for exercise in exercises(ExerciseKind.THIRD_CARD)[:500]:
        right = next(card for card in exercise.choices if is_set(*exercise.cards, card))
        at_stake = {each.value for each in Feature if len({card.value(each) for card in exercise.choices}) > 1}
        level = f"differs-{exercise.wanted.difficulty}"
        assert evidence(exercise, {"card": right.index}) == dict.fromkeys({"third-card", level} | at_stake, True)


def test_a_wrong_third_card_tells_about_the_features_it_breaks():
    for exercise in exercises(ExerciseKind.THIRD_CARD)[:500]:
        for card in exercise.choices:
            breaks = {each.value for each in broken((*exercise.cards, card))}
            if breaks:
                level = f"differs-{exercise.wanted.difficulty}"
                assert evidence(exercise, {"card": card.index}) == dict.fromkeys({"third-card", level} | breaks, False)


def test_a_pick_tells_what_kind_of_set_was_found_or_what_was_overlooked():
    for exercise in exercises(ExerciseKind.FIND_ONE)[:64]:
        for cards in itertools.combinations(exercise.cards, 3):
            says = {"find-one": not broken(cards)} | {each.value: False for each in broken(cards)}
            says |= {} if broken(cards) else {f"differs-{differing(cards)}": True}
            assert evidence(exercise, {"cards": indices(cards)}) == says


def test_of_sets_to_find_all_of_a_level_counts_as_seen_when_all_of_it_are():
    for exercise in exercises(ExerciseKind.FIND_ALL)[:500]:
        there = sets_on(exercise.cards)
        found = there[1:]
        levels = {f"differs-{differing(each)}": True for each in there} | {f"differs-{differing(there[0])}": False}
        assert evidence(exercise, {"sets": [indices(each) for each in found]}) == {"find-all": False} | levels


def test_a_board_without_a_set_tells_only_about_its_kind():
    for exercise in exercises(ExerciseKind.ANY_SET)[:500]:
        for yes in (True, False):
            is_right = yes == is_yes(exercise)
            level = {f"differs-{exercise.wanted.difficulty}": is_right} if is_yes(exercise) else {}
            assert evidence(exercise, {"yes": yes}) == {"any-set": is_right} | level


def test_every_skill_gets_both_kinds_of_evidence():
    seen = {
        (each.skill, each.is_right)
        for kind in ExerciseKind
        for *_, result in graded(kind, 300)
        for each in result.evidence
    }
    assert seen == set(itertools.product(Skill, [True, False]))


def test_the_verdict_is_on_the_triple_in_question():
    for exercise in exercises(ExerciseKind.THIRD_CARD)[:100]:
        card = exercise.choices[0]
        assert exercise.grade({"card": card.index}).verdict.cards == (*exercise.cards, card)
    for exercise in exercises(ExerciseKind.FIND_ALL)[:100]:
        wrong = next(cards for cards in itertools.combinations(exercise.cards, 3) if broken(cards))
        found = [indices(each) for each in sets_on(exercise.cards)]
        assert set(exercise.grade({"sets": [*found, indices(wrong)]}).verdict.cards) == set(wrong)
        assert exercise.grade({"sets": found}).verdict is None
    for exercise in exercises(ExerciseKind.ANY_SET)[:100]:
        verdict = exercise.grade({"yes": True}).verdict
        assert (verdict is not None and verdict.is_set) == is_yes(exercise)


# Invalid answers


def some(kind) -> Exercise:
    return make_exercise(Wanted(kind, 2), "some")


def not_shown(exercise) -> int:
    shown = {card.index for card in (*exercise.cards, *exercise.choices)}
    return next(index for index in range(81) if index not in shown)


FIND_ONE, FIND_ALL = some(ExerciseKind.FIND_ONE), some(ExerciseKind.FIND_ALL)
A, B, C, D = (card.index for card in FIND_ONE.cards[:4])
FOUND = indices(sets_on(FIND_ALL.cards)[0])

NO_ANSWERS = [
    (ExerciseKind.IS_SET, None, AnswerFault.WRONG_TYPE),
    (ExerciseKind.IS_SET, [], AnswerFault.WRONG_TYPE),
    (ExerciseKind.IS_SET, {}, AnswerFault.NOT_ANSWERED),
    (ExerciseKind.IS_SET, {"yes": None}, AnswerFault.NOT_ANSWERED),
    (ExerciseKind.IS_SET, {"yes": 1}, AnswerFault.WRONG_TYPE),
    (ExerciseKind.IS_SET, {"yes": "true"}, AnswerFault.WRONG_TYPE),
    (ExerciseKind.IS_SET, {"yes": False, "breaks": "weight"}, AnswerFault.UNKNOWN_FEATURE),
    (ExerciseKind.IS_SET, {"yes": False, "breaks": ["color"]}, AnswerFault.WRONG_TYPE),
    (ExerciseKind.IS_SET, {"yes": True, "breaks": "color"}, AnswerFault.CONTRADICTION),
    (ExerciseKind.IS_SET, {"yes": True, "no": False}, AnswerFault.UNKNOWN_FIELD),
    (ExerciseKind.ANY_SET, {"yes": False, "breaks": "color"}, AnswerFault.UNKNOWN_FIELD),
    (ExerciseKind.WHICH_BREAKS, {"breaks": ""}, AnswerFault.UNKNOWN_FEATURE),
    (ExerciseKind.EXPLAIN, {"number": "all-same"}, AnswerFault.NOT_ANSWERED),
    (ExerciseKind.EXPLAIN, dict.fromkeys(Feature, "some-same"), AnswerFault.UNKNOWN_MAKE),
    (ExerciseKind.EXPLAIN, dict.fromkeys(Feature, 2), AnswerFault.WRONG_TYPE),
    (ExerciseKind.THIRD_CARD, {"card": True}, AnswerFault.WRONG_TYPE),
    (ExerciseKind.THIRD_CARD, {"card": 1.0}, AnswerFault.WRONG_TYPE),
    (ExerciseKind.THIRD_CARD, {"card": -1}, AnswerFault.CARD_NOT_SHOWN),
    (ExerciseKind.THIRD_CARD, {"card": not_shown(some(ExerciseKind.THIRD_CARD))}, AnswerFault.CARD_NOT_SHOWN),
    (ExerciseKind.THIRD_CARD, {"card": some(ExerciseKind.THIRD_CARD).cards[0].index}, AnswerFault.CARD_NOT_SHOWN),
    (ExerciseKind.FIND_ONE, {"cards": "abc"}, AnswerFault.WRONG_TYPE),
    (ExerciseKind.FIND_ONE, {"cards": [A, B, None]}, AnswerFault.WRONG_TYPE),
    (ExerciseKind.FIND_ONE, {"cards": [A, B, not_shown(FIND_ONE)]}, AnswerFault.CARD_NOT_SHOWN),
    (ExerciseKind.FIND_ONE, {"cards": [A, B, A]}, AnswerFault.SAME_CARD_TWICE),
    (ExerciseKind.FIND_ONE, {"cards": []}, AnswerFault.FEWER_THAN_THREE),
    (ExerciseKind.FIND_ONE, {"cards": [A, B]}, AnswerFault.FEWER_THAN_THREE),
    (ExerciseKind.FIND_ONE, {"cards": [A, B, C, D]}, AnswerFault.MORE_THAN_THREE),
    (ExerciseKind.FIND_ALL, {"sets": FOUND}, AnswerFault.WRONG_TYPE),
    (ExerciseKind.FIND_ALL, {"sets": [FOUND, FOUND[:2]]}, AnswerFault.FEWER_THAN_THREE),
    (ExerciseKind.FIND_ALL, {"sets": [FOUND, FOUND[::-1]]}, AnswerFault.SAME_SET_TWICE),
]


@pytest.mark.parametrize(("kind", "answer", "reason"), NO_ANSWERS, ids=str)
def test_what_is_no_answer_is_refused_with_the_reason(kind, answer, reason):
    with pytest.raises(BadAnswer) as refused:
        some(kind).grade(answer)
    assert refused.value.reason is reason
    assert isinstance(refused.value, ValueError)


def test_every_reason_is_tried():
    assert {reason for *_, reason in NO_ANSWERS} == set(AnswerFault)


names = st.sampled_from(["yes", "breaks", "card", "cards", "sets", *Feature]).map(str)
scalars = (
    st.none() | st.booleans() | st.integers(-2, 90) | st.integers() | st.floats(allow_nan=False)
    | st.sampled_from([*Feature, "all-same", "two-and-one"]).map(str) | st.text(max_size=5)
)  # fmt: skip
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names | st.text(max_size=5), inner, max_size=5),
    max_leaves=12,
)
nearly_answers = st.one_of(
    st.dictionaries(names, anything, max_size=4),
    st.fixed_dictionaries({"yes": scalars}, optional={"breaks": scalars}),
    st.fixed_dictionaries({feature.value: scalars for feature in Feature}),
    st.fixed_dictionaries({"cards": st.lists(st.sampled_from([A, B, C, D]) | scalars, max_size=4)}),
    st.fixed_dictionaries({"sets": st.lists(st.permutations(FOUND) | st.lists(scalars, max_size=4), max_size=3)}),
)


@pytest.mark.parametrize("kind", ExerciseKind)
@settings(max_examples=300, deadline=None)
@given(answer=anything | nearly_answers)
def test_any_json_is_graded_or_refused_and_nothing_else(kind, answer):
    answer = json.loads(json.dumps(answer))
    with contextlib.suppress(BadAnswer):
        result = some(kind).grade(answer)
        assert result.evidence[0].is_right is result.is_right
