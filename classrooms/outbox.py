"""Mail that's written to files instead of being sent, for the demo and development."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

from django.conf import settings

from core.mail import message_of
from core.models import OutgoingMail

_MOST = 50
# The mails of one connection are in one file, with a line of dashes after each.
_BETWEEN = re.compile(rb"^-{79}\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Mail:
    to: str
    subject: str
    date: str
    text: str


def read_mail() -> list[Mail]:
    """The latest mails, newest first, including those that are still queued."""
    waiting = OutgoingMail.objects.order_by("-made_at")[:_MOST]
    return [*(_read(message_of(mail).message().as_bytes()) for mail in waiting), *_read_files()][:_MOST]


def _read_files() -> list[Mail]:
    folder = Path(settings.EMAIL_FILE_PATH or "")
    files = sorted(folder.glob("*.log"), key=lambda file: (file.stat().st_mtime, file.name), reverse=True)
    found: list[Mail] = []
    for file in files[:_MOST]:
        parts = [part for part in _BETWEEN.split(file.read_bytes()) if part.strip()]
        found += [_read(part) for part in reversed(parts)]
    return found


def _read(raw: bytes) -> Mail:
    message = message_from_bytes(raw, EmailMessage, policy=policy.default)
    body = message.get_body(("plain",))
    text = body.get_content() if body else ""
    return Mail(str(message["to"]), str(message["subject"]), str(message["date"]), text)
