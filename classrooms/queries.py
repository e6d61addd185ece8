"""Queries for pages about people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from classrooms.models import Classroom, User
from games.queries import PlayedMatch, played_matches


@dataclass(frozen=True, slots=True)
class About:
    """Everything the account page shows."""

    user: User
    taught: Sequence[Classroom]
    joined: Sequence[Classroom]
    children: Sequence[User]
    games: tuple[PlayedMatch, ...]


def about(user: Any) -> About:
    return About(
        user=user,
        taught=list(user.classrooms_taught.not_deleted().order_by("name")),
        joined=list(user.classrooms_joined.not_deleted().order_by("name")),
        children=list(User.objects.filter(guardian_links__guardian=user, deleted_at=None).order_by("display_name")),
        games=played_matches([user]).get(user.pk, ()),
    )


def own_classes(teacher: User) -> list[Classroom]:
    """The teacher's classes with their numbers of students (`students_there`), archived ones last."""
    there = Count("enrolments", filter=Q(enrolments__student__deleted_at=None))
    found = Classroom.objects.not_deleted().filter(teachers=teacher).annotate(students_there=there)
    return sorted(found.order_by("name", "pk"), key=lambda each: each.archived_at is not None)
