"""Lists of students as schools have them: pasted names, CSV and OneRoster 1.1. Reads and refuses, writes nothing."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from classrooms.accounts.names import LONGEST, clean, is_unfit
from games.words import labelled

MOST_STUDENTS = 400
"""A list is for one class, and so many are a whole year of a large school."""
MOST_BYTES = 2_000_000
MOST_UNPACKED = 10_000_000
"""Of all files of a zip together."""
MOST_ENTRIES = 200
MOST_COLUMNS = 200
MOST_LINES = 20_000
MOST_ENROLLMENTS = 100_000
"""Lines of enrollments.csv: every student has several, and so do teachers and those who left."""
MOST_PLACES = 20_000
"""Places of students in all classes of an export; they're kept until the teacher has chosen a class."""
MOST_FAULTS = 100
"""Reading stops here: nobody fixes more of them at a time."""
LONGEST_NAME = 80
LONGEST_GROUP = 40
LONGEST_ID = 64
_LONGEST_RAW = 1_000

_FORMULA_STARTS = tuple("=+-@\t\r")
# How lists are numbered and dotted when they are pasted.
_BULLET = re.compile(r"^\s*(?:\d+[.)]|[-*•·])\s+")
# A letter that no list of names holds, to read a file with one column.
_NO_DELIMITER = "\x1f"
_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_ONEROSTER_FILES = ("users.csv", "classes.csv", "enrollments.csv")

