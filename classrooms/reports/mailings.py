"""Regular letters by email: each is sent at most once, and one click unsubscribes.

A letter's row and its email in the outbox are written in one transaction, so that only one of any number of workers
queues it, and nobody ever gets two of a kind for one week. `core.mail` sends it from there, and would rather drop it
than send it twice.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import date
from typing import Any

from django.core import signing
from django.core.mail import EmailMultiAlternatives
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import timezone

from classrooms.models import Letter, LetterKind, User
from core.links import absolute_url
from core.mail import LetterMessage

_SALT = "classrooms.post.stop"

log = logging.getLogger(__name__)


def send_once(reader: User, kind: LetterKind, week: date, make: Callable[[], EmailMultiAlternatives]) -> bool:
    """Queue the letter, unless that's been done already; return whether it was queued now."""
    try:
        # Rendered before the transaction: a report takes longer than others should wait for the database.
        message = make()
        with transaction.atomic():
            defaults = {"sent_at": timezone.now()}
            _letter, is_ours = Letter.objects.get_or_create(reader=reader, kind=kind, week=week, defaults=defaults)
            if is_ours:
                message.send()
    except Exception:
        # Whatever failed, the other readers get theirs, and the next run tries this one again.
        log.exception("letter.not_sent", extra={"kind": kind, "week": str(week), "reader": reader.pk})
        return False
    return is_ours


def write(
    reader: User, kind: LetterKind, subject: str, template: str, context: dict[str, Any]
) -> EmailMultiAlternatives:
    """Render a letter as text and as HTML, with its link to unsubscribe."""
    stop = absolute_url("family:letters-stop", stop_token(reader, kind))
    context = {**context, "stop": stop}
    message = LetterMessage(
        subject=subject,
        body=render_to_string(f"{template}.txt", context),
        to=[str(reader.email)],
        headers={"List-Unsubscribe": f"<{stop}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"},
    )
    message.attach_alternative(render_to_string(f"{template}.html", context), "text/html")
    return message


def stop_token(reader: User, kind: LetterKind = LetterKind.FAMILY) -> str:
    """A token that unsubscribes this reader without signing in, and that's good for nothing else."""
    return signing.dumps([reader.pk, kind.value], salt=_SALT)


def read_stop_token(token: str) -> tuple[User, LetterKind] | None:
    try:
        pk, kind = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        return None
    reader = User.objects.filter(pk=pk, deleted_at=None).first()
    return (reader, LetterKind(kind)) if reader else None
