"""A row of a roster: the form that checks its cells, and the checks across rows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from classrooms.accounts.names import LONGEST, clean, is_unfit
from classrooms.classes.rosters.tables import FaultList

MOST_STUDENTS = 400
"""A list is for one class, and this is already a whole year of a large school."""
LONGEST_NAME = 80
LONGEST_GROUP = 40
LONGEST_ID = 64
LONGEST_RAW = 1_000

_FORMULA_STARTS = tuple("=+-@\t\r")
# A student's number in the class before the name: "7 Mia", "7. Mia", "7) Mia".
_CLASS_NUMBER = re.compile(r"^\s*\d+[.):]?\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A student as they appear in a list."""

    line: int
    real_name: str
    display_name: str = ""
    group: str = ""
    source_id: str = ""


class CellField(forms.CharField):
    """A cell, cleaned to one line that no spreadsheet takes for a formula. A dash alone means an empty cell."""

    default_error_messages: ClassVar = {
        "max_length": gettext_lazy("%(column)s is longer than %(most)s letters."),
        "formula": gettext_lazy("“%(cell)s” could act as a formula in a spreadsheet."),
        "control": gettext_lazy("%(column)s holds a control character or a line break."),
    }

    def __init__(self, **more: Any) -> None:
        super().__init__(required=False, strip=False, **more)

    def clean(self, value: str | None) -> str:
        raw = value or ""
        if len(raw) > LONGEST_RAW:
            # Unicode composition of letters with thousands of marks takes quadratic time.
            raise self.error("max_length")
        text = clean(raw)
        if all(unicodedata.category(letter) == "Pd" for letter in text):
            return ""
        if raw.startswith(_FORMULA_STARTS) or unicodedata.normalize("NFKC", text).startswith(_FORMULA_STARTS):
            raise self.error("formula", cell=Truncator(text).chars(LONGEST))
        if any(unicodedata.category(letter) == "Cc" for letter in raw):
            raise self.error("control")
        if len(text) > (self.max_length or 0):
            raise self.error("max_length")
        return text

    def error(self, code: str, **words: str) -> forms.ValidationError:
        params = {"column": self.label, "most": self.max_length, **words}
        return forms.ValidationError(self.error_messages[code], code, params)


class RowForm(forms.Form):
    name = CellField(label=gettext_lazy("The name"), max_length=LONGEST_NAME)
    first_name = CellField(label=gettext_lazy("The first name"), max_length=LONGEST_NAME)
    last_name = CellField(label=gettext_lazy("The last name"), max_length=LONGEST_NAME)
    display_name = CellField(label=gettext_lazy("The display name"), max_length=LONGEST)
    group = CellField(label=gettext_lazy("The group"), max_length=LONGEST_GROUP)
    source_id = CellField(label=gettext_lazy("The id"), max_length=LONGEST_ID)

    def clean_name(self) -> str:
        return in_order(_CLASS_NUMBER.sub("", self.cleaned_data["name"]))

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if self.errors:
            return data
        both = f"{data.pop('first_name')} {data.pop('last_name')}"
        data["real_name"] = data.pop("name") or self.fields["name"].clean(both)
        if not any(letter.isalpha() for letter in data["real_name"]):
            raise forms.ValidationError(_("There is no name."))
        return data


def read_rows(
    lines: Iterable[tuple[int, Mapping[str, str]]], faults: FaultList, *, most: int = MOST_STUDENTS
) -> list[Row]:
    """Read students from lines, and note the faults of bad ones. Stops as soon as there are too many of either."""
    rows: list[Row] = []
    for line, cells in lines:
        form = RowForm(cells)
        if form.is_valid():
            rows.append(Row(line=line, **form.cleaned_data))
            _check_count(rows, most, faults)
        for errors in form.errors.values():
            for why in errors:
                faults.add(str(why), line)
    return rows


def in_order(name: str) -> str:
    """Put the first name first, so that "Okafor, Mia" and "Mia Okafor" are the same student."""
    if name.count(",") != 1:
        return name
    last, first = (part.strip() for part in name.split(","))
    return f"{first} {last}".strip()


def check_rows(rows: Sequence[Row], faults: FaultList) -> None:
    """Refuse a list that's empty, too long or has somebody twice, together with all faults found before."""
    if not rows and not faults.faults:
        faults.refuse(_("There are no students in this file."))
    _check_count(rows, MOST_STUDENTS, faults)
    without_id = {row.real_name for row in rows if not row.source_id}
    seen: dict[tuple[str, str], int] = {}
    for row in rows:
        for why, value in (
            (_("The id “%(value)s” is already on line %(line)s."), row.source_id),
            (
                _("“%(value)s” is already on line %(line)s. Write the names so that you can tell them apart."),
                row.real_name if row.real_name in without_id else "",
            ),
            (_("The display name “%(value)s” is already on line %(line)s."), row.display_name.casefold()),
        ):
            if value and seen.setdefault((why, value), row.line) != row.line:
                faults.add(why % {"value": value, "line": seen[why, value]}, row.line)
        if row.display_name and is_unfit(row.display_name):
            faults.add(_("“%(name)s” is not a name to show to a class.") % {"name": row.display_name}, row.line)
    faults.faults.sort(key=lambda fault: fault.line or 0)
    faults.raise_any()


def _check_count(rows: Sequence[Row], most: int, faults: FaultList) -> None:
    if len(rows) > most:
        faults.refuse(
            _("That's more than %(most)s students. Make several classes, and split the list.") % {"most": most}
        )
