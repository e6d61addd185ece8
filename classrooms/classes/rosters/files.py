"""Reading lists of students: pasted text, spreadsheets and OneRoster exports. Nothing is written to the database."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping

from django.utils.translation import gettext as _

from classrooms.accounts.names import LONGEST
from classrooms.classes.rosters.oneroster import ListedClass, belongs_to_export, file_name, read_export
from classrooms.classes.rosters.row_form import Row, check_rows, read_rows
from classrooms.classes.rosters.tables import (
    BadFile,
    Fault,
    FaultList,
    ListTable,
    csv_table,
    decoded,
    is_workbook,
    plain_title,
    unpack,
    workbook_tables,
)

MOST_BYTES = 2_000_000

# Numbers and bullets of pasted lists.
_BULLET = re.compile(r"^\s*(?:\d+[.):]?|[-*•·])\s+")
# Known column titles, without spaces, punctuation and accents.
_COLUMNS = {
    "name": "name fullname realname student studentname pupil pupilname learner learnername names lastfirst "
    "lastnamefirstname surnamefirstname nomcomplet nometprenom prenometnom nomprenom eleve nombrecompleto "
    "nombreyapellidos apellidosynombre apellidosnombre alumno schuler",
    "first_name": "firstname first givenname given forename firstnames forenames prenom nombre nombres vorname",
    "last_name": "lastname last surname familyname family nom nomdefamille apellido apellidos nachname familienname",
    "display_name": "displayname display nickname nick screenname shownname alias nomaffiche surnom pseudo apodo "
    "spitzname",
    "group": "group groupname team section groupe equipe grupo equipo gruppe",
    "source_id": "id studentid pupilid sourcedid sourceid studentnumber upn sisid externalid localid identifiant",
}
_MEANINGS = {word: column for column, words in _COLUMNS.items() for word in words.split()}
_NAME_TITLES = {word for word, column in _MEANINGS.items() if column in {"name", "first_name", "last_name"}}


def read_names(text: str) -> list[Row]:
    """Read pasted text: one name per line, "Mia Okafor" or "Okafor, Mia", or a table with column titles."""
    if text.strip():
        table = csv_table(text, _MEANINGS, FaultList())
        if _has_titles(table, text):
            return _checked(_rows_of(table), table.faults)
    faults = FaultList()
    return _checked(read_rows(_names(text), faults), faults)


def read_files(files: Mapping[str, bytes]) -> list[Row] | list[ListedClass]:
    """The students in a spreadsheet, or the classes in a OneRoster export or in a workbook with several lists."""
    if not files:
        raise BadFile(Fault(_("Choose a file first.")))
    if len(files) > 1:
        return read_export({file_name(name): content for name, content in files.items()})
    faults = FaultList()
    (content,) = files.values()
    if is_workbook(content):
        tables = workbook_tables(content, _MEANINGS, faults)
    elif content.startswith(b"PK"):
        return read_export({file_name(name): file for name, file in unpack(content, belongs_to_export).items()})
    else:
        tables = {"": csv_table(decoded(content, faults), _MEANINGS, faults)}
    lists = {title: _rows_of(table) for title, table in tables.items()}
    if len(lists) == 1 or not any(lists.values()):
        return _checked(next(iter(lists.values())), faults)
    faults.raise_any()
    return [ListedClass("", title, tuple(rows)) for title, rows in lists.items() if rows]


def _checked(rows: list[Row], faults: FaultList) -> list[Row]:
    check_rows(rows, faults)
    return rows


def _names(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """One name per line, with or without a title above."""
    is_first = True
    for line, raw in enumerate(io.StringIO(text, newline=""), 1):
        name = _BULLET.sub("", raw.rstrip("\r\n").replace("\t", " ")).strip()
        if name and not (is_first and plain_title(name) in _NAME_TITLES):
            yield line, {"name": name}
        is_first = is_first and not name


def _has_titles(table: ListTable, text: str) -> bool:
    """Whether pasted text is a table. A single title isn't enough without tabs: "Nom, Mia" is a student."""
    titles = _MEANINGS.keys() & set(table.titles)
    return bool(titles & _NAME_TITLES) and (len(titles) > 1 or (len(table.header) > 1 and "\t" in text))


def _rows_of(table: ListTable) -> list[Row]:
    return read_rows(table.records(_places(table)), table.faults)


def _places(table: ListTable) -> dict[str, int]:
    """The place of each column that we know."""
    if {"role", "sourcedid"} <= set(table.titles):
        why = _(
            "This is a part of a OneRoster export. Choose its zip, "
            "or users.csv, classes.csv and enrollments.csv together."
        )
        table.faults.refuse(why)
    found: dict[str, int] = {}
    for place, title in enumerate(table.titles):
        column = _MEANINGS.get(title)
        if column in found:
            words = {"a": table.header[found[column]][:LONGEST], "b": table.header[place][:LONGEST]}
            table.faults.refuse(_("Two columns could be the same: “%(a)s” and “%(b)s”.") % words, table.line)
        if column:
            found[column] = place
    if not {"name", "last_name"} & found.keys() and "first_name" in found:
        found["name"] = found.pop("first_name")
    elif not {"name", "first_name"} & found.keys() and "nom" in table.titles:
        # In French, "nom" alone is the full name.
        found["name"] = found.pop("last_name")
    if not {"name", "first_name"} & found.keys():
        why = _("A column is missing: “name”, or “first name” and “last name”. The first line names the columns.")
        table.faults.refuse(why, table.line)
    return found
