"""Two beats running by mistake, with a worker, PostgreSQL and Redis: everything due is done once."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from email import message_from_bytes
from itertools import chain
from pathlib import Path

import pytest
from django.conf import settings
from django.core.mail import EmailMessage
from django.utils import timezone

from classrooms.models import Action, AuditEntry, Classroom, User
from classrooms.reports.letters import week_before
from core.mail import OutboxBackend
from core.models import OutgoingMail
from lessons.skills import ExerciseKind
from tests.classrooms.people import enrol, make_adult, make_classroom
from tests.classrooms.tries import a_set, answered
from tools.scale.engines import wait_until
from tools.scale.processes import Process

CLASSES = 3
NAMES = ("Mia Okafor", "Noa Stern", "Lea Brandt", "Tom Weber")
CODES = 8
GONE = "Long gone"
TASKS = {
    "weekly-letters": "classrooms.tasks.send_weekly_letters",
    "friday-summaries": "classrooms.tasks.send_friday_summaries",
    "keep-privacy": "classrooms.tasks.keep_privacy",
    "send-mail": "core.tasks.send_mail",
}


class Beats:
    """Two beats on a short schedule and their worker, with mail delivered to a folder."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        environment = {**environment, "SETSITE_VAR": str(folder), "SETSITE_LOG": "text"}
        celery = [sys.executable, "-m", "celery", "-A", "tests.scale.short_schedule"]
        # Enough concurrency for all duplicate tasks to run at the same time.
        work = [*celery, "worker", "--queues=people", "--concurrency=8", "--loglevel=info", "--without-mingle"]
        self.worker = Process("worker", work, environment, folder / "worker.log")
        self.beats = [
            Process(
                f"beat{number}",
                [*celery, "beat", "--loglevel=info", "--pidfile=", f"--schedule={folder / f'schedule{number}'}"],
                environment,
                folder / f"beat{number}.log",
            )
            for number in range(2)
        ]
        self._folder = folder

    def wait_until_asked(self, times: int) -> None:
        """Wait until each beat has requested everything this many times."""
        for beat in self.beats:
            for name in TASKS:
                wait_until(lambda b=beat, n=name: self._asked(b, n) >= times, f"{beat.name} asks for {name}")

    def wait_until_done(self, times: int) -> None:
        """Wait until the worker has done everything this many times."""
        for task in TASKS.values():
            wait_until(lambda t=task: self._done(t) >= times, f"{task} is done {times} times")

    def _asked(self, beat: Process, name: str) -> int:
        return len(re.findall(rf"Sending due task {name} ", beat.log_text()))

    def _done(self, task: str) -> int:
        return len(re.findall(rf"Task {re.escape(task)}\[\S+\] succeeded", self.worker.log_text()))

    def mails(self) -> Counter[str]:
        """The number of mails sent to each address."""
        files = [path.read_bytes() for path in (self._folder / "mail").glob("*.log")]
        mails = chain.from_iterable(re.split(rb"^-{79}\n", text, flags=re.MULTILINE) for text in files)
        return Counter(message_from_bytes(mail)["To"] for mail in mails if mail.strip())


@pytest.fixture
def beats(scaled_site, tmp_path) -> Iterator[Beats]:
    scaled_site.worker.kill()
    scaled_site.beat.kill()
    beats = Beats(tmp_path, scaled_site.environment)
    yield beats
    for process in (beats.worker, *beats.beats):
        process.kill()


def make_guardians(teacher: User, *, moments: list[datetime]) -> list[str]:
    """A class whose children have all practiced, each with a guardian; return the guardians' addresses."""
    addresses = []
    for place in enrol(make_classroom(teacher), *NAMES):
        guardian = make_adult("Ada")
        place.student.guardian_links.create(guardian=guardian)
        addresses.append(str(guardian.email))
        for moment in moments:
            answered(place, ExerciseKind.IS_SET, a_set(), {"yes": True}, at=moment.timestamp())
    return addresses


def let_all_come_due() -> tuple[list[str], int]:
    """Make letters, summaries, codes and purges due; return the addresses and the number of purges."""
    now = timezone.now()
    last_week = datetime.combine(week_before(now) + timedelta(days=2), time(12), UTC)
    addresses = [f"code{number}@people.example" for number in range(CODES)]
    OutboxBackend().send_messages([EmailMessage("Your code", "123456", to=[address]) for address in addresses])
    for _class in range(CLASSES):
        teacher = make_adult("Rivera")
        addresses += [str(teacher.email), *make_guardians(teacher, moments=[last_week, now])]
        enrol(make_classroom(teacher, GONE), *NAMES)
    gone = {"deleted_at": now - timedelta(days=settings.UNDO_DAYS + 1)}
    User.objects.filter(enrolments__classroom__name=GONE).update(is_active=False, **gone)
    Classroom.objects.filter(name=GONE).update(**gone)
    return addresses, CLASSES * (1 + len(NAMES))


def is_something_left() -> bool:
    purged_before = timezone.now() - timedelta(days=settings.UNDO_DAYS)
    gone = [each.objects.filter(deleted_at__lt=purged_before) for each in (Classroom, User)]
    return any(rows.exists() for rows in (OutgoingMail.objects.all(), *gone))


def test_with_two_beats_each_letter_and_mail_goes_out_once_and_each_purge_is_noted_once(beats):
    addresses, purged = let_all_come_due()
    notes = AuditEntry.objects.filter(action=Action.PURGED)
    before = notes.count()
    for beat in beats.beats:
        beat.start()
    beats.wait_until_asked(1)
    # Each has requested everything by now, so the worker finds everything twice.
    beats.worker.start()
    beats.wait_until_asked(3)
    beats.wait_until_done(4)
    wait_until(lambda: not is_something_left(), "all mail is out, and all who are due are purged")
    # A clean stop finishes running tasks, so that nothing happens after the count.
    beats.worker.stop()
    mails = beats.mails()
    assert {address: mails[address] for address in addresses} == dict.fromkeys(addresses, 1)
    assert notes.count() - before == purged
    assert "raised" not in beats.worker.log_text()
