"""Uploaded files: whatever they contain, reading them takes little memory and time linear in their size."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from classrooms.classes.rosters import row_form
from classrooms.classes.rosters.files import MOST_BYTES, read_files
from classrooms.classes.rosters.proposals import plan, propose, write_all
from classrooms.classes.rosters.row_form import Row
from classrooms.classes.rosters.tables import MOST_FAULTS, MOST_UNPACKED, BadFile
from classrooms.models import RosterImport
from tests.classrooms.people import make_adult, make_classroom, signed_in
from tests.safety.bombs import FILES, WORKBOOKS, ZIPS, read, zipped

ROOT = Path(__file__).resolve().parents[2]
LENIENT = 8
"""How many times longer a file four times as large may take: twice linear, well below the sixteen of a square."""
MOMENT = 0.02


def seconds_of(work: Callable[[], object]) -> float:
    """CPU seconds of this thread, the best of three because the machine is busy.

    Garbage isn't collected meanwhile: that takes as long as the tests before have left objects.
    """
    found = []
    for _run in range(3):
        gc.collect()
        gc.disable()
        try:
            begun = time.thread_time()
            work()
            found.append(time.thread_time() - begun)
        finally:
            gc.enable()
    return max(min(found), MOMENT)


def test_no_file_needs_more_memory_than_there_is():
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "setsite.settings", "SETSITE_DEBUG": "1"}
    command = [sys.executable, "-m", "tests.safety.bombs"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert len(done.stdout.splitlines()) == len(FILES) + len(ZIPS) + len(WORKBOOKS) + 1


@pytest.mark.parametrize("name", FILES)
def test_four_times_the_file_takes_no_more_than_its_share(name):
    small, large = FILES[name](MOST_BYTES // 4), FILES[name](MOST_BYTES)
    assert seconds_of(lambda: read(large)) < LENIENT * seconds_of(lambda: read(small))


@pytest.mark.parametrize("name", ZIPS)
def test_four_times_the_zip_takes_no_more_than_its_share(name):
    small, large = ZIPS[name](MOST_UNPACKED // 8), ZIPS[name](MOST_UNPACKED // 2)
    assert seconds_of(lambda: read(large)) < LENIENT * seconds_of(lambda: read(small))


@pytest.mark.parametrize("name", WORKBOOKS)
def test_four_times_the_workbook_takes_no_more_than_its_share(name):
    small, large = WORKBOOKS[name](100_000), WORKBOOKS[name](400_000)
    assert seconds_of(lambda: read(large)) < LENIENT * seconds_of(lambda: read(small))


@pytest.mark.parametrize("name", WORKBOOKS)
def test_a_workbook_that_is_a_bomb_is_refused(name):
    with pytest.raises(BadFile):
        read_files(WORKBOOKS[name](1_000_000))


@pytest.mark.parametrize("name", [name for name in FILES if name != "nothing but line breaks"])
def test_reading_stops_when_there_is_enough_to_fix(name):
    with pytest.raises(BadFile) as refused:
        read_files(FILES[name](MOST_BYTES))
    assert 0 < len(refused.value.faults) <= MOST_FAULTS
    assert len(str(refused.value)) < 50_000


@pytest.mark.parametrize(
    ("uploads", "words"),
    [
        (FILES["many columns and many lines"](50_000), "more than 200 columns"),
        (FILES["nothing but line breaks"](50_000), "more than 20000 lines"),
        (FILES["the same name"](50_000), "more than 400 students"),
        (FILES["one endless name"](50_000), "longer than 80 letters"),
        (ZIPS["line breaks in a zip"](50_000), "more than 20000 lines"),
        (ZIPS["many places in classes"](500_000), "Export fewer classes"),
        (ZIPS["a packing that names its own memory"](1_000), "damaged or locked"),
        (ZIPS["line breaks in a zip"](MOST_UNPACKED), "larger than 10 MB"),
        (WORKBOOKS["more cells than a list has"](500_000), "too much in this file"),
        (WORKBOOKS["a sheet named over and over"](1_000), "too much in this file"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_too_much_is_told_in_words(uploads, words):
    with pytest.raises(BadFile) as refused:
        read_files(uploads)
    assert words in str(refused.value)


@pytest.mark.parametrize("name", ["a tower of marks", "towers of marks", "a tower of marks in the header"])
def test_no_tower_of_marks_is_put_in_order(name, monkeypatch):
    """Python's normalization takes quadratic time for that."""
    lengths = []

    def measure(text: str) -> str:
        lengths.append(len(text))
        return text

    monkeypatch.setattr(row_form, "clean", measure)
    monkeypatch.setattr(row_form.unicodedata, "normalize", lambda form, text: measure(text))
    read(FILES[name](MOST_BYTES))
    assert max(lengths, default=0) <= 1_000


def test_the_files_of_a_zip_share_one_limit():
    half = b"\n" * (MOST_UNPACKED // 2)
    with pytest.raises(BadFile, match="larger than 10 MB"):
        read_files(zipped(users=half, classes=half))


def namesakes(count: int) -> list[Row]:
    """Rows with the same name and different ids."""
    return [Row(line=number, real_name="Sam Lee", source_id=f"s{number}") for number in range(2, count + 2)]


@pytest.mark.django_db
@pytest.mark.parametrize("generated", [False, True])
def test_four_times_the_students_take_no_more_than_their_share_to_plan(generated):
    classroom = make_classroom(make_adult())

    def seconds_to_plan(count: int) -> float:
        rows = namesakes(count)
        return seconds_of(lambda: plan(classroom, rows, generated=generated))

    assert seconds_to_plan(2000) < LENIENT * seconds_to_plan(500)


@pytest.mark.django_db
def test_four_times_the_students_of_one_name_are_found_again_in_their_share_of_time():
    def found_again(count: int) -> float:
        teacher = make_adult()
        classroom = make_classroom(teacher)
        rows = namesakes(count)
        write_all(propose(classroom, rows, by=teacher), by=teacher)
        assert all(each.enrolment for each in plan(classroom, rows))
        # In reverse order, because removing from the end of a list would be the slow case.
        return seconds_of(lambda: plan(classroom, rows[::-1]))

    few, many = found_again(100), found_again(400)
    assert many < LENIENT * few


@pytest.mark.django_db
@pytest.mark.parametrize("name", FILES)
def test_a_teacher_who_sends_such_a_file_is_told_what_to_fix(name):
    teacher = make_adult()
    classroom = make_classroom(teacher)
    files = [SimpleUploadedFile(*each) for each in FILES[name](MOST_BYTES).items()]
    response = signed_in(teacher).post(
        f"/teach/{classroom.pk}/students/import/",
        {"files": files, "shown": "first"},
    )
    assert response.status_code == 422
    assert len(response.content) < 100_000
    assert not RosterImport.objects.exists()
