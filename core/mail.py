"""Outbox for mail: a request only writes a row, and a worker sends it, so a hanging mail server holds nobody up.

The row in the outbox is what counts; a message in Celery's queue only says "look now". A row is deleted as soon as its
mail is sent or given up. If a worker dies at the wrong moment, a mail may go out twice, with the same Message-ID both
times; a `LetterMessage` never does, and is given up instead.
"""

from __future__ import annotations

import logging
import smtplib
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from email.utils import formatdate, make_msgid
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.cache import cache
from django.core.mail import EmailMessage, EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.backends.smtp import EmailBackend
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from core.models import OutgoingMail
from core.once import only_one

DELAYS = (10, 30, 120, 600, 1800, 3600, 7200)
"""Seconds to wait after each failed attempt. After the last one the mail is given up."""
MOST_ATTEMPTS = len(DELAYS) + 1
LEASE = timedelta(minutes=5)
"""How long a worker has a mail to itself; longer than any send takes, see `SEND_SECONDS`."""
SEND_SECONDS = 60.0
"""The limit for a whole connection. Each step has a timeout too, but a server that trickles bytes never hits it."""
LONGEST_STAY = timedelta(days=1)
_AWAY_KEY = "mail:server-away"
_AWAY_SECONDS = 20
_RUN_SECONDS = 20.0
_BATCH = 20

log = logging.getLogger(__name__)
_starters: list[Callable[[], object]] = []
_wanted = threading.Event()
"""Set when a send is requested, cleared when a thread starts looking for mail."""


class LetterMessage(EmailMultiAlternatives):
    """An unsolicited mail: better lost than sent twice."""

    at_most_once = True


class OutboxBackend(BaseEmailBackend):
    """The site's email backend: writes mail to the outbox, within the caller's transaction."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        with transaction.atomic():
            for message in email_messages:
                _queue(message)
            transaction.on_commit(_start)
        return len(email_messages)


class _PunctualSMTP(smtplib.SMTP):
    """An SMTP connection that's cut when its time is up, whatever it's doing."""

    _watched: socket.socket | None = None
    _timer: threading.Timer | None = None

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        opened: socket.socket = super()._get_socket(host, port, timeout)  # type: ignore[misc]
        # TLS takes over the socket, so keep a second handle on the connection.
        self._watched = opened.dup()
        self._timer = threading.Timer(SEND_SECONDS, self._cut, [self._watched])
        self._timer.daemon = True
        self._timer.start()
        return opened

    @staticmethod
    def _cut(watched: socket.socket) -> None:
        log.warning("mail.cut_off", extra={"seconds": SEND_SECONDS})
        with suppress(OSError):
            # Unlike closing it, this wakes a blocked reader.
            watched.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        if self._timer:
            self._timer.cancel()
        if self._watched:
            self._watched.close()
        super().close()


class _PunctualSMTPWithTLS(smtplib.SMTP_SSL, _PunctualSMTP):
    """The same with TLS from the start; the handshake counts toward the limit."""


class SMTPTransport(EmailBackend):
    """SMTP backend that spends at most `SEND_SECONDS` on a mail."""

    @property
    def connection_class(self) -> type[smtplib.SMTP]:
        return _PunctualSMTPWithTLS if self.use_ssl else _PunctualSMTP


def on_queue(starter: Callable[[], object]) -> None:
    """Register a function to be called whenever there's new mail to send."""
    _starters.append(starter)


def send_waiting() -> int:
    """Send what's due, unless another worker is already sending. Returns how many were sent.

    One at a time, so that a stuck server blocks only one thread. A call made meanwhile sets `_wanted` and returns.
    """
    sent = 0
    _wanted.set()
    while _wanted.is_set():
        with only_one("send-mail") as is_ours:
            if not is_ours:
                break
            _wanted.clear()
            sent += _send_due()
    return sent


def _send_due() -> int:
    """Send until nothing is left, the server is down or the time is up. Returns how many were sent."""
    sent = 0
    stop_at = time.monotonic() + _RUN_SECONDS
    while time.monotonic() < stop_at and not cache.get(_AWAY_KEY):
        mail = _claim(timezone.now())
        if mail is None:
            break
        sent += _send(mail)
    return sent


def message_of(mail: OutgoingMail) -> EmailMultiAlternatives:
    content: dict[str, Any] = dict(mail.content)
    alternatives = content.pop("alternatives")
    subtype = content.pop("content_subtype")
    message = EmailMultiAlternatives(**content)
    message.content_subtype = subtype
    for text, mimetype in alternatives:
        message.attach_alternative(text, mimetype)
    return message


