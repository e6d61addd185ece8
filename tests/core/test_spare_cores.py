"""Heavy work leaves one core to the games and runs one at a time, and nobody waits for long."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from core import spare_cores
from core.offload import Offload
from core.spare_cores import spare_core

PATIENCE = 60.0


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch, settings, tmp_path) -> None:
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr(spare_cores.os, "cpu_count", lambda: 2)


@pytest.fixture
def patient(monkeypatch) -> None:
    monkeypatch.setattr(spare_cores, "LONGEST_WAIT", PATIENCE)


@pytest.fixture
def offload() -> Iterator[Offload]:
    made = Offload(has_django=False)
    made.start(1)
    made(len, "")  # the child takes a while to begin
    yield made
    made.stop()


@pytest.mark.usefixtures("patient")
def test_work_waits_until_the_core_is_free(offload):
    done = threading.Event()
    other = threading.Thread(target=lambda: (offload(len, "four"), done.set()))
    with spare_core():
        other.start()
        assert not done.wait(0.2)
    assert done.wait(PATIENCE)
    other.join()


def test_nobody_waits_for_long_behind_work_that_never_ends(monkeypatch, offload):
    monkeypatch.setattr(spare_cores, "LONGEST_WAIT", 0.01)
    with spare_core():
        assert offload(len, "four") == 4


def test_where_no_file_can_be_made_work_goes_on(settings, offload):
    settings.VAR_DIR = "/nowhere"
    assert offload(len, "four") == 4


def test_of_many_cores_all_but_one_are_used(monkeypatch):
    monkeypatch.setattr(spare_cores.os, "cpu_count", lambda: 4)
    monkeypatch.setattr(spare_cores, "LONGEST_WAIT", 0.0)
    taken = [spare_cores._wait_for_one() for _core in range(4)]
    assert [handle is not None for handle in taken] == [True, True, True, False]
    for handle in filter(None, taken):
        spare_cores.os.close(handle)
