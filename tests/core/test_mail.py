"""Mail by job: requests never talk to the mail server, no mail is lost, and none is sent twice."""

from __future__ import annotations

import ast
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path

import pytest
from django.core import mail as django_mail
from django.core.cache import cache
from django.core.mail import BadHeaderError, EmailMessage, EmailMultiAlternatives, send_mail
from django.core.mail.backends.base import BaseEmailBackend
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from classrooms.models import Letter, LetterKind
from classrooms.reports.mailings import send_once
from core import mail
from core.jobs import runs
from core.logs import TextLines
from core.mail import LetterMessage
from core.models import OutgoingMail
from setsite.celery import app
from tests.classrooms.people import make_adult
from tests.setsite.smtp import mail_server

ROOT = Path(__file__).resolve().parents[2]
LOCMEM = "django.core.mail.backends.locmem.EmailBackend"
SMTP = "core.mail.SMTPTransport"
MONDAY = date(2027, 1, 4)
NEW = {
    "display_name": "Ada",
    "email": "ada@school.example",
    "password1": "a long sentence to sign in",
    "is_adult": "yes",
}


class Untouchable(BaseEmailBackend):
    def send_messages(self, messages):
        raise AssertionError("the mail server was asked")


class KilledWhileSending(BaseEmailBackend):
    def send_messages(self, messages):
        raise SystemExit("killed")


@pytest.fixture(autouse=True)
def _outbox(settings, db, monkeypatch):
    """Configure mail as in production, but send it only when the test says so."""
    settings.EMAIL_BACKEND = "core.mail.OutboxBackend"
    settings.MAIL_TRANSPORT = LOCMEM
    monkeypatch.setattr(mail, "_starters", [])
    cache.clear()
    yield
    cache.clear()


def by_smtp(settings, server) -> None:
    settings.MAIL_TRANSPORT = SMTP
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
    settings.EMAIL_TIMEOUT = 0.3


def write(to: str = "ada@school.example", cls: type[EmailMessage] = EmailMessage) -> None:
    cls("A subject", "Some words", None, [to]).send()


def later() -> None:
    """Let time pass: delayed mail is due, a dead worker's mail can be taken over, the server may be back."""
    OutgoingMail.objects.update(due_at=F("made_at"))
    cache.clear()


# A request


def test_signing_up_only_writes_to_the_outbox(client, settings):
    settings.MAIL_TRANSPORT = f"{__name__}.Untouchable"
    response = client.post("/account/signup/", NEW)
    assert response.status_code == 302
    assert OutgoingMail.objects.get().email == NEW["email"]


def test_the_code_in_the_mail_that_a_worker_sends_confirms_the_address(client):
    response = client.post("/account/signup/", NEW)
    assert mail.send_waiting() == 1
    (sent,) = django_mail.outbox
    code = re.search(r"^[A-Z0-9]{4}-[A-Z0-9]{4}$", sent.body, re.MULTILINE)[0]
    assert client.post(response["Location"], {"code": code}).status_code == 302
    assert client.session["_auth_user_id"]
    assert not OutgoingMail.objects.exists(), "nothing of it is kept"


def test_whoever_forgot_the_password_waits_for_no_mail_server(client, settings):
    settings.MAIL_TRANSPORT = f"{__name__}.Untouchable"
    client.post("/account/password/reset/", {"email": make_adult("Rivera").email})
    assert OutgoingMail.objects.count() == 1


def test_what_is_rolled_back_is_not_sent():
    with transaction.atomic():
        write()
        transaction.set_rollback(True)
    assert mail.send_waiting() == 0


def test_workers_hear_of_new_mail_after_the_commit(monkeypatch, django_capture_on_commit_callbacks):
    heard = []
    monkeypatch.setattr(mail, "_starters", [lambda: heard.append(OutgoingMail.objects.count())])
    with django_capture_on_commit_callbacks(execute=True):
        write()
        assert not heard
    assert heard == [1]


def test_a_broker_that_is_away_loses_no_mail(monkeypatch, django_capture_on_commit_callbacks):
    def is_away() -> None:
        raise ConnectionError

    monkeypatch.setattr(mail, "_starters", [is_away])
    with django_capture_on_commit_callbacks(execute=True):
        write()
    assert mail.send_waiting() == 1


def test_a_subject_of_two_lines_is_refused_where_it_is_written():
    with pytest.raises(BadHeaderError):
        send_mail("Hello\nBcc: all@school.example", "", None, ["ada@school.example"])
    assert not OutgoingMail.objects.exists()


def test_nothing_but_the_outbox_talks_to_a_mail_server():
    wrong = {"smtplib", "get_connection", "django.core.mail.backends.smtp"}
    for folder in ("core", "games", "lessons", "classrooms", "setsite"):
        for file in (ROOT / folder).rglob("*.py"):
            names = {
                name
                for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
                if isinstance(node, ast.Import | ast.ImportFrom)
                for name in (getattr(node, "module", ""), *(each.name for each in node.names))
            }
            assert not names & wrong or file == ROOT / "core" / "mail.py", file


