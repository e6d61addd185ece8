"""The class report as CSV and XLSX: the same numbers, and safe to open in a spreadsheet."""

from __future__ import annotations

import csv
from io import BytesIO, StringIO

import pytest
from openpyxl import load_workbook

from classrooms.classes.assignments import assign
from classrooms.models import Task
from classrooms.reports.exports import class_csv, class_xlsx, file_name, header, line
from classrooms.reports.report import class_report
from core.spreadsheets import safe
from games.rules import Feature
from lessons.skills import ExerciseKind
from tests.classrooms.people import enrol, make_adult, make_classroom
from tests.classrooms.tries import NOW, a_set, answered, broken_by

pytestmark = pytest.mark.django_db


@pytest.fixture
def report():
    classroom = make_classroom(make_adult("Rivera"))
    mia, _ines = enrol(classroom, "Mia Okafor", "Inés García")
    for skip in range(5):
        answered(mia, ExerciseKind.IS_SET, broken_by(Feature.SHADING, skip=skip), {"yes": True}, at=NOW - 600 + skip)
        answered(mia, ExerciseKind.IS_SET, a_set(skip), {"yes": True}, at=NOW - 500 + skip, seconds=30)
    assign(classroom, by=classroom.teachers.get(), task=Task.DAILY, now=NOW)
    return class_report(classroom, now=NOW)


def read_csv(data: bytes) -> list[list[str]]:
    return list(csv.reader(StringIO(data.decode("utf-8-sig"), newline="")))


def sheet_of(data: bytes):
    return load_workbook(BytesIO(data)).worksheets[0]


def test_the_csv_has_a_line_a_student_with_all_numbers_of_the_report(report):
    first, *lines = read_csv(class_csv(report))
    assert first == header()
    assert len(lines) == 2
    for row, cells in zip(report.rows, lines, strict=True):
        assert cells == ["" if cell is None else str(cell) for cell in line(row)]
    assert lines[1][:3] == ["Mia Okafor", "Mia", ""]
    assert lines[1][-6:] == [
        "1",
        "3",
        "2027-01-15",
        "1",
        "0",
        "seems not to look at the shading; shading: two and one missed 5 of 5",
    ]


def test_the_csv_tells_a_spreadsheet_that_it_is_utf_8(report):
    data = class_csv(report)
    assert data.startswith(b"\xef\xbb\xbf")
    assert "Inés García" in data.decode("utf-8-sig")


def test_the_workbook_has_the_same_cells_as_the_csv(report):
    sheet = sheet_of(class_xlsx(report))
    rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert rows[0] == header()
    for row, cells in zip(report.rows, rows[1:], strict=True):
        told = [cell.date() if hasattr(cell, "date") else cell for cell in cells]
        assert [cell or None for cell in told] == [cell or None for cell in line(row)]


def test_the_workbook_says_what_the_levels_mean(report):
    levels = load_workbook(BytesIO(class_xlsx(report))).worksheets[1]
    told = [[cell.value for cell in row] for row in levels.iter_rows()]
    assert told == [[0, "new"], [1, "started"], [2, "growing"], [3, "sure"], [4, "mastered"]]


@pytest.mark.parametrize(
    "evil",
    [
        "=1+1",
        "+1",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "  =1",
        '=HYPERLINK("https://evil.example")',
        "=cmd|' /C'!A0",
    ],
)
def test_what_looks_like_a_formula_gets_an_apostrophe(evil):
    assert safe(evil) == f"'{evil}"


@pytest.mark.parametrize("fine", ["Mia", "O'Hara", "Jean-Luc", "a=b", "", 0, -3, None])
def test_what_does_not_stays_as_it_is(fine):
    assert safe(fine) == fine


EVIL = '=HYPERLINK("https://evil.example","Mia")'


def test_a_name_like_a_formula_is_none_in_either_file(report):
    enrolment = report.rows[0].enrolment
    enrolment.real_name = EVIL
    enrolment.save()
    enrolment.student.display_name = "@SUM(A1)"
    enrolment.student.save()
    group = report.classroom.groups.create(name="-1+1")
    enrolment.group = group
    enrolment.save()
    again = class_report(report.classroom, now=NOW)
    evil_line = next(cells for cells in read_csv(class_csv(again)) if "HYPERLINK" in cells[0])
    assert evil_line[:3] == [f"'{EVIL}", "'@SUM(A1)", "'-1+1"]
    sheet = sheet_of(class_xlsx(again))
    cells = {cell.value: cell.data_type for row in sheet.iter_rows() for cell in row}
    assert {cells[EVIL], cells["@SUM(A1)"], cells["-1+1"]} == {"s"}
    assert "f" not in cells.values()
    assert not any(cell.hyperlink for row in sheet.iter_rows() for cell in row)


def test_a_class_of_nobody_has_a_header_only():
    report = class_report(make_classroom(make_adult("Rivera")), now=NOW)
    assert read_csv(class_csv(report)) == [header()]
    assert sheet_of(class_xlsx(report)).max_row == 1


@pytest.mark.parametrize(
    ("name", "stem"), [("Class 2B", "class-2b"), ("二年级", "class"), ('a"; x=\r\nb/../c', "a-x-bc")]
)
def test_the_name_of_the_file_is_plain(name, stem):
    report = class_report(make_classroom(make_adult("Rivera"), name), now=NOW)
    assert file_name(report, "csv") == f"{stem}-2027-01-15.csv"
