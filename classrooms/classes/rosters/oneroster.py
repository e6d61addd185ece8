"""OneRoster 1.1 exports: users, classes and enrollments in three CSV files, or a zip of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from classrooms.accounts.names import clean
from classrooms.classes.rosters.row_form import LONGEST_ID, LONGEST_NAME, LONGEST_RAW, Row, check_rows, read_rows
from classrooms.classes.rosters.tables import MOST_LINES, BadFile, Fault, FaultList, csv_table, decoded, unreadable

MOST_ENROLLMENTS = 100_000
"""Lines of enrollments.csv. Every student has several, and teachers and former students have some, too."""
MOST_PLACES = 20_000
"""Student enrollments in all classes of an export, which we store until the teacher has chosen a class."""

_COLUMNS = {
    "users.csv": ("sourcedId", "role", "givenName", "familyName"),
    "classes.csv": ("sourcedId", "title"),
    "enrollments.csv": ("classSourcedId", "userSourcedId", "role"),
}

_Record = tuple[int, dict[str, str]]
_ById = dict[str, _Record]


@dataclass(frozen=True, slots=True)
class ListedClass:
    """A class in a file with its students. In an export it has an id; in a workbook it's a sheet."""

    source_id: str
    title: str
    rows: tuple[Row, ...]


def check_class(listed: ListedClass) -> None:
    """Refuse a class that's too large or has somebody twice."""
    check_rows(listed.rows, FaultList("users.csv" if listed.source_id else listed.title))


def file_name(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1].lower()


def belongs_to_export(path: str) -> bool:
    return "__MACOSX" not in path and file_name(path) in _COLUMNS


def read_export(files: Mapping[str, bytes]) -> list[ListedClass]:
    """The classes with students in an export. `files` is keyed by plain file name."""
    missing = _COLUMNS.keys() - files.keys()
    if len(missing) == len(_COLUMNS):
        raise BadFile(Fault(unreadable()))
    if missing:
        why = _("The file is missing from the OneRoster export.")
        raise BadFile(*(Fault(why, None, name) for name in _COLUMNS if name in missing))
    faults = FaultList()
    users = _by_id(_records(files, "users.csv", faults), faults.of("users.csv"))
    classes = _by_id(_records(files, "classes.csv", faults), faults.of("classes.csv"))
    places = _records(files, "enrollments.csv", faults, most_lines=MOST_ENROLLMENTS)
    students = read_rows(map(_cells, filter(_is_student, users.values())), faults.of("users.csv"), most=MOST_LINES)
    members = _members(users, classes, places, {row.line: row for row in students}, faults.of("enrollments.csv"))
    if not members and not faults.faults:
        faults.add(_("There are no students in this file."))
    faults.raise_any()
    return [
        ListedClass(key, clean(record["title"][:LONGEST_RAW])[:LONGEST_NAME] or key, tuple(members[key].values()))
        for key, (_line, record) in classes.items()
        if key in members
    ]


def _members(
    users: _ById, classes: _ById, places: list[_Record], students: Mapping[int, Row], faults: FaultList
) -> dict[str, dict[str, Row]]:
    """The students of each class that has any. `students` is keyed by line number."""
    members: dict[str, dict[str, Row]] = {}
    count = 0
    for line, place in filter(_is_student, places):
        user, of = place["usersourcedid"], place["classsourcedid"]
        if user not in users or of not in classes:
            faults.add(_("This line names a user or a class that isn't in the export."), line)
        elif users[user][0] in students and not _is_gone(classes[of][1]):
            members.setdefault(of, {})[user] = students[users[user][0]]
            count += 1
            if count > MOST_PLACES:
                faults.refuse(_("There are too many students in this file. Export fewer classes at a time."))
    return members


def _is_gone(record: Mapping[str, str]) -> bool:
    return record.get("status", "").strip().lower() == "tobedeleted"


def _is_student(record: _Record) -> bool:
    return not _is_gone(record[1]) and record[1]["role"].strip().lower() == "student"


def _cells(user: _Record) -> _Record:
    line, record = user
    return line, {
        "first_name": record["givenname"],
        "last_name": record["familyname"],
        "source_id": record["sourcedid"],
    }


def _by_id(records: list[_Record], faults: FaultList) -> _ById:
    found: _ById = {}
    for line, record in records:
        key = record["sourcedid"]
        if not key:
            faults.add(_("The id is missing."), line)
        elif found.setdefault(key, (line, record))[0] != line:
            words = {"value": key[:LONGEST_ID], "line": found[key][0]}
            faults.add(_("The id “%(value)s” is already on line %(line)s.") % words, line)
    return found


def _records(
    files: Mapping[str, bytes], file: str, faults: FaultList, *, most_lines: int = MOST_LINES
) -> list[_Record]:
    """The records of a file, keyed by the plain names of the columns that we use."""
    faults = faults.of(file)
    wanted = {title.lower(): title for title in _COLUMNS[file]}
    try:
        table = csv_table(decoded(files[file], faults), wanted, faults, most_lines=most_lines)
        for title in wanted.keys() - set(table.titles):
            faults.add(_("The column %(title)s is missing.") % {"title": wanted[title]}, 1)
        if not wanted.keys() <= set(table.titles):
            return []
        return list(
            table.records({name: table.titles.index(name) for name in [*wanted, "status"] if name in table.titles})
        )
    except BadFile as bad:
        # Go on, so that the teacher also learns what's wrong with the other files.
        faults.faults[:] = bad.faults
        return []
