"""An answer takes the same few queries in a small lesson and in a very large one."""

from __future__ import annotations

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext

from classrooms.live import joining
from classrooms.live.activities.base import player_of
from classrooms.live.activities.builder import KIND as BUILDER
from classrooms.live.activities.relay import KIND as RELAY
from classrooms.live.activities.silent_board import KIND as BOARD
from classrooms.live.activities.teams import own_team
from classrooms.live.activities.unit import KIND as UNIT
from classrooms.live.errors import LessonRefusal
from classrooms.live.store import place_of
from classrooms.models import Answer, Attendee, Enrolment, User
from games.rules import Card, find_sets, third_card
from lessons.models import LearningEvent, StepDone
from tests.classrooms.live.lesson import Lesson, a_lesson

pytestmark = pytest.mark.django_db

MOST = 4


def fill(lesson: Lesson, seats: int) -> None:
    """Add connected students who have answered."""
    session, activity = lesson.session, lesson.activity
    users = User.objects.bulk_create(
        User(kind="student", display_name=f"Pupil {number:04}", pictures="") for number in range(seats)
    )
    Enrolment.objects.bulk_create(
        Enrolment(classroom=session.classroom, student=user, real_name=user.display_name) for user in users
    )
    there = Attendee.objects.bulk_create(
        Attendee(session=session, number=number, user=user, name=user.display_name, is_connected=True)
        for number, user in enumerate(users, 100)
    )
    events = LearningEvent.objects.bulk_create(
        LearningEvent(user=user, source="lesson", seed="other", at=activity.round_at, is_right=True, is_first=True)
        for user in users
    )
    Answer.objects.bulk_create(
        Answer(event=event, activity=activity, attendee=seat, round=activity.round)
        for event, seat in zip(events, there, strict=True)
    )


def statements(lesson: Lesson, place: int, form: str) -> list[str]:
    """The SQL statements of the answering service, after the device's seat has been found."""
    activity, seat = lesson.activity, lesson.seats[place]
    found = place_of(lesson.code, player_of(seat))
    assert found
    with CaptureQueriesContext(
        connection,
    ) as caught:
        joining.act(found, QueryDict(f"activity={activity.number}&round={activity.round}&{form}"))
    sql = [each["sql"] for each in caught]
    return [each for each in sql if not each.startswith(("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT"))]


def triples(lesson: Lesson) -> str:
    lesson.begin("triples")
    return "yes=1"


def question_of_a_unit(lesson: Lesson) -> str:
    """Show a unit question; return a right answer, which also finishes the step."""
    lesson.begin("unit", unit="cards")
    while not (choices := UNIT.asked_step(lesson.activity).question.choices_with_one_tap()):
        lesson.steer("next")
    right = next(each for each in choices if each.is_right)
    return f"{right.name}={right.value}"


def silent_board(lesson: Lesson) -> str:
    lesson.begin(BOARD.slug, size=12, deck="full")
    board = tuple(map(Card.from_index, lesson.activity.state["board"]))
    return "&".join(f"cards={card.index}" for card in find_sets(board)[0])


@pytest.mark.parametrize("begin", [triples, question_of_a_unit, silent_board])
def test_an_answer_takes_at_most_four_statements_however_many_have_a_seat(begin):
    lesson = a_lesson(2)
    form = begin(lesson)
    few = statements(lesson, 0, form)
    assert len(few) <= MOST, few
    fill(lesson, 400)
    many = statements(lesson, 1, form)
    assert len(many) == len(few)
    assert Answer.objects.filter(attendee__in=lesson.seats[:2], event__is_right=True).count() == 2
    if begin is question_of_a_unit:
        assert StepDone.objects.filter(step=UNIT.asked_step(lesson.activity).step.slug).count() == 2
    # Nothing read is about anybody else: every query names the seat.
    seat = lesson.seats[1].pk
    assert all(str(seat) in each for each in many if each.startswith("SELECT")), many


def relay(lesson: Lesson, place: int) -> str:
    track = RELAY.track(lesson.activity, own_team(lesson.activity, lesson.seats[place]))
    return f"link={track.done}&card={third_card(*RELAY.exercise(lesson.activity, track).cards).index}"


def builder(lesson: Lesson, place: int) -> str:
    return f"card={BUILDER.building(lesson.activity, place + 1).left[0].index}"


# A relay also reads the members of the team, to find out whose turn it is.
@pytest.mark.parametrize(("form_of", "most"), [(relay, MOST + 1), (builder, MOST)])
def test_an_answer_for_a_team_reads_no_other_team(form_of, most):
    lesson = a_lesson(2)
    for number, seat in enumerate(lesson.seats, 1):
        Attendee.objects.filter(pk=seat.pk).update(team=number)
    lesson.begin(form_of.__name__, deck="easy", links=5, teams="on")
    few = statements(lesson, 0, form_of(lesson, 0))
    assert len(few) <= most, few
    fill(lesson, 100)
    Attendee.objects.filter(team=None).update(team=3)
    many = statements(lesson, 1, form_of(lesson, 1))
    assert len(many) == len(few)
    assert not any(" IN (" in each for each in many), many
    assert Answer.objects.filter(attendee__in=lesson.seats[:2], event__is_right=True).count() == 2


def test_an_answer_to_what_has_changed_since_the_seat_was_read_is_judged_by_what_is_there_now():
    lesson = a_lesson(1)
    lesson.begin("triples")
    place = place_of(lesson.code, player_of(lesson.seats[0]))
    lesson.steer("reveal")
    form = QueryDict(f"activity={lesson.activity.number}&round={lesson.activity.round}&yes=1")
    with pytest.raises(LessonRefusal, match="The answer is there already"):
        joining.act(place, form)
    place = place_of(lesson.code, player_of(lesson.seats[0]))
    lesson.seat(0, "remove")
    with pytest.raises(LessonRefusal, match="taken you out"):
        joining.act(place, form)
    assert not LearningEvent.objects.exists()


def test_an_answer_read_while_another_kind_of_activity_was_on_is_refused():
    lesson = a_lesson(1)
    lesson.begin("triples")
    place = place_of(lesson.code, player_of(lesson.seats[0]))
    lesson.steer("finish")
    lesson.begin("builder", deck="easy")
    form = QueryDict(f"activity={lesson.activity.number}&round={lesson.activity.round}&{builder(lesson, -1)}&yes=1")
    with pytest.raises(LessonRefusal, match="round before"):
        joining.act(place, form)
    assert not LearningEvent.objects.exists()
    assert joining.act(place_of(lesson.code, player_of(lesson.seats[0])), form)
