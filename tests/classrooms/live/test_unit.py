"""A unit of the course done with the whole class."""

from __future__ import annotations

import re
from itertools import combinations, islice

import pytest
from django.core.cache import cache
from django.http import QueryDict

from classrooms.live import together
from classrooms.live.activities.base import player_of
from classrooms.live.activities.unit import KIND
from classrooms.models import Answer, Stage, User
from core.actors import merge_guest
from games.players import Player
from games.rules import Card, Feature, find_sets, is_set
from lessons.course.units import course
from lessons.models import LearningEvent, StepDone
from lessons.progress.snapshots import skill_states_of
from lessons.questions import Exercise
from lessons.questions.course import Look, NameValue, PickAll, Scene, WhatChanged
from lessons.questions.explain import Explain
from lessons.skills import Skill
from tests.classrooms.live.lesson import Lesson, a_lesson

pytestmark = pytest.mark.django_db

UNITS = [unit.slug for unit in course()]


def put_now(lesson: Lesson) -> together.AskedStep:
    return KIND.asked_step(lesson.activity)


def right_answers(put: together.AskedStep) -> list[dict]:
    """The forms with right answers."""
    question = put.question
    for choice in question.choices_with_one_tap():
        if choice.is_right:
            return [{choice.name: choice.value}]
    match question:
        case Explain():
            return [{feature.value: make.value for feature, make in question.solve().makes.items()}]
        case Exercise():
            return [{"cards": [card.index for card in triple]} for triple in question.solve().sets][: question.picks]
        case PickAll():
            return [{"cards": [card.index for card in question.shown_solution().cards]}]
        case Scene(do="set"):
            return [{"cards": [card.index for card in find_sets(question.match.table)[0]]}]
    return [{}]


def go_to(lesson: Lesson, step: str) -> together.AskedStep:
    """Skip through the unit to a step."""
    for _step in range(20):
        put = put_now(lesson)
        if put.step.slug == step:
            return put
        lesson.steer("next")
    raise AssertionError(f"no step {step}")


@pytest.mark.parametrize("unit", UNITS)
def test_every_unit_can_be_gone_through_and_is_done_in_the_course(unit):
    lesson = a_lesson(2)
    lesson.begin("unit", unit=unit)
    for _round in range(20):
        cache.clear()
        put = put_now(lesson)
        assert str(put.step.title) in lesson.projector()
        assert str(put.step.title) in lesson.device(0)
        if put.question.is_asked:
            for form in right_answers(put):
                assert lesson.act(0, **form).status_code == 200, put
            assert "Your answer is in" in lesson.device(0)
            assert lesson.act(0, **form).status_code == 422
        else:
            assert "Look at the board" in lesson.device(0)
            assert lesson.act(0).status_code == 422
        if put.question.has_more_to_show:
            lesson.steer("reveal")
            assert lesson.activity.stage == Stage.REVEALED
            lesson.projector()
            if put.question.is_asked:
                assert "Yes!" in lesson.device(0)
                lesson.device(1)
        lesson.remote()
        lesson.steer("finish" if put.is_last else "next")
        if put.is_last:
            break
    assert lesson.activity.stage == Stage.DONE
    assert all(Answer.objects.values_list("event__is_right", flat=True))
    done = StepDone.objects.filter(user=lesson.seats[0].user, unit=unit)
    assert {each.step for each in done} == {step.slug for step in put.unit.steps}
    others = StepDone.objects.filter(user=lesson.seats[1].user, unit=unit)
    asked = {step.slug for step in put.unit.steps if step.question.for_class("", 0).is_asked}
    assert {each.step for each in others} == {step.slug for step in put.unit.steps} - asked


def test_no_button_of_the_remote_asks_first_because_a_question_is_on():
    lesson = a_lesson(1)
    asks = re.compile('data-hx-confirm="([^"]*)"')
    before = asks.findall(lesson.remote())
    lesson.begin("unit", unit="third-card")
    go_to(lesson, "first-try")
    assert asks.findall(lesson.remote()) == before


def test_only_units_of_the_course_can_be_begun():
    lesson = a_lesson(1)
    assert lesson.begin("unit", unit="nonsense").status_code == 422
    assert not lesson.session.activities.exists()


def test_the_answer_is_in_no_response_before_the_teacher_shows_it():
    lesson = a_lesson(2)
    lesson.begin("unit", unit="third-card")
    put = go_to(lesson, "first-try")
    (form,) = right_answers(put)
    lesson.act(0, **form)
    for page in (lesson.device(0), lesson.device(1), lesson.projector()):
        assert "is-right" not in page
        assert "verdict-lines" not in page
        assert "Yes!" not in page
    lesson.steer("reveal")
    assert "verdict-lines" in lesson.device(1)
    assert "is-right" in lesson.projector()


def test_a_wrong_answer_is_kept_with_its_feature_and_explained_after_the_reveal():
    lesson = a_lesson(2)
    lesson.begin("unit", unit="third-card")
    put = go_to(lesson, "first-try")
    wrong = next(choice for choice in put.question.choices_with_one_tap() if not choice.is_right)
    lesson.act(0, **{wrong.name: wrong.value})
    answer = Answer.objects.get()
    assert not answer.is_right
    assert answer.missed
    assert len(answer.cards) == 3
    event = LearningEvent.objects.get()
    assert answer.event == event
    assert event.user == lesson.seats[0].user
    assert (event.source, event.unit, event.step) == ("lesson", "third-card", "first-try")
    assert not StepDone.objects.filter(step="first-try").exists()
    lesson.steer("reveal")
    page = lesson.device(0)
    assert "Not this time" in page
    assert page.count("verdict-lines") == 2


