"""Tables as CSV and Excel files in which no text is ever taken for a formula."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from datetime import date
from io import StringIO
from typing import Final

import xlsxwriter

Cell = str | int | date | None

WIDE, NARROW = 22, 11
_FORMULA_SIGNS: Final = ("=", "+", "-", "@", "\t", "\r", "\n")


def table_csv(lines: Iterable[Sequence[Cell]]) -> bytes:
    """CSV for spreadsheet programs: UTF-8 with a byte order mark, and nothing they would take for a formula."""
    text = StringIO()
    csv.writer(text).writerows([safe(cell) for cell in each] for each in lines)
    return text.getvalue().encode("utf-8-sig")


def safe(cell: Cell) -> Cell:
    """Prefix text that starts like a formula with an apostrophe, as OWASP advises; numbers stay numbers."""
    if isinstance(cell, str) and cell.lstrip(" ").startswith(_FORMULA_SIGNS):
        return f"'{cell}"
    return cell


def write_table(
    book: xlsxwriter.Workbook, title: str, lines: Sequence[Sequence[Cell]]
) -> xlsxwriter.worksheet.Worksheet:
    """Add a sheet whose first row is the header and whose first two columns are names."""
    bold = book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
    day = book.add_format({"num_format": "yyyy-mm-dd"})
    sheet = book.add_worksheet(title)
    for number, cells in enumerate(lines):
        _write_row(sheet, number, cells, None if number else bold, day)
    sheet.set_column(0, 1, WIDE)
    sheet.set_column(2, len(lines[0]) - 1, NARROW)
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