def _queue(message: EmailMessage) -> None:
    recipients = message.recipients()
    if not recipients:
        return
    mail = OutgoingMail(
        email=recipients[0][:254],
        content=_content_of(message),
        at_most_once=getattr(message, "at_most_once", False),
    )
    # An invalid mail (a line break in the subject) is the caller's error, so raise it here and not in the worker.
    message_of(mail).message()
    mail.save(force_insert=True)


def _content_of(message: EmailMessage) -> dict[str, Any]:
    if message.attachments:
        raise ValueError("mail with attachments can't be queued")
    # Fixed now, so that a retry is recognizably the same mail. Django's own Message-ID would also need a DNS lookup.
    headers = {
        "Message-ID": make_msgid(domain=urlsplit(settings.SITE_URL).hostname),
        "Date": formatdate(),
        **{name: str(value) for name, value in message.extra_headers.items()},
    }
    return {
        "subject": str(message.subject),
        "body": str(message.body),
        "from_email": message.from_email,
        "to": list(message.to),
        "cc": list(message.cc),
        "bcc": list(message.bcc),
        "reply_to": list(message.reply_to),
        "headers": headers,
        "content_subtype": message.content_subtype,
        "alternatives": [[str(text), mimetype] for text, mimetype in getattr(message, "alternatives", [])],
    }


def _start() -> None:
    for starter in _starters:
        try:
            starter()
        except Exception:
            # The broker is down. The mail is in the outbox, and beat will have it sent.
            log.exception("mail.not_announced")


def _claim(now: datetime) -> OutgoingMail | None:
    """Take the mail that has been due the longest, if there is one."""
    for mail in OutgoingMail.objects.filter(due_at__lte=now).order_by("due_at")[:_BATCH]:
        if not _take(mail, now):
            continue
        if mail.is_sending and mail.at_most_once:
            # A worker died while sending it, so it may or may not have gone out.
            _give_up(mail, "uncertain")
        elif mail.attempt > MOST_ATTEMPTS or mail.made_at < now - LONGEST_STAY:
            _give_up(mail, "too late")
        else:
            return mail
    return None


def _take(mail: OutgoingMail, now: datetime) -> bool:
    """Lease the mail for a while; False if another worker was first."""
    changes = {"due_at": now + LEASE, "attempt": F("attempt") + 1, "is_sending": True}
    if not OutgoingMail.objects.filter(pk=mail.pk, due_at=mail.due_at).update(**changes):
        return False
    mail.attempt += 1
    return True


def _send(mail: OutgoingMail) -> bool:
    connection = get_connection(settings.MAIL_TRANSPORT)
    try:
        connection.open()
    except (OSError, smtplib.SMTPException) as error:
        # Not this mail's fault: let the others wait until the server is back, instead of each running into the timeout.
        cache.set(_AWAY_KEY, True, timeout=_AWAY_SECONDS)
        _put_off(mail, error)
        return False
    try:
        connection.send_messages([message_of(mail)])
        mail.delete()
    except (OSError, smtplib.SMTPException) as error:
        _handle_failure(mail, error)
        return False
    finally:
        with suppress(OSError, smtplib.SMTPException):
            # Closing may fail, but the mail's outcome is settled by then.
            connection.close()
    return True


def _handle_failure(mail: OutgoingMail, error: Exception) -> None:
    """Retry if that can help and can't deliver the same letter twice; otherwise give up."""
    codes = _refusal_codes(error)
    if codes and all(500 <= code < 600 for code in codes):  # noqa: PLR2004 (SMTP's "don't try again")
        _give_up(mail, type(error).__name__)
    elif mail.at_most_once and not codes:
        _give_up(mail, "uncertain")
    else:
        _put_off(mail, error)


def _refusal_codes(error: Exception) -> list[int]:
    """The codes with which the server refused the mail; empty if its outcome is unknown."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return [code for code, _words in error.recipients.values()]
    return [error.smtp_code] if isinstance(error, smtplib.SMTPResponseException) else []


def _put_off(mail: OutgoingMail, error: Exception) -> None:
    if mail.attempt >= MOST_ATTEMPTS:
        _give_up(mail, type(error).__name__)
        return
    seconds = DELAYS[mail.attempt - 1]
    due_at = timezone.now() + timedelta(seconds=seconds)
    OutgoingMail.objects.filter(pk=mail.pk).update(due_at=due_at, is_sending=False)
    fields = {"attempt": mail.attempt, "seconds": seconds, "error": type(error).__name__}
    log.warning("mail.put_off", extra=fields)


def _give_up(mail: OutgoingMail, reason: str) -> None:
    # Log neither the address nor the text: an operator needs only the reason.
    log.error("mail.given_up", extra={"attempt": mail.attempt, "reason": reason})
    mail.delete()
