"""Assignments: what can be assigned to whom, and how completion is measured."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from classrooms.classes.assignments import BadAssignment, assign, open_for, standings, title_of, withdraw
from classrooms.classes.service import archive
from classrooms.classes.students import NewStudent, add_students
from classrooms.models import Assignment, Task
from games.models import PuzzleResult
from games.rules import Feature, find_sets
from lessons.course.units import course
from lessons.progress.mastery import Level
from lessons.progress.recording import finish_step
from lessons.skills import ExerciseKind, Skill
from tests.classrooms.people import enrol, make_adult, make_classroom
from tests.classrooms.tries import DAY, NOW, a_set, answered, board, broken_by, player_of

pytestmark = pytest.mark.django_db

UNIT = course()[0]
TODAY = datetime.fromtimestamp(NOW, UTC).date()


def give(classroom, task: Task, *, now: float = NOW - DAY, **more) -> Assignment:
    return assign(classroom, by=classroom.teachers.get(), task=task, now=now, **more)


def far(classroom) -> list[tuple[int, int]]:
    """Everybody's progress on the newest assignment."""
    newest = standings(classroom, list(classroom.enrolments.present()), now=NOW)[0]
    return [(part.done, part.of) for part in newest.parts]


def finds(who, cards, **more) -> None:
    triple = [card.index for card in find_sets(cards)[0]]
    answered(who, ExerciseKind.FIND_ONE, cards, {"cards": triple}, **more)


# What can be assigned


def test_it_says_in_words_what_is_asked(classroom):
    titles = [
        title_of(give(classroom, Task.UNIT, what=UNIT.slug)),
        title_of(give(classroom, Task.SKILL, what=Skill.SHADING, amount=Level.SURE)),
        title_of(give(classroom, Task.BOARDS, amount=10)),
        title_of(give(classroom, Task.BOARDS, amount=1)),
        title_of(give(classroom, Task.DAILY)),
        title_of(give(classroom, Task.DAILY, amount=3)),
    ]
    assert titles == [
        f"Unit: {UNIT.title}",
        "Seeing shading: until it is sure",
        "Find the SETs on 10 boards",
        "Find the SETs on 1 board",
        "The daily puzzle",
        "The daily puzzle on 3 days",
    ]


@pytest.mark.parametrize(
    ("task", "more"),
    [
        (Task.UNIT, {"what": "no-such-unit"}),
        (Task.UNIT, {}),
        (Task.SKILL, {"what": "juggling", "amount": 3}),
        (Task.SKILL, {"what": "color", "amount": 0}),
        (Task.SKILL, {"what": "color", "amount": 5}),
        (Task.BOARDS, {"amount": 0}),
        (Task.BOARDS, {"amount": 101}),
        (Task.BOARDS, {"what": "color"}),
    ],
)
def test_what_makes_no_sense_is_refused_and_not_kept(classroom, task, more):
    with pytest.raises(BadAssignment):
        give(classroom, task, **more)
    assert not Assignment.objects.exists()


def test_students_and_groups_of_another_class_cannot_be_asked(classroom):
    other = make_classroom(make_adult("Stone"))
    (zoe,) = add_students(other, [NewStudent(real_name="Zoe Stern", group="Foxes")], by=other.teachers.get())
    for whom in ({"enrolment": zoe}, {"group": zoe.group}):
        with pytest.raises(BadAssignment):
            give(classroom, Task.DAILY, **whom)


# Recipients


def test_it_is_for_the_class_a_group_or_a_student(classroom):
    mia, noah = add_students(
        classroom,
        [NewStudent(real_name="Mia Okafor", group="Foxes"), NewStudent(real_name="Noah Brandt")],
        by=classroom.teachers.get(),
    )
    give(classroom, Task.DAILY, now=NOW - 3)
    give(classroom, Task.DAILY, now=NOW - 2, group=mia.group)
    give(classroom, Task.DAILY, now=NOW - 1, enrolment=noah)
    asked = [[part.enrolment for part in each.parts] for each in standings(classroom, [mia, noah], now=NOW)]
    assert asked == [[noah], [mia], [mia, noah]], "the newest first"


# Completion


def test_a_unit_is_done_with_all_its_steps_whenever_that_was(classroom):
    mia, _noah = enrol(classroom, "Mia Okafor", "Noah Brandt")
    give(classroom, Task.UNIT, what=UNIT.slug)
    steps = len(UNIT.steps)
    for step in UNIT.steps[:-1]:
        finish_step(player_of(mia), UNIT.slug, step.slug, now=NOW - 9 * DAY)
    finish_step(player_of(mia), course()[1].slug, UNIT.steps[-1].slug, now=NOW)
    assert far(classroom) == [(steps - 1, steps), (0, steps)]
    finish_step(player_of(mia), UNIT.slug, UNIT.steps[-1].slug, now=NOW)
    assert far(classroom) == [(steps, steps), (0, steps)]