def test_what_was_said_is_counted_on_the_projector():
    lesson = a_lesson(3)
    lesson.begin("unit", unit="cards")
    put = go_to(lesson, "color-green")
    assert isinstance(put.question, NameValue)
    for place, value in enumerate(("green", "green", "red")):
        lesson.act(place, value=value)
    assert "Everybody has answered" in lesson.projector()
    lesson.steer("reveal")
    bars = KIND.projector(lesson.activity).context["bars"]
    assert [(bar.words, bar.number, bar.is_right) for bar in bars] == [
        ("red", 1, False),
        ("green", 2, True),
        ("purple", 0, False),
    ]
    states = skill_states_of([seat.user for seat in lesson.seats])
    assert [each[Skill.COLOR].tries for each in states.values()] == [1, 1, 1]


def test_nonsense_is_refused_in_words_and_nothing_is_kept():
    lesson = a_lesson(1)
    lesson.begin("unit", unit="cards")
    go_to(lesson, "shape-squiggle")
    for form in ({}, {"cards": ["80", "x"]}, {"value": "red"}):
        response = lesson.act(0, **form)
        assert response.status_code == 422
        assert "notice" in response.text
    assert not Answer.objects.exists()


def test_where_all_sets_are_to_be_found_everybody_has_as_many_picks_as_there_are():
    lesson = a_lesson(1)
    lesson.begin("unit", unit="full-deck")
    put = go_to(lesson, "find-all")
    forms = right_answers(put)
    assert len(forms) == put.question.picks > 1
    lesson.act(0, **forms[0])
    assert "more to find" in lesson.device(0)
    assert lesson.act(0, **forms[0]).status_code == 422
    no_sets = (triple for triple in combinations(put.question.cards, 3) if not is_set(*triple))
    for triple in islice(no_sets, put.question.picks - 1):
        lesson.act(0, cards=[card.index for card in triple])
    assert Answer.objects.filter(event__is_right=True).count() == 1
    assert not StepDone.objects.filter(step="find-all").exists()
    assert all(answer["picked"] for answer in Answer.objects.values_list("event__answer", flat=True))


def test_one_more_like_this_makes_another_exercise_of_the_same_step():
    lesson = a_lesson(1)
    lesson.begin("unit", unit="full-deck")
    first = go_to(lesson, "one-differs")
    lesson.steer("reveal")
    assert "One more like this" in lesson.remote()
    lesson.steer("more")
    second = put_now(lesson)
    assert second.step is first.step
    assert second.question.cards != first.question.cards
    assert lesson.activity.stage == Stage.OPEN
    assert lesson.act(0, cards=[card.index for card in second.question.solve().sets[0]]).status_code == 200


def test_a_button_that_is_not_there_does_nothing():
    lesson = a_lesson(1)
    lesson.begin("unit", unit="cards")
    before = lesson.activity.state
    assert isinstance(put_now(lesson).question, Look)
    for order in ("reveal", "more", "nonsense"):
        lesson.steer(order)
    assert lesson.activity.state == before
    assert lesson.activity.stage == Stage.OPEN


def test_answers_on_paper_are_tapped_in_by_the_teacher():
    lesson = a_lesson(2)
    lesson.begin("unit", unit="cards")
    put = go_to(lesson, "number-changed")
    assert isinstance(put.question, WhatChanged)
    activity = lesson.activity
    assert 'name="feature" value="number"' in re.sub(r"\s+", " ", lesson.remote())
    lesson.seat(1, "answer", activity=activity.number, round=activity.round, feature="number")
    answer = Answer.objects.get()
    assert (answer.attendee, answer.is_right) == (lesson.seats[1], True)


def test_a_guest_takes_part_and_takes_along_what_was_learned():
    lesson = a_lesson(0, guests=True)
    guest = lesson.teacher.__class__()
    guest.post(f"/session/{lesson.code}/join/")
    lesson.join(guest)
    lesson.begin("unit", unit="cards")
    go_to(lesson, "color-green")
    assert lesson.act(0, value="green").status_code == 200
    answer = Answer.objects.get()
    assert answer.attendee.user is None
    assert answer.event.guest == answer.attendee.guest
    assert not StepDone.objects.exists()
    user = User.objects.create_student(display_name="Mia", pictures="")
    merge_guest(player_of(answer.attendee), Player(name="Mia", user=user))
    assert skill_states_of([user])[user.pk][Skill.COLOR].tries == 1
    assert Answer.objects.get().event.user == user


def test_the_same_seed_makes_the_same_exercise_and_features_come_in_any_order():
    orders = set()
    for seed in map(str, range(12)):
        wanted = [together.asked_step("magic-rule", 2, seed, turn).question.wanted.focus for turn in range(4)]
        orders.add(tuple(wanted))
        assert together.asked_step("magic-rule", 2, seed, 1) == together.asked_step("magic-rule", 2, seed, 1)
    assert len(orders) > 1
    assert all(isinstance(each, Feature) for order in orders for each in order)


def test_every_choice_is_an_answer_that_can_be_judged():
    for unit in course():
        for place in range(len(unit.steps)):
            question = together.asked_step(unit.slug, place, "seed", 0).question
            taps = question.choices_with_one_tap()
            assert not taps or any(each.is_right for each in taps)
            for each in taps:
                answer = question.one_answer.read(QueryDict(f"{each.name}={each.value}"))
                graded = question.one_answer.grade(answer)
                assert graded.is_right is each.is_right
                assert each.was_said(answer)
                assert all(isinstance(card, Card) for card in question.cards_in(answer))
