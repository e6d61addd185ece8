"""Assignments, and how far students have come with them, which is measured and never ticked off.

- A unit is done when each of its steps is finished, which takes right answers, no matter when.
- A skill is done while it's at the wanted level now. If it fades, the assignment is open again.
- A board counts if SETs were found on it since it was assigned: an exercise of finding one or all, or a daily puzzle
  that was finished. Each board counts once. Yes-or-no questions don't count because they can be guessed, and games
  don't because one can just sit through them.
- The daily puzzle is done when puzzles of enough days were finished since it was assigned.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final

from django.db import transaction
from django.db.models import Max
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from classrooms.models import Assignment, Classroom, Enrolment, Group, Task, User
from core.db.locks import LockLevel, lock_rows
from games.models import PuzzleResult
from games.puzzles import PuzzleDeck
from lessons.course.units import Unit, course
from lessons.models import QUESTION, LearningEvent, StepDone
from lessons.progress.mastery import Level, status
from lessons.progress.snapshots import skill_states_of
from lessons.progress.tracing import SkillState
from lessons.questions import EXERCISES
from lessons.skills import Skill
from lessons.words import LEVELS, SKILLS

MOST: Final = 100
"""The most boards or days in one assignment."""


class BadAssignment(ValueError):
    """Something that can't be assigned, or not to these students."""


def assign(
    classroom: Classroom,
    *,
    by: User,
    task: Task,
    now: float,
    what: str = "",
    amount: int = 1,
    group: Group | None = None,
    enrolment: Enrolment | None = None,
    due_on: date | None = None,
) -> Assignment:
    """Assign something to the class, or to a group or a student of it."""
    if any(each and each.classroom_id != classroom.pk for each in (group, enrolment)):
        raise BadAssignment("they are not in this class")
    if group and enrolment:
        raise BadAssignment("for a group or for a student")
    if not _makes_sense(task, what, amount):
        raise BadAssignment(f"{task} {what} {amount}")
    with transaction.atomic():
        # Under the lock, nobody can take the student out of the class meanwhile.
        lock_rows(Classroom.objects.not_deleted(), LockLevel.CLASSROOM).get(pk=classroom.pk)
        if enrolment and not classroom.enrolments.filter(pk=enrolment.pk).exists():
            raise Enrolment.DoesNotExist(enrolment.pk)
        return Assignment.objects.create(
            classroom=classroom,
            group=group,
            enrolment=enrolment,
            task=task,
            what=what,
            amount=amount,
            made_by=by,
            made_at=datetime.fromtimestamp(now, UTC),
            due_on=due_on,
        )


def _makes_sense(task: Task, what: str, amount: int) -> bool:
    match task:
        case Task.UNIT:
            return find_unit(what) is not None and amount == 1
        case Task.SKILL:
            return what in set(Skill) and Level.STARTED <= amount <= Level.MASTERED
    return not what and 1 <= amount <= MOST


def withdraw(assignment: Assignment) -> None:
    """Delete an assignment. What the students did for it stays."""
    assignment.delete()


def find_unit(slug: str) -> Unit | None:
    return next((unit for unit in course() if unit.slug == slug), None)


def title_of(assignment: Assignment) -> str:
    """A short title of what's assigned."""
    amount = assignment.amount
    match assignment.task:
        case Task.UNIT:
            unit = find_unit(assignment.what)
            return _("Unit: %(title)s") % {"title": unit.title if unit else assignment.what}
        case Task.SKILL:
            words = {"skill": SKILLS[Skill(assignment.what)], "level": LEVELS[Level(amount)]}
            return _("%(skill)s: until it is %(level)s") % words
        case Task.BOARDS:
            return ngettext("Find the SETs on %(count)s board", "Find the SETs on %(count)s boards", amount) % {
                "count": amount
            }
    if amount == 1:
        return _("The daily puzzle")
    return ngettext("The daily puzzle on %(count)s day", "The daily puzzle on %(count)s days", amount) % {
        "count": amount
    }


@dataclass(frozen=True, slots=True)
class AssignmentPart:
    """One student's progress with one assignment."""

    enrolment: Enrolment
    done: int
    of: int
    """Steps, levels, boards or days."""

    @property
    def is_done(self) -> bool:
        return self.done >= self.of


@dataclass(frozen=True, slots=True)
class Standing:
    """An assignment with the progress of everybody it's for."""

    assignment: Assignment
    title: str
    parts: tuple[AssignmentPart, ...]
    is_overdue: bool
    """Whether the due date has passed."""

    @property
    def is_late(self) -> bool:
        return self.is_overdue and not self.is_done

    @property
    def done(self) -> int:
        return sum(part.is_done for part in self.parts)

    @property
    def is_done(self) -> bool:
        return self.done == len(self.parts)


def standings(classroom: Classroom, enrolments: Sequence[Enrolment], *, now: float) -> list[Standing]:
    """The assignments of a class, newest first."""
    found = classroom.assignments.select_related("group", "enrolment").order_by("-made_at", "-pk")
    return progress(list(found), enrolments, now=now)


