"""The class report as a file, with the same numbers as on screen, since both use the same report."""

from __future__ import annotations

from io import BytesIO

import xlsxwriter
from django.utils.text import slugify
from django.utils.translation import gettext as _

from classrooms.reports.report import ClassReport, StudentRow
from core.spreadsheets import WIDE, Cell, table_csv, write_table
from games.words import listed
from lessons.skills import Skill
from lessons.words import LEVELS, SKILLS


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
    """One student; each skill is given as its level from 0 to 4."""
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


def class_xlsx(report: ClassReport) -> bytes:
    """A workbook of two sheets: the class, and what the levels mean. Text is never written as a formula."""
    file = BytesIO()
    with xlsxwriter.Workbook(file, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}) as book:
        sheet = write_table(book, _("Class"), [header(), *map(line, report.rows)])
        last = len(header()) - 1
        sheet.set_column(last, last, 2 * WIDE)
        levels = book.add_worksheet(_("Levels"))
        for number, (level, word) in enumerate(LEVELS.items()):
            levels.write_number(number, 0, int(level))
            levels.write_string(number, 1, str(word))
    return file.getvalue()


def file_name(report: ClassReport, kind: str) -> str:
    """For example "class-2b-2026-11-16.csv". A name without any Latin letter becomes "class"."""
    name = slugify(report.classroom.name) or "class"
    return f"{name}-{report.made_at:%Y-%m-%d}.{kind}"