# Content of the mail


def test_a_mail_arrives_as_it_was_written():
    message = EmailMultiAlternatives(
        "Grüße", "Words", "Setsite <no-reply@set.example>", ["ada@school.example"], headers={"List-Unsubscribe": "<x>"}
    )
    message.attach_alternative("<p>Words</p>", "text/html")
    message.send()
    mail.send_waiting()
    (sent,) = django_mail.outbox
    assert (sent.subject, sent.body, sent.from_email, sent.to) == (
        message.subject,
        message.body,
        message.from_email,
        message.to,
    )
    assert sent.extra_headers["List-Unsubscribe"] == "<x>"
    assert [tuple(each) for each in sent.alternatives] == [("<p>Words</p>", "text/html")]


def test_the_page_of_a_demo_shows_mail_that_no_worker_has_written_to_a_file_yet(client, settings, tmp_path):
    settings.IS_LOCAL, settings.EMAIL_FILE_PATH = True, str(tmp_path)
    settings.MAIL_TRANSPORT = "django.core.mail.backends.filebased.EmailBackend"
    write()
    assert b"Some words" in client.get("/mail/").content
    assert mail.send_waiting() == 1
    content = client.get("/mail/").content
    assert content.count(b"Some words") == 1


# A mail server in trouble


def test_a_mail_server_that_never_answers_is_given_a_moment_and_the_mail_goes_out_later(settings):
    with mail_server(hangs=True) as server:
        by_smtp(settings, server)
        write("ada@school.example")
        write("bea@school.example")
        begun = time.monotonic()
        assert mail.send_waiting() == 0
        assert time.monotonic() - begun < 10 * settings.EMAIL_TIMEOUT
    assert sorted(OutgoingMail.objects.values_list("attempt", flat=True)) == [0, 1], "one has tried for all"
    assert mail.send_waiting() == 0, "nobody asks again at once"
    later()
    with mail_server() as server:
        by_smtp(settings, server)
        assert mail.send_waiting() == 2
        assert len(server.received) == 2
    assert not OutgoingMail.objects.exists()


@pytest.mark.parametrize("drips", ["HELLO", "EHLO", "MAIL", "RCPT", "DATA", "QUIT"])
def test_a_mail_server_that_drips_is_left_when_the_time_of_a_mail_is_over(settings, monkeypatch, drips):
    monkeypatch.setattr(mail, "SEND_SECONDS", 0.5)
    with mail_server(drips=drips) as server:
        by_smtp(settings, server)
        write()
        assert mail.send_waiting() == (1 if drips == "QUIT" else 0)
        assert server.was_left.wait(20), "it would have gone on for as long as the server likes"
    assert not OutgoingMail.objects.filter(is_sending=True).exists()


def test_a_letter_to_a_server_that_drips_goes_out_at_most_once(settings, monkeypatch):
    monkeypatch.setattr(mail, "SEND_SECONDS", 0.5)
    with mail_server(drips="MAIL") as server:
        by_smtp(settings, server)
        write(cls=LetterMessage)
        mail.send_waiting()
        later()
        server.drips = ""
        mail.send_waiting()
    assert len(server.received) <= 1
    assert not OutgoingMail.objects.exists()


def test_the_time_of_a_mail_ends_long_before_another_may_send_it():
    task = app.tasks["core.tasks.send_mail"]
    longest = mail._RUN_SECONDS + 2 * mail.SEND_SECONDS
    assert longest < task.soft_time_limit < task.time_limit < mail.LEASE.total_seconds()


def test_every_task_of_a_worker_has_a_limit():
    for name, task in app.tasks.items():
        if not name.startswith("celery."):
            assert task.soft_time_limit < task.time_limit, name
    assert app.tasks["core.tasks.run_next_job"].soft_time_limit >= runs.LONGEST_SECONDS, "a run ends itself before"


@pytest.mark.django_db(transaction=True)
def test_a_stuck_mail_server_holds_one_thread_and_what_was_written_meanwhile_goes_out_after_it(settings, monkeypatch):
    is_stuck, go_on = threading.Event(), threading.Event()
    sent, first = [], threading.Lock()

    def stuck_at_first(waiting) -> bool:
        if first.acquire(blocking=False):
            is_stuck.set()
            go_on.wait(60)
        sent.append(waiting.email)
        waiting.delete()
        return True

    monkeypatch.setattr(mail, "_send", stuck_at_first)
    write("ada@school.example")
    with ThreadPoolExecutor(4) as pool:
        stuck = pool.submit(in_thread, mail.send_waiting)
        assert is_stuck.wait(60)
        write("bea@school.example")
        others = [pool.submit(in_thread, mail.send_waiting) for _thread in range(3)]
        assert [each.result(timeout=60) for each in others] == [0, 0, 0], "nobody else waits for it"
        go_on.set()
        assert stuck.result(timeout=60) == 2
    assert sent == ["ada@school.example", "bea@school.example"]