def progress(assignments: Sequence[Assignment], enrolments: Iterable[Enrolment], *, now: float) -> list[Standing]:
    """These students' progress with these assignments, in a constant number of queries."""
    students = list(enrolments)
    if not assignments:
        return []
    known = _measure(assignments, {each.student for each in students}, now)
    today = _day(now)
    return [
        Standing(
            each,
            title_of(each),
            tuple(known.part(each, student) for student in students if _is_for(each, student)),
            is_overdue=each.due_on is not None and each.due_on < today,
        )
        for each in assignments
    ]


def _is_for(assignment: Assignment, enrolment: Enrolment) -> bool:
    if assignment.classroom_id != enrolment.classroom_id:
        return False
    if assignment.enrolment_id:
        return assignment.enrolment_id == enrolment.pk
    return not assignment.group_id or assignment.group_id == enrolment.group_id


def _day(now: float) -> date:
    return datetime.fromtimestamp(now, UTC).date()


@dataclass(frozen=True, slots=True)
class _Measurements:
    """What's measured, by the student's primary key."""

    steps: dict[int, set[tuple[str, str]]]
    states: dict[int, dict[Skill, SkillState]]
    boards: dict[int, list[datetime]]
    """When each board was last solved."""
    days: dict[int, dict[date, datetime]]
    """When each day's puzzle was last finished, with either deck."""
    now: float

    def part(self, assignment: Assignment, enrolment: Enrolment) -> AssignmentPart:
        user, since = enrolment.student_id, assignment.made_at
        match assignment.task:
            case Task.UNIT:
                unit = find_unit(assignment.what)
                steps = [(unit.slug, step.slug) for step in unit.steps] if unit else []
                return AssignmentPart(enrolment, sum(step in self.steps[user] for step in steps), len(steps))
            case Task.SKILL:
                level = status(self.states[user][Skill(assignment.what)], self.now).level
                return AssignmentPart(enrolment, min(int(level), assignment.amount), assignment.amount)
            case Task.BOARDS:
                moments: Iterable[datetime] = self.boards[user]
            case _:
                moments = self.days[user].values()
        done = sum(moment >= since for moment in moments)
        return AssignmentPart(enrolment, min(done, assignment.amount), assignment.amount)


def _measure(assignments: Sequence[Assignment], students: Collection[User], now: float) -> _Measurements:
    users = [student.pk for student in students]
    steps: dict[int, set[tuple[str, str]]] = defaultdict(set)
    for user, unit, step in StepDone.objects.filter(user__in=users).values_list("user", "unit", "step"):
        steps[user].add((unit, step))
    since = min(each.made_at for each in assignments)
    boards: dict[int, list[datetime]] = defaultdict(list)
    finds = [kind for kind, each in EXERCISES.items() if each.finds_sets]
    found = LearningEvent.objects.filter(user__in=users, is_right=True, at__gte=since, kind__in=finds)
    for user, *_question, at in found.values_list("user", *QUESTION).annotate(Max("at")).order_by():
        boards[user].append(at)
    days: dict[int, dict[date, datetime]] = defaultdict(dict)
    finished = PuzzleResult.objects.filter(user__in=users, finished_at__gte=since)
    for result in finished.only("user_id", "day", "finished_at"):
        if result.user_id and (at := result.finished_at):
            own = days[result.user_id]
            boards[result.user_id].append(at)
            own[result.day] = max(at, own.get(result.day, at))
    return _Measurements(steps, skill_states_of(students), boards, days, now)


@dataclass(frozen=True, slots=True)
class OpenTask:
    """An assignment that a student hasn't done yet."""

    title: str
    done: int
    of: int
    due_on: date | None
    is_late: bool
    url: str
    """Where to continue with it."""


def open_for(student: User, *, now: float) -> list[OpenTask]:
    """A student's open assignments in all classes, ordered by due date."""
    enrolments = list(
        student.enrolments.filter(classroom__deleted_at=None, classroom__archived_at=None).select_related("student")
    )
    found = Assignment.objects.filter(classroom__in=[each.classroom_id for each in enrolments]).order_by(
        "made_at", "pk"
    )
    standing = progress(list(found), enrolments, now=now)
    steps = set(StepDone.objects.filter(user=student).values_list("unit", "step")) if standing else set()
    tasks = [
        OpenTask(
            each.title,
            part.done,
            part.of,
            each.assignment.due_on,
            each.is_late,
            _url_for(each.assignment, steps),
        )
        for each in standing
        for part in each.parts
        if not part.is_done
    ]
    return sorted(tasks, key=lambda task: task.due_on or date.max)


def _url_for(assignment: Assignment, steps: Collection[tuple[str, str]]) -> str:
    if assignment.task == Task.DAILY:
        return reverse("play:daily", args=[PuzzleDeck.FULL])
    unit = find_unit(assignment.what) if assignment.task == Task.UNIT else None
    if unit is None:
        return reverse("learn:practice")
    left = next(step for step in unit.steps if (unit.slug, step.slug) not in steps)
    return reverse("learn:step", args=[unit.slug, left.slug])
