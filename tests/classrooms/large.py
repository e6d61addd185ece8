"""A class of the maximum size whose students have all practiced: clones of one demo child."""

from __future__ import annotations

import time
from typing import Any

from django.db import connection
from django.db.models import Model

from classrooms.classes.assignments import assign
from classrooms.demo_learning import Child, learn
from classrooms.models import Classroom, Enrolment, Task, User
from games.rules import Feature
from lessons.models import LearningEvent, Progress, StepDone
from lessons.skills import Skill
from tests.classrooms.people import enrol, make_adult, make_classroom

CHILD = Child(0.6, (20, 13, 6, 1), 15, 6, blind=Feature.SHADING)
"""Sixty tries in four weeks, the number a report reads, many of them wrong."""


def make_large_class(size: int, *, teacher: User | None = None, assignments: int = 5) -> Classroom:
    """Create a class of `size` students with identical learning data, and assignments for everybody."""
    classroom = make_classroom(teacher or make_adult())
    (first,) = enrol(classroom, "Pupil 0000")
    learn(first.student, CHILD, now=time.time())
    users = User.objects.bulk_create(
        User(kind="student", display_name=f"Pupil {number:04}", pictures="") for number in range(1, size)
    )
    Enrolment.objects.bulk_create(
        Enrolment(classroom=classroom, student=user, real_name=f"Real {user.display_name}") for user in users
    )
    for model in (LearningEvent, Progress, StepDone):
        if users:
            _copy(model, first.student, users[0].pk, users[-1].pk)
    tasks: list[dict[str, Any]] = [
        {"task": Task.UNIT, "what": "third-card"},
        {"task": Task.SKILL, "what": Skill.SHADING, "amount": 3},
        {"task": Task.BOARDS, "amount": 5},
        {"task": Task.DAILY},
    ]
    for number in range(assignments):
        assign(classroom, by=classroom.teachers.get(), now=time.time() - 86_400, **tasks[number % len(tasks)])
    return classroom


def _copy(model: type[Model], learner: User, first: int, last: int) -> None:
    """Copy one learner's rows to all users in a range of keys, inside the database because that's faster."""
    columns = [field.column for field in model._meta.concrete_fields if field.column not in {"id", "user_id"}]
    # The copy of the last event has a later key.
    copied = {"last_event": str(2**63 - 1)}
    names, values = ", ".join(columns), ", ".join(copied.get(each, f"learned.{each}") for each in columns)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {model._meta.db_table} (user_id, {names}) "
            f"SELECT person.id, {values} FROM {model._meta.db_table} learned, {User._meta.db_table} person "
            "WHERE learned.user_id = %s AND person.id BETWEEN %s AND %s",
            [learner.pk, first, last],
        )