def in_thread(work):
    try:
        return work()
    finally:
        connection.close()


def lines_of(caplog) -> str:
    return "\n".join(map(TextLines("%(message)s").format, caplog.records))


def test_a_mail_server_that_is_gone_is_tried_a_bounded_number_of_times(settings, caplog):
    with mail_server() as server:
        by_smtp(settings, server)
    write()
    for _attempt in range(2 * mail.MOST_ATTEMPTS):
        mail.send_waiting()
        later()
    assert not OutgoingMail.objects.exists()
    said = lines_of(caplog)
    assert f"mail.given_up attempt={mail.MOST_ATTEMPTS}" in said
    assert "ada" not in said, "the log names nobody"
    assert "Some words" not in said


def test_a_mail_that_is_refused_for_now_is_tried_again(settings):
    with mail_server(answer_to_recipient="451 later") as server:
        by_smtp(settings, server)
        write(cls=LetterMessage)
        assert mail.send_waiting() == 0
        later()
        server.answer_to_recipient = "250 fine"
        assert mail.send_waiting() == 1


def test_a_mail_that_is_refused_for_good_is_given_up_and_holds_up_no_other(settings, caplog):
    with mail_server(answer_to_recipient="550 unknown") as server:
        by_smtp(settings, server)
        write()
        assert mail.send_waiting() == 0
        assert not OutgoingMail.objects.exists()
        assert "mail.given_up attempt=1" in lines_of(caplog)
        server.answer_to_recipient = "250 fine"
        write()
        assert mail.send_waiting() == 1


@pytest.mark.parametrize(("cls", "times"), [(EmailMessage, 2), (LetterMessage, 1)])
def test_when_nobody_knows_whether_it_went_out_a_code_is_sent_again_and_a_letter_is_not(settings, cls, times):
    with mail_server(answer_to_mail="") as server:
        by_smtp(settings, server)
        write(cls=cls)
        mail.send_waiting()
        server.answer_to_mail = "250 taken"
        later()
        mail.send_waiting()
    assert len(server.received) == times
    assert len({re.search("Message-ID: (.*)", text)[1] for text in server.received}) == 1
    assert not OutgoingMail.objects.exists()


# A worker that dies


@pytest.mark.parametrize(("cls", "times"), [(EmailMessage, 1), (LetterMessage, 0)])
def test_a_worker_that_dies_while_sending_leaves_the_mail_to_another(settings, cls, times):
    settings.MAIL_TRANSPORT = f"{__name__}.KilledWhileSending"
    write(cls=cls)
    with pytest.raises(SystemExit):
        mail.send_waiting()
    settings.MAIL_TRANSPORT = LOCMEM
    assert mail.send_waiting() == 0, "it may still be at it"
    later()
    assert mail.send_waiting() == times
    assert not OutgoingMail.objects.exists()


def test_of_several_workers_that_see_a_mail_one_takes_it():
    write()
    seen_by_each = [OutgoingMail.objects.get() for _worker in range(3)]
    assert [mail._take(seen, timezone.now()) for seen in seen_by_each] == [True, False, False]


def test_what_has_waited_for_a_day_is_given_up():
    write()
    OutgoingMail.objects.update(made_at=OutgoingMail.objects.get().made_at - timedelta(days=1, minutes=1))
    assert mail.send_waiting() == 0
    assert not OutgoingMail.objects.exists()


# Letters


def letter_to(reader) -> LetterMessage:
    return LetterMessage("A week", "Words", None, [reader.email])


def test_a_letter_is_handed_over_together_with_its_row():
    reader = make_adult("Ada")
    assert send_once(reader, LetterKind.FAMILY, MONDAY, lambda: letter_to(reader))
    assert not send_once(reader, LetterKind.FAMILY, MONDAY, lambda: letter_to(reader))
    assert Letter.objects.get().sent_at
    assert OutgoingMail.objects.get().at_most_once
    assert mail.send_waiting() == 1


def test_a_letter_that_cannot_be_handed_over_is_not_marked_as_sent(monkeypatch):
    reader = make_adult("Ada")
    monkeypatch.setattr(mail, "_queue", lambda message: 1 / 0)
    assert not send_once(reader, LetterKind.FAMILY, MONDAY, lambda: letter_to(reader))
    assert not Letter.objects.exists()
    monkeypatch.undo()
    assert send_once(reader, LetterKind.FAMILY, MONDAY, lambda: letter_to(reader))
