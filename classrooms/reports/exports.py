"""The report on a class as a file: the numbers of the screen, for they come from the same report."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from datetime import date
from io import BytesIO, StringIO
from typing import Final

import xlsxwriter
from django.utils.text import slugify
from django.utils.translation import gettext as _

from classrooms.reports.report import ClassReport, StudentRow
from games.words import listed
from lessons.skills import Skill
from lessons.words import LEVELS, SKILLS

Cell = str | int | date | None

_FORMULA_SIGNS: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
_WIDE, _NARROW = 22, 11


def header() -> list[str]:
    return [
        _("Name"),
        _("Name on screens"),
        _("Group"),
        *(str(SKILLS[skill]) for skill in Skill),
        _("Days here in four weeks"),
        _("Minutes at work in four weeks"),
        _("Last seen"),
        _("Assignments to do"),
        _("Of these late"),
        _("Needs help with"),
    ]


def line(row: StudentRow) -> list[Cell]:
    """One student; a skill is its level from 0 to 4."""
    seen = row.activity.last_seen
    return [
        row.enrolment.real_name,
        row.enrolment.student.display_name,
        row.enrolment.group.name if row.enrolment.group else "",
        *(int(status.level) for status in row.skills),
        row.days,
        row.minutes,
        seen.date() if seen else None,
        row.open_tasks,
        row.late_tasks,
        listed(row.help_words),
    ]


def class_csv(report: ClassReport) -> bytes:
    return table_csv([header(), *map(line, report.rows)])


def table_csv(lines: Iterable[Sequence[Cell]]) -> bytes:
    """For a spreadsheet: in UTF-8 with the mark that tells so, and with nothing that it would take for a formula."""
    text = StringIO()
    csv.writer(text).writerows([safe(cell) for cell in each] for each in lines)
    return text.getvalue().encode("utf-8-sig")


def safe(cell: Cell) -> Cell:
    """A text that begins like a formula gets an apostrophe before it, as OWASP advises; numbers stay numbers."""
    if isinstance(cell, str) and cell.lstrip(" ").startswith(_FORMULA_SIGNS):
        return f"'{cell}"
    return cell


def class_xlsx(report: ClassReport) -> bytes:
    """A workbook of two sheets: the class, and what the levels mean. Texts are written as texts, never as formulas."""
    file = BytesIO()
    with xlsxwriter.Workbook(file, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}) as book:
        sheet = write_table(book, _("Class"), [header(), *map(line, report.rows)])
        last = len(header()) - 1
        sheet.set_column(last, last, 2 * _WIDE)
        levels = book.add_worksheet(_("Levels"))
        for number, (level, word) in enumerate(LEVELS.items()):
            levels.write_number(number, 0, int(level))
            levels.write_string(number, 1, str(word))
    return file.getvalue()


def write_table(
    book: xlsxwriter.Workbook, title: str, lines: Sequence[Sequence[Cell]]
) -> xlsxwriter.worksheet.Worksheet:
    """A sheet whose first line is the header, and whose first two columns are names."""
    bold = book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
    day = book.add_format({"num_format": "yyyy-mm-dd"})
    sheet = book.add_worksheet(title)
    for number, cells in enumerate(lines):
        _write_row(sheet, number, cells, None if number else bold, day)
    sheet.set_column(0, 1, _WIDE)
    sheet.set_column(2, len(lines[0]) - 1, _NARROW)
    sheet.freeze_panes(1, 1)
    return sheet


def _write_row(
    sheet: xlsxwriter.worksheet.Worksheet,
    number: int,
    cells: Sequence[Cell],
    style: xlsxwriter.format.Format | None,
    day: xlsxwriter.format.Format,
) -> None:
    for place, cell in enumerate(cells):
        if isinstance(cell, str):
            sheet.write_string(number, place, cell, style)
        elif isinstance(cell, int):
            sheet.write_number(number, place, cell, style)
        elif cell is not None:
            sheet.write_datetime(number, place, cell, day)


def file_name(report: ClassReport, kind: str) -> str:
    """ "class-2b-2026-11-16.csv"; a name without any Latin letter is left out."""
    name = slugify(report.classroom.name) or "class"
    return f"{name}-{report.made_at:%Y-%m-%d}.{kind}"
