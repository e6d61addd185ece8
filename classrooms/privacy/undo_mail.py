"""The email with the link that restores an adult's deleted account."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from classrooms.models import User
from classrooms.privacy.deleting import undo_ends_before
from core.links import absolute_url

_SALT = "classrooms.undo"


def send_undo(user: User) -> None:
    """Tell somebody that their account is deleted, and how to undo it."""
    link = absolute_url("privacy:undo-me", undo_token(user))
    with translation.override(user.language or translation.get_language()):
        context = {"user": user, "link": link, "days": settings.UNDO_DAYS}
        text = render_to_string("privacy/deleted_me.txt", context)
        send_mail(_("Your account is deleted"), text, None, [str(user.email)])


def undo_token(user: User) -> str:
    return signing.dumps(user.pk, salt=_SALT)


def read_undo_token(token: str) -> User | None:
    """The user whose deletion the link undoes; None if it's been undone already, or it's too late."""
    try:
        pk = signing.loads(token, salt=_SALT, max_age=timedelta(days=settings.UNDO_DAYS))
    except signing.BadSignature:
        return None
    return User.objects.filter(pk=pk, deleted_at__gt=undo_ends_before(timezone.now())).first()