# What columns are called, without spaces, signs and accents.
_COLUMNS = {
    "name": "name fullname realname student studentname pupil pupilname learner learnername names "
    "nomcomplet nometprenom prenometnom eleve nombrecompleto nombreyapellidos apellidosynombre alumno",
    "first_name": "firstname first givenname given forename firstnames forenames prenom nombre nombres",
    "last_name": "lastname last surname familyname family nom nomdefamille apellido apellidos",
    "display_name": "displayname display nickname nick screenname shownname alias nomaffiche surnom pseudo apodo",
    "group": "group groupname team section groupe equipe grupo equipo",
    "source_id": "id studentid pupilid sourcedid sourceid studentnumber upn sisid externalid localid identifiant",
}
# How a fault calls a cell, and how long it may be. Translated only when it's told: that takes longer than reading.
_CELLS = {
    "name": (gettext_lazy("The name"), LONGEST_NAME),
    "first_name": (gettext_lazy("The first name"), LONGEST_NAME),
    "last_name": (gettext_lazy("The last name"), LONGEST_NAME),
    "display_name": (gettext_lazy("The display name"), LONGEST),
    "group": (gettext_lazy("The group"), LONGEST_GROUP),
    "source_id": (gettext_lazy("The id"), LONGEST_ID),
}
_MEANINGS = {word: column for column, words in _COLUMNS.items() for word in words.split()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A student as a list names them."""

    line: int
    real_name: str
    display_name: str = ""
    group: str = ""
    source_id: str = ""


@dataclass(frozen=True, slots=True)
class Upload:
    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class ListedClass:
    """A class that a OneRoster export holds, with its students."""

    source_id: str
    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    why: str
    line: int | None = None
    file: str = ""

    def __str__(self) -> str:
        if self.line is None:
            return labelled(self.file, self.why) if self.file else self.why
        if self.file:
            return _("%(file)s, line %(line)s: %(why)s") % {"file": self.file, "line": self.line, "why": self.why}
        return _("Line %(line)s: %(why)s") % {"line": self.line, "why": self.why}


class BadFile(ValueError):
    """A list that is refused whole, with everything that is wrong with it."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__("; ".join(map(str, faults)))
        self.faults = faults


@dataclass(slots=True)
class _Checker:
    """Collects what is wrong, so that a teacher mends a file once and not line by line. Gives up when it's a lot."""

    file: str = ""
    faults: list[Fault] = field(default_factory=list)

    def fault(self, line: int | None, why: str) -> None:
        self.faults.append(Fault(why, line, self.file))
        if len(self.faults) >= MOST_FAULTS:
            self.done()

    def of(self, file: str) -> _Checker:
        """For another file of the same upload."""
        return _Checker(file, self.faults)

    def done(self) -> None:
        if self.faults:
            raise BadFile(*self.faults)

    def cell(self, line: int, title: str | Promise, raw: str, longest: int) -> str:
        """One cell as it is kept; empty, with a fault noted, where it cannot be."""
        if not raw:
            return ""
        if len(raw) > _LONGEST_RAW:
            # Composing letters with thousands of marks takes time that grows with the square of their number.
            self.fault(line, _("%(column)s is longer than %(most)s letters.") % {"column": title, "most": longest})
            return ""
        text = clean(raw)
        if all(unicodedata.category(letter) == "Pd" for letter in text):
            # A dash alone is how people write "nothing".
            return ""
        if raw.startswith(_FORMULA_STARTS) or unicodedata.normalize("NFKC", text).startswith(_FORMULA_STARTS):
            self.fault(line, _("“%(cell)s” could act as a formula in a spreadsheet.") % {"cell": _short(text)})
        elif any(unicodedata.category(letter) == "Cc" for letter in raw):
            self.fault(line, _("%(column)s holds a control character or a line break.") % {"column": title})
        elif len(text) > longest:
            self.fault(line, _("%(column)s is longer than %(most)s letters.") % {"column": title, "most": longest})
        else:
            return text
        return ""


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


# Names that are pasted


def read_names(text: str) -> list[Row]:
    """One name a line, "Mia Okafor" or "Okafor, Mia"."""
    checker = _Checker()
    rows: list[Row] = []
    for line, raw in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        cell = _BULLET.sub("", raw.replace("\t", " ")).strip()
        row = _row(line, {"name": cell}, checker) if cell else None
        if row:
            _add(row, rows, checker)
    _check_rows(rows, checker)
    return rows


def _add(row: Row, rows: list[Row], checker: _Checker) -> None:
    """One more student; raises `BadFile` at once where that's too many."""
    rows.append(row)
    if len(rows) > MOST_STUDENTS:
        checker.fault(None, _too_many_students())
        checker.done()


def _too_many_students() -> str:
    return _("That's more than %(most)s students. Make several classes, and split the list.") % {"most": MOST_STUDENTS}


def in_order(name: str) -> str:
    """The first name first: who is "Okafor, Mia" in one list and "Mia Okafor" in another is one student."""
    if name.count(",") != 1:
        return name
    last, first = (part.strip() for part in name.split(","))
    return f"{first} {last}".strip()


def _check_rows(rows: Sequence[Row], checker: _Checker) -> None:
    if not rows and not checker.faults:
        checker.fault(None, _("There are no students in this file."))
    if len(rows) > MOST_STUDENTS:
        checker.fault(None, _too_many_students())
        checker.done()
    _check_twice(rows, lambda row: row.source_id, checker, _("The id “%(value)s” is already on line %(line)s."))
    without_id = {row.real_name for row in rows if not row.source_id}
    _check_twice(
        rows,
        lambda row: row.real_name if row.real_name in without_id else "",
        checker,
        _("“%(value)s” is already on line %(line)s. Write the names so that you can tell them apart."),
    )
    _check_twice(
        rows,
        lambda row: row.display_name.casefold(),
        checker,
        _("The display name “%(value)s” is already on line %(line)s."),
    )
    for row in rows:
        if row.display_name and is_unfit(row.display_name):
            checker.fault(row.line, _("“%(name)s” is not a name to show to a class.") % {"name": row.display_name})
    checker.faults.sort(key=lambda fault: fault.line or 0)
    checker.done()


def _check_twice(rows: Sequence[Row], of: Callable[[Row], str], checker: _Checker, why: str) -> None:
    seen: dict[str, int] = {}
    for row in rows:
        value = of(row)
        if value and seen.setdefault(value, row.line) != row.line:
            checker.fault(row.line, why % {"value": value, "line": seen[value]})


# Files


def read_files(uploads: Sequence[Upload]) -> list[Row] | list[ListedClass]:
    """The students of a CSV file, or the classes of a OneRoster export: a zip, or its files."""
    if not uploads:
        raise BadFile(Fault(_("Choose a file first.")))
    if len(uploads) == 1 and uploads[0].content[:2] == b"PK":
        return _read_oneroster(_unpack(uploads[0].content))
    if len(uploads) > 1:
        return _read_oneroster({_file_name(upload.name): upload.content for upload in uploads})
    return _read_csv(uploads[0].content)


def too_big(most: int = MOST_BYTES) -> BadFile:
    return BadFile(Fault(_("The file is larger than %(most)s MB.") % {"most": most // 1_000_000}))


def belongs_to_export(name: str) -> bool:
    return _file_name(name) in _ONEROSTER_FILES


def _read_csv(content: bytes) -> list[Row]:
    checker = _Checker()
    table = _Table(content, checker)
    if "role" in table.titles and "sourcedid" in table.titles:
        raise BadFile(Fault(_one_file_of_three()))
    places = _places(table)
    rows: list[Row] = []
    for line, cells in table.records(list(places.values())):
        row = _row(line, dict(zip(places, cells, strict=True)), checker)
        if row:
            _add(row, rows, checker)
    _check_rows(rows, checker)
    return rows


def _row(line: int, given: Mapping[str, str], checker: _Checker) -> Row | None:
    before = len(checker.faults)

    def cell(column: str) -> str:
        title, longest = _CELLS[column]
        return checker.cell(line, title, given.get(column, ""), longest)

    name = in_order(cell("name"))
    if not name:
        first = cell("first_name")
        last = cell("last_name")
        name = f"{first} {last}".strip()
        if len(name) > LONGEST_NAME:
            checker.fault(
                line, _("%(column)s is longer than %(most)s letters.") % {"column": _("The name"), "most": LONGEST_NAME}
            )
    row = Row(
        line=line,
        real_name=name,
        display_name=cell("display_name"),
        group=cell("group"),
        source_id=cell("source_id"),
    )
    if len(checker.faults) > before:
        return None
    if not any(letter.isalpha() for letter in name):
        checker.fault(line, _("There is no name."))
        return None
    return row


def _places(table: _Table) -> dict[str, int]:
    """Which column is where."""
    found: dict[str, int] = {}
    for place, title in enumerate(table.titles):
        column = _MEANINGS.get(title)
        if column is None:
            continue
        if column in found:
            raise BadFile(
                Fault(
                    _("Two columns could be the same: “%(a)s” and “%(b)s”.")
                    % {"a": _short(table.header[found[column]]), "b": _short(table.header[place])},
                    1,
                )
            )
        found[column] = place
    if "name" not in found and "first_name" in found and "last_name" not in found:
        found["name"] = found.pop("first_name")
    elif "name" not in found and "first_name" not in found and "nom" in table.titles:
        # Alone it is the whole name in French.
        found["name"] = found.pop("last_name")
    if "name" not in found and "first_name" not in found:
        raise BadFile(
            Fault(
                _("A column is missing: “name”, or “first name” and “last name”. The first line names the columns."), 1
            )
        )
    return found


class _Table:
    """A CSV file, read line by line: its header, and its records as far as they're wanted."""

    def __init__(self, content: bytes, checker: _Checker, *, most_lines: int = MOST_LINES) -> None:
        self._checker = checker
        self._most_lines = most_lines
        _check_text(content, checker.file)
        first = next((line for line in _open(content) if line.strip()), "")
        delimiter = max(",;\t", key=first.count)
        self._lines = self._read(_open(content), delimiter if delimiter in first else _NO_DELIMITER)
        header = next(self._lines, None)
        if header is None:
            checker.done()
            raise BadFile(Fault(_("The file is empty."), None, checker.file))
        self.header = header[1]
        if len(self.header) > MOST_COLUMNS:
            why = _("There are more than %(most)s columns. Keep the ones with names.") % {"most": MOST_COLUMNS}
            raise BadFile(Fault(why, header[0], checker.file))
        self.titles = [_plain(title) for title in self.header]

    def records(self, places: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
        """The lines after the header with their cells at these places; a missing one is empty."""
        wanted = len(self.header)
        for line, cells in self._lines:
            if any(cell.strip() for cell in cells[wanted:]):
                why = _(
                    "This line has %(cells)s cells for %(columns)s columns. Put a name with a comma in quotation marks."
                )
                self._checker.fault(line, why % {"cells": len(cells), "columns": wanted})
            yield line, [cells[place] if place < len(cells) else "" for place in places]

    def _read(self, lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        while True:
            line = reader.line_num + 1
            if line > self._most_lines:
                why = _("The file has more than %(most)s lines.") % {"most": self._most_lines}
                if next(reader, None) is not None:
                    raise BadFile(Fault(why, None, self._checker.file))
                return
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error:
                self._checker.fault(line, _("This line is too long, or its quotation marks don't match."))
                continue
            if any(cell.strip() for cell in cells):
                yield line, cells


def _open(content: bytes) -> io.TextIOWrapper:
    # Decoded a line at a time, so that ten megabytes don't become forty.
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig", newline="")


def _plain(title: str) -> str:
    title = unicodedata.normalize("NFKD", title[:LONGEST_NAME].casefold())
    return re.sub(r"[\W_]", "", "".join(letter for letter in title if not unicodedata.combining(letter)))


def _check_text(content: bytes, file: str = "") -> None:
    """Refuses what is no text, with a clear word."""
    if not content.strip():
        raise BadFile(Fault(_("The file is empty."), None, file))
    if content[:2] == b"PK" or content[:4] == b"\xd0\xcf\x11\xe0":
        raise BadFile(
            Fault(_("This is no CSV file. In your spreadsheet, choose “Save as” and “CSV UTF-8”."), None, file)
        )
    if content[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        raise BadFile(Fault(_("The file is saved as UTF-16. Save it as “CSV UTF-8”."), None, file))
    if b"\0" in content:
        raise BadFile(Fault(_("This is no CSV file."), None, file))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadFile(*_undecodable(content, file)) from None
    if text[:_LONGEST_RAW].lstrip()[:1] in {"<", "{", "["} or text.startswith("%PDF"):
        raise BadFile(Fault(_("This is no CSV file."), None, file))


def _undecodable(content: bytes, file: str) -> Iterator[Fault]:
    """The first lines that can't be read."""
    found = 0
    for line, raw in enumerate(re.finditer(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)", content), 1):
        try:
            raw[0].decode("utf-8")
        except UnicodeDecodeError:
            yield Fault(_("These letters are not UTF-8. Save the file as “CSV UTF-8”."), line, file)
            found += 1
            if found == MOST_FAULTS:
                return


# OneRoster 1.1


def _one_file_of_three() -> str:
    return _(
        "This is a part of a OneRoster export. Choose its zip, or users.csv, classes.csv and enrollments.csv together."
    )


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1].lower()


def _unpack(content: bytes) -> dict[str, bytes]:
    """The files of a zip that matter; what it says of their sizes is checked, and not believed."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            if len(entries) > MOST_ENTRIES:
                raise BadFile(Fault(_("There are too many files in the zip.")))
            found = {_file_name(entry.filename): entry for entry in entries if "__MACOSX" not in entry.filename}
            wanted = [found[name] for name in _ONEROSTER_FILES if name in found]
            if any(entry.compress_type not in _COMPRESSIONS for entry in wanted):
                # The others' own words say how much memory they need, up to gigabytes.
                raise NotImplementedError
            return _entries(archive, wanted)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise BadFile(Fault(_("The zip is damaged or locked."))) from error


def _entries(archive: zipfile.ZipFile, entries: Sequence[zipfile.ZipInfo]) -> dict[str, bytes]:
    left = MOST_UNPACKED
    contents = {}
    for entry in entries:
        with archive.open(entry) as file:
            content = file.read(left + 1)
        left -= len(content)
        if left < 0:
            raise too_big(MOST_UNPACKED)
        contents[_file_name(entry.filename)] = content
    return contents


def _read_oneroster(files: Mapping[str, bytes]) -> list[ListedClass]:
    missing = [name for name in _ONEROSTER_FILES if name not in files]
    if len(missing) == len(_ONEROSTER_FILES):
        raise BadFile(Fault(_("This is no CSV file and no OneRoster export.")))
    if missing:
        raise BadFile(*(Fault(_("The file is missing from the OneRoster export."), None, name) for name in missing))
    checker = _Checker()
    users = _records(files, "users.csv", ("sourcedId", "role", "givenName", "familyName"), checker, is_keyed=True)
    classes = _records(files, "classes.csv", ("sourcedId", "title"), checker, is_keyed=True)
    places = _records(files, "enrollments.csv", ("classSourcedId", "userSourcedId", "role"), checker)
    students = _students(users, checker.of("users.csv"))
    titles = {
        record["sourcedid"]: clean(record["title"][:_LONGEST_RAW])[:LONGEST_NAME] or record["sourcedid"]
        for _line, record in classes
        if not _is_gone(record)
    }
    members = _members(users, classes, places, students, checker.of("enrollments.csv"))
    checker.done()
    listed = [ListedClass(each, titles[each], tuple(members[each].values())) for each in titles if each in members]
    if not listed:
        raise BadFile(Fault(_("There are no students in this file.")))
    return listed


_Records = Sequence[tuple[int, dict[str, str]]]


def _members(
    users: _Records, classes: _Records, places: _Records, students: Mapping[str, Row], checker: _Checker
) -> dict[str, dict[str, Row]]:
    """The students of each class that has some."""
    known_users = {record["sourcedid"] for _line, record in users}
    known_classes = {record["sourcedid"]: not _is_gone(record) for _line, record in classes}
    members: dict[str, dict[str, Row]] = {}
    count = 0
    for line, record in places:
        if _is_gone(record) or record["role"].strip().lower() != "student":
            continue
        user, of = record["usersourcedid"], record["classsourcedid"]
        if user not in known_users or of not in known_classes:
            checker.fault(line, _("This line names a user or a class that isn't in the export."))
        elif user in students and known_classes[of]:
            members.setdefault(of, {})[user] = students[user]
            count += 1
            if count > MOST_PLACES:
                why = _("There are too many students in this file. Export fewer classes at a time.")
                raise BadFile(Fault(why, None, checker.file))
    return members


def check_class(listed: ListedClass) -> None:
    """Refuses a class that is too large."""
    _check_rows(listed.rows, _Checker("users.csv"))


def _is_gone(record: Mapping[str, str]) -> bool:
    return record.get("status", "").strip().lower() == "tobedeleted"


def _records(
    files: Mapping[str, bytes], file: str, needed: Sequence[str], checker: _Checker, *, is_keyed: bool = False
) -> list[tuple[int, dict[str, str]]]:
    """The records of a file by the plain names of those columns that matter."""
    checker = checker.of(file)
    most_lines = MOST_LINES if is_keyed else MOST_ENROLLMENTS
    try:
        table = _Table(files[file], checker, most_lines=most_lines)
    except BadFile as bad:
        # The faults of the others are in it already, if it's about them.
        checker.faults[:] = [*checker.faults, *(fault for fault in bad.faults if fault not in checker.faults)]
        return []
    missing = [title for title in needed if title.lower() not in table.titles]
    for title in missing:
        checker.fault(1, _("The column %(title)s is missing.") % {"title": title})
    if missing:
        return []
    names = [title.lower() for title in needed] + (["status"] if "status" in table.titles else [])
    places = [table.titles.index(name) for name in names]
    records = [(line, dict(zip(names, cells, strict=True))) for line, cells in table.records(places)]
    if is_keyed:
        _check_keys(records, checker)
    return records


def _check_keys(records: _Records, checker: _Checker) -> None:
    seen: dict[str, int] = {}
    for line, record in records:
        key = record["sourcedid"]
        if not key:
            checker.fault(line, _("The id is missing."))
        elif seen.setdefault(key, line) != line:
            why = _("The id “%(value)s” is already on line %(line)s.") % {"value": _short(key), "line": seen[key]}
            checker.fault(line, why)


def _students(users: _Records, checker: _Checker) -> dict[str, Row]:
    students = {}
    for line, record in users:
        if _is_gone(record) or record["role"].strip().lower() != "student":
            continue
        given = {
            "first_name": record["givenname"],
            "last_name": record["familyname"],
            "source_id": record["sourcedid"],
        }
        row = _row(line, given, checker)
        if row:
            students[record["sourcedid"]] = row
    return students
