"""Heavy work in its own process: its results, and what happens when it exceeds a limit."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest
from django.utils import translation
from django.utils.translation import gettext

from core import offload as module
from core.offload import NoChildFree, Offload, OffloadFailed


@pytest.fixture(scope="module")
def aside() -> Iterator[Offload]:
    made = Offload()
    made.start(children=1)
    yield made
    made.stop()


def where() -> int:
    return os.getpid()


def priority() -> int:
    return os.getpriority(os.PRIO_PROCESS, 0)


def translated() -> str:
    return gettext("Name")


def fail() -> None:
    raise LookupError("nothing there")


def never_end() -> None:
    while True:
        time.sleep(1)


def take(size: int) -> int:
    return len(bytearray(size))


def end_oneself() -> None:
    os._exit(3)


def test_outside_of_a_web_process_it_is_a_plain_call():
    assert Offload()(where) == os.getpid()


def test_in_a_web_process_it_is_done_by_a_child_of_low_priority(aside):
    assert aside(where) not in {os.getpid(), os.getppid()}
    assert aside(priority) >= priority() + module.NICENESS or aside(priority) == 19


def test_the_child_speaks_the_readers_language(aside):
    with translation.override("fr"):
        assert aside(translated) == translated() != "Name"


def test_an_error_is_raised_where_the_work_was_asked_for(aside):
    with pytest.raises(LookupError, match="nothing there"):
        aside(fail)
    assert aside(where)


def test_work_without_an_end_is_killed_and_the_next_is_done_by_a_new_child(aside):
    before = aside(where)
    with pytest.raises(OffloadFailed):
        aside(never_end, seconds=0.2)
    assert aside(where) != before
    with pytest.raises(ProcessLookupError):
        os.kill(before, 0)


def test_work_that_takes_too_much_memory_is_given_up(aside):
    with pytest.raises(OffloadFailed):
        aside(take, 4 * module.MOST_BYTES)
    assert aside(take, 1_000) == 1_000


def test_a_child_that_dies_is_replaced(aside):
    with pytest.raises(OffloadFailed):
        aside(end_oneself)
    assert aside(where)


def test_nobody_waits_for_ever_for_a_child():
    full = Offload()
    full.start(children=0)
    with pytest.raises(OffloadFailed):
        full(where, seconds=0.01)


def test_a_child_with_nothing_to_do_gives_its_memory_back(aside):
    child = aside(where)
    aside.end_idle(60)
    assert aside(where) == child
    aside.end_idle(0)
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert aside(where) != child


def test_what_must_not_run_in_the_web_process_is_refused_while_there_are_no_children():
    with pytest.raises(NoChildFree):
        Offload(is_inline_when_off=False)(where)


def test_who_does_not_want_to_wait_is_told_at_once_that_every_child_is_busy():
    full = Offload()
    full.start(children=0)
    with pytest.raises(NoChildFree):
        full(where, wait=0)


def test_children_end_with_the_server():
    brief = Offload(has_django=False)
    brief.start(children=1)
    child = brief(where)
    brief.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
