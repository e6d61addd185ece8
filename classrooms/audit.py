"""The only writer of the audit log."""

from __future__ import annotations

from typing import Any

from classrooms.models import Action, AuditEntry, Classroom, User


def note(
    actor: Any, action: Action, *, person: User | None = None, classroom: Classroom | None = None, amount: int = 1
) -> None:
    """Write down what somebody did; `actor` is the user, or None where the site did it by itself."""
    AuditEntry.objects.create(
        actor=actor.pk if actor else None,
        action=action,
        person=person.pk if person else None,
        classroom=classroom.pk if classroom else None,
        amount=amount,
    )
