"""The numbers in docs/security.md and docs/faults.md match the code; other tests prove them."""

from __future__ import annotations

import inspect

import pytest

from classrooms.classes.rosters.files import MOST_BYTES
from classrooms.views.teach import INVITATIONS_OF_TEACHER, INVITATIONS_TO_ADDRESS
from core import mail, offload
from core.cache import shared as cache
from core.http import connections, wsgi_adapter
from core.jobs import queue
from core.lanes.pools import SlowLane
from core.live import hub
from games import codes, limits
from games.matches import service as matches
from tests.safety import bombs
from tests.test_settings import PUBLIC, ROOT, settings_with

MB, KB = 1024 * 1024, 1024
WORDS = {1: "a", 2: "two", 4: "four", 5: "five", 10: "ten"}
DAY = 86_400
SLOW_SECONDS = inspect.signature(SlowLane).parameters["seconds"].default


def in_words(number: float) -> str:
    assert number == int(number)
    return WORDS[int(number)]


def day_of(limit: limits.RateLimit) -> int:
    window = limit.windows[-1]
    assert window.seconds == DAY
    return window.most


ANSWERS, MISSES = limits.GUEST_ANSWERS_OF_ADDRESS.windows, codes.MISSES_OF_ADDRESS.windows
OWN_MISSES = codes.MISSES.windows
OF_STUDENT, OF_STUDENTS = codes.MISSES_OF_STUDENT, codes.MISSES_OF_STUDENTS
OF_ADULT = day_of(OF_STUDENTS) + day_of(codes.MISSES)
TRIES = len(codes.LETTERS) ** codes.LENGTH / 1_000

SECURITY = [
    f"{MISSES[0].most} wrong ones in ten minutes and {MISSES[1].most:,} a day for an address, ",
    f"for an address, {OWN_MISSES[0].most} a minute and {OWN_MISSES[1].most} a day for a browser or an account",
    f"{round(TRIES / (10_000 * day_of(codes.MISSES_OF_ADDRESS)), -1):.0f} days; no total limit",
    f"may get {day_of(OF_STUDENT)} wrong a day together",
    f"all students of one teacher or guardian {day_of(OF_STUDENTS):,};",
    f"{day_of(OF_STUDENT)} a day beside what the address may get wrong",
    f"share {day_of(OF_STUDENTS):,} wrong codes a day, beside the adult's own {day_of(codes.MISSES)}",
    f"With {OF_ADULT:,} a day the first class takes {round(TRIES / OF_ADULT / 365, -3):,.0f} years",
    f"it takes {round(10_000 * day_of(codes.MISSES_OF_ADDRESS) / OF_ADULT, -3):,.0f} adults",
    f"{wsgi_adapter.LARGEST_BODY // MB} MB are taken, {wsgi_adapter._MOST_PASSED_OVER // MB} MB passed over",
    f"{connections.HEADER_SECONDS:.0f} seconds for all headers, and for a body with",
    f"for a body with one more for every {wsgi_adapter.SLOWEST_BODY // KB} kB",
    f"of which {wsgi_adapter.LEAST_PROGRESS // KB} kB come within each {wsgi_adapter.BODY_GRACE_SECONDS:.0f} seconds",
    f"{wsgi_adapter.LARGEST_FORM // KB} kB are taken, and where a file",
    f"a quarter of {wsgi_adapter.MOST_HELD // MB} MB",
    f"{queue.MOST_OF_ADDRESS} under way for an address, {queue.MOST_OF_GUESTS} for all guests",
    f"{ANSWERS[0].most:,} in ten minutes, {ANSWERS[1].most:,} a day; accounts aren't held up",
    f"{day_of(INVITATIONS_OF_TEACHER)} a day for a teacher, {day_of(INVITATIONS_TO_ADDRESS)} a day to an address",
    f"{bombs.MOST_MEMORY // MB} MB of memory are enough for all",
    f"what {MOST_BYTES // 1_000_000} MB cost",
]
FAULTS = [
    f"every {in_words(hub.LOOK_SECONDS)} seconds each looks for changes of the others",
    f"a timeout of {in_words(settings_with(**PUBLIC)['EMAIL_TIMEOUT'])} seconds",
    f"seconds for each step and of {mail.SEND_SECONDS:.0f} for a mail",
    f"for up to {in_words(round(sum(mail.DELAYS) / 3600))} hours",
    f"after {in_words(mail.LEASE.seconds / 60)} minutes another sends it again",
    f'answered with "busy" after {SLOW_SECONDS:.0f} seconds',
    f"heavy work is killed after {offload.SECONDS:.0f} seconds or {offload.MOST_BYTES // MB} MB",
    f"A command that comes up to {in_words(matches._LONGEST_WAIT)} seconds before the last write",
]


def test_the_windows_are_as_long_as_the_words_say():
    assert [window.seconds for window in (*MISSES, *OWN_MISSES, *ANSWERS)] == [600, DAY, 60, DAY, 600, DAY]
    assert cache._SOCKET_SECONDS == 0.5, "half a second"
    assert matches._LONGEST_ABSENCE == 60, "a minute"
    assert wsgi_adapter.BODY_GRACE_SECONDS == connections.HEADER_SECONDS, "as long for a body as for headers"
    assert queue.MOST_ATTEMPTS == 2, "a job that dies twice"


@pytest.mark.parametrize(
    ("document", "words"),
    [*(("security.md", words) for words in SECURITY), *(("faults.md", words) for words in FAULTS)],
)
def test_the_document_says_it_as_it_is(document, words):
    text = " ".join((ROOT / "docs" / document).read_text(encoding="utf-8").split())
    assert words in text
