"""Letters that come by themselves: each goes out at most once, and one click stops them.

A letter's row is claimed before it is sent, so that of any number of workers one sends it, and nobody ever gets two of
a kind for one week. A worker that dies between the claim and the sending leaves that one letter unsent: a letter too
few is better than one too many. A mail server that refuses gives the claim back, and the next run tries again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import date
from typing import Any

from django.conf import settings
from django.core import signing
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from classrooms.models import Letter, Post, User

_SALT = "classrooms.post.stop"

log = logging.getLogger(__name__)


def send_once(reader: User, kind: Post, week: date, make: Callable[[], EmailMultiAlternatives]) -> bool:
    """Send the letter, unless it has gone out; whether it did now."""
    letter, is_ours = Letter.objects.get_or_create(reader=reader, kind=kind, week=week)
    if not is_ours:
        return False
    try:
        make().send()
    except Exception:
        # Whatever it was, the others get theirs.
        log.exception("the %s letter of %s to %s could not be sent", kind, week, reader.pk)
        letter.delete()
        return False
    Letter.objects.filter(pk=letter.pk).update(sent_at=timezone.now())
    return True


def write(reader: User, kind: Post, subject: str, template: str, context: dict[str, Any]) -> EmailMultiAlternatives:
    """A letter as text and as HTML, with its way to be stopped."""
    stop = absolute("family:letters-stop", stop_token(reader, kind))
    context = {**context, "stop": stop}
    message = EmailMultiAlternatives(
        subject=subject,
        body=render_to_string(f"{template}.txt", context),
        to=[str(reader.email)],
        headers={"List-Unsubscribe": f"<{stop}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"},
    )
    message.attach_alternative(render_to_string(f"{template}.html", context), "text/html")
    return message


def absolute(name: str, *args: object) -> str:
    return str(settings.SITE_URL) + reverse(name, args=args)


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
