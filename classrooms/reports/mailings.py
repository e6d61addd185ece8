"""Letters that come by themselves: each goes out at most once, and one click stops them.

A letter's row and its mail in the outbox are written in one transaction, so that of any number of workers one hands it
over, and nobody ever gets two of a kind for one week. From there `core.mail` sends it, and rather gives it up than
sends it twice.
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

from classrooms.models import Letter, Post, User
from core.links import absolute_url
from core.mail import LetterMessage

_SALT = "classrooms.post.stop"

log = logging.getLogger(__name__)


def send_once(reader: User, kind: Post, week: date, make: Callable[[], EmailMultiAlternatives]) -> bool:
    """Hand the letter over to be sent, unless that has been done; whether it was now."""
    try:
        # Written before the transaction: drawing a report takes longer than others should wait for the database.
        message = make()
        with transaction.atomic():
            defaults = {"sent_at": timezone.now()}
            _letter, is_ours = Letter.objects.get_or_create(reader=reader, kind=kind, week=week, defaults=defaults)
            if is_ours:
                message.send()
    except Exception:
        # Whatever it was, the others get theirs, and the next run tries this one again.
        log.exception("letter.not_sent", extra={"kind": kind, "week": str(week), "reader": reader.pk})
        return False
    return is_ours


def write(reader: User, kind: Post, subject: str, template: str, context: dict[str, Any]) -> EmailMultiAlternatives:
    """A letter as text and as HTML, with its way to be stopped."""
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


def stop_token(reader: User, kind: Post = Post.FAMILY) -> str:
    """What stops the letters of this reader without signing in; it does nothing else."""
    return signing.dumps([reader.pk, kind.value], salt=_SALT)


def read_stop_token(token: str) -> tuple[User, Post] | None:
    try:
        pk, kind = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        return None
    reader = User.objects.filter(pk=pk, deleted_at=None).first()
    return (reader, Post(kind)) if reader else None
