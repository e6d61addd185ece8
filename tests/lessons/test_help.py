"""Help in stages: one more thing each time, with the answer last."""

import pytest

from lessons.questions import HelpKind
from lessons.skills import ExerciseKind
from tests.lessons.samples import broken, exercises, explained, is_yes, make_of, of_make, sets_on


@pytest.mark.parametrize("kind", ExerciseKind)
def test_help_ends_with_the_answer_and_does_not_begin_with_it(kind):
    for exercise in exercises(kind)[:300]:
        stages = exercise.help_stages()
        assert len(stages) >= 4
        assert not stages[0].cards
        assert not stages[0].verdicts
        last = stages[-1]
        match kind:
            case ExerciseKind.IS_SET | ExerciseKind.WHICH_BREAKS | ExerciseKind.EXPLAIN:
                assert [each.kind for each in last.verdicts] == list(explained(exercise).values())
            case ExerciseKind.THIRD_CARD:
                assert not broken((*exercise.cards, *last.cards))
            case _:
                assert frozenset(last.cards) in sets_on(exercise.cards) or (last.count == 0 and not is_yes(exercise))


@pytest.mark.parametrize("kind", [ExerciseKind.IS_SET, ExerciseKind.EXPLAIN])
def test_help_points_at_a_feature_before_it_says_how_it_stands(kind):
    for exercise in exercises(kind)[:300]:
        _, look, stands, _ = exercise.help_stages()
        assert (look.kind, stands.kind) == (HelpKind.LOOK_AT, HelpKind.HOW_IT_STANDS)
        assert look.feature is stands.feature
        assert look.feature in (broken(exercise.cards) or of_make(exercise.cards, "all-different"))
        assert not look.verdicts
        assert [str(each.kind) for each in stands.verdicts] == [make_of(exercise.cards, stands.feature)]


def test_help_does_not_name_the_feature_that_breaks_it_before_the_end():
    for exercise in exercises(ExerciseKind.WHICH_BREAKS)[:300]:
        *before, _ = exercise.help_stages()
        assert {each.feature for each in before}.isdisjoint(broken(exercise.cards))
        ruled_out, odd = before[1:]
        assert ruled_out.verdicts[0].feature is ruled_out.feature
        (feature,) = broken(exercise.cards)
        values = [card.value(feature) for card in exercise.cards]
        assert values.count(odd.cards[0].value(feature)) == 1


def test_help_with_a_third_card_gives_the_value_of_a_feature_at_stake_then_the_card():
    for exercise in exercises(ExerciseKind.THIRD_CARD)[:300]:
        _, look, value, card = exercise.help_stages()
        assert look.feature is value.feature
        assert len({each.value(look.feature) for each in exercise.choices}) > 1
        assert exercise.wanted.focus in {None, look.feature}
        assert value.value == card.cards[0].value(look.feature)


def test_help_on_a_board_tells_how_many_then_card_by_card():
    for exercise in exercises(ExerciseKind.FIND_ONE)[:300]:
        stages = exercise.help_stages()
        assert [len(stage.cards) for stage in stages] == [0, 1, 2, 3]
        assert {stage.count for stage in stages} == {len(sets_on(exercise.cards))}


def test_help_to_find_all_leads_to_every_set():
    for exercise in exercises(ExerciseKind.FIND_ALL)[:300]:
        stages = exercise.help_stages()
        shown = {frozenset(stage.cards) for stage in stages if stage.kind is HelpKind.THE_SET}
        assert shown == set(sets_on(exercise.cards))
        assert len(stages) == 1 + 3 * len(shown)


def test_help_on_whether_there_is_a_set_looks_the_same_up_to_the_answer():
    for exercise in exercises(ExerciseKind.ANY_SET)[:300]:
        *before, _ = exercise.help_stages()
        assert [(stage.kind, len(stage.cards), stage.count) for stage in before] == [
            (HelpKind.TWO_MAKE_A_THIRD, 0, None),
            (HelpKind.AMONG_THESE, 5, None),
            (HelpKind.AMONG_THESE, 4, None),
        ]
        for stage in before[1:]:
            assert bool(sets_on(stage.cards)) == is_yes(exercise)
            assert list(stage.cards) == [card for card in exercise.cards if card in stage.cards]
        assert exercise.help_stages() == exercise.help_stages()


def test_every_kind_of_help_is_given_somewhere():
    given_somewhere = {
        stage.kind for kind in ExerciseKind for each in exercises(kind)[:50] for stage in each.help_stages()
    }
    assert given_somewhere == set(HelpKind)