def test_a_skill_is_done_at_its_level_and_open_again_when_it_fades(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    give(classroom, Task.SKILL, what=Skill.IS_SET, amount=Level.SURE)
    assert far(classroom) == [(0, 3)]
    for skip in range(12):
        answered(mia, ExerciseKind.IS_SET, a_set(skip), {"yes": True}, at=NOW - 600 + skip)
    assert far(classroom) == [(3, 3)]
    for skip in range(8):
        answered(mia, ExerciseKind.IS_SET, broken_by(Feature.COLOR, skip=skip), {"yes": True}, at=NOW - 300 + skip)
    ((done, of),) = far(classroom)
    assert done < of


def test_boards_count_once_each_and_since_they_were_asked_for(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    cards = board(sets=1)
    finds(mia, cards, seed="early", at=NOW - 2 * DAY)
    give(classroom, Task.BOARDS, amount=3, now=NOW - DAY)
    finds(mia, cards, seed="one", at=NOW - 500)
    finds(mia, cards, seed="one", at=NOW - 400)
    answered(mia, ExerciseKind.FIND_ALL, cards, {"sets": [[card.index for card in find_sets(cards)[0]]]}, at=NOW - 300)
    assert far(classroom) == [(2, 3)]


def test_a_wrong_pick_a_guess_and_a_triple_are_no_boards(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    give(classroom, Task.BOARDS, amount=3)
    cards = board(sets=0)
    answered(mia, ExerciseKind.FIND_ONE, cards, {"cards": [card.index for card in cards[:3]]}, at=NOW)
    answered(mia, ExerciseKind.ANY_SET, cards, {"yes": False}, at=NOW)
    answered(mia, ExerciseKind.IS_SET, a_set(), {"yes": True}, at=NOW)
    assert far(classroom) == [(0, 3)]


def puzzle(who, *, days_ago: int, deck: str = "full", is_finished: bool = True) -> None:
    at = datetime.fromtimestamp(NOW - days_ago * DAY, UTC)
    PuzzleResult.objects.create(
        day=at.date(), deck=deck, user=who.student, started_at=at, finished_at=at if is_finished else None
    )


def test_a_days_puzzle_counts_when_it_is_finished_and_once_a_day(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    give(classroom, Task.DAILY, amount=2, now=NOW - 3 * DAY)
    puzzle(mia, days_ago=5)
    puzzle(mia, days_ago=2)
    puzzle(mia, days_ago=2, deck="easy")
    puzzle(mia, days_ago=1, is_finished=False)
    assert far(classroom) == [(1, 2)]
    puzzle(mia, days_ago=0)
    assert far(classroom) == [(2, 2)]


def test_a_days_puzzle_is_a_board_too(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    give(classroom, Task.BOARDS, amount=2, now=NOW - 3 * DAY)
    puzzle(mia, days_ago=1)
    assert far(classroom) == [(1, 2)]


def test_withdrawn_nobody_is_asked_for_it_and_what_was_done_stays(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    finish_step(player_of(mia), UNIT.slug, UNIT.steps[0].slug, now=NOW)
    withdraw(give(classroom, Task.UNIT, what=UNIT.slug))
    assert standings(classroom, [mia], now=NOW) == []
    assert open_for(mia.student, now=NOW) == []
    give(classroom, Task.UNIT, what=UNIT.slug)
    assert far(classroom)[0][0] == 1


# What the student sees


def test_a_student_sees_what_is_open_what_is_due_first_first(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    give(classroom, Task.DAILY)
    give(classroom, Task.BOARDS, amount=5, due_on=TODAY + timedelta(days=1))
    give(classroom, Task.UNIT, what=UNIT.slug, due_on=TODAY - timedelta(days=1))
    finish_step(player_of(mia), UNIT.slug, UNIT.steps[0].slug, now=NOW)
    tasks = open_for(mia.student, now=NOW)
    assert [(task.title, task.is_late, task.due_on) for task in tasks] == [
        (f"Unit: {UNIT.title}", True, TODAY - timedelta(days=1)),
        ("Find the SETs on 5 boards", False, TODAY + timedelta(days=1)),
        ("The daily puzzle", False, None),
    ]
    assert [task.url for task in tasks] == [
        f"/learn/{UNIT.slug}/{UNIT.steps[1].slug}/",
        "/learn/practice/",
        "/play/daily/full/",
    ]
    assert (tasks[0].done, tasks[0].of) == (1, len(UNIT.steps))


def test_it_is_late_the_day_after_it_was_due(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    give(classroom, Task.DAILY, due_on=TODAY)
    assert [task.is_late for task in open_for(mia.student, now=NOW)] == [False]
    assert [task.is_late for task in open_for(mia.student, now=NOW + DAY)] == [True]


def test_what_is_done_and_what_others_are_asked_for_is_not_on_the_page(classroom):
    mia, noah = enrol(classroom, "Mia Okafor", "Noah Brandt")
    give(classroom, Task.DAILY, now=NOW - DAY)
    give(classroom, Task.BOARDS, enrolment=noah)
    puzzle(mia, days_ago=0)
    assert open_for(mia.student, now=NOW) == []
    assert len(open_for(noah.student, now=NOW)) == 2


def test_a_class_in_the_archive_asks_for_nothing(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    give(classroom, Task.DAILY)
    archive(classroom, by=None)
    assert open_for(mia.student, now=NOW) == []


def test_who_is_in_two_classes_is_asked_by_both(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    other = make_classroom(make_adult("Stone"), "Chess club")
    other.enrolments.create(student=mia.student)
    give(classroom, Task.DAILY)
    give(other, Task.BOARDS)
    assert len(open_for(mia.student, now=NOW)) == 2


def test_many_assignments_and_students_take_as_many_queries_as_few(classroom):
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            list(standings(classroom, list(classroom.enrolments.present()), now=NOW))
        return len(asked)

    enrol(classroom, "Mia Okafor")
    give(classroom, Task.DAILY)
    few = queries()
    enrol(classroom, *(f"Student {number}" for number in range(20)))
    for skill in Skill:
        give(classroom, Task.SKILL, what=skill, amount=3, due_on=date(2030, 1, 1))
        give(classroom, Task.UNIT, what=UNIT.slug)
    assert queries() == few
