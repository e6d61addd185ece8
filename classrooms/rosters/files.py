"""Lists of students as schools have them: pasted names, CSV and OneRoster 1.1. Reads and refuses, writes nothing."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from classrooms.names import LONGEST, clean, is_unfit
from games.words import labelled

MOST_STUDENTS = 2_000
MOST_BYTES = 2_000_000
MOST_UNPACKED = 10_000_000
MOST_ENTRIES = 200
LONGEST_NAME = 80
LONGEST_GROUP = 40
LONGEST_ID = 64

_FORMULA_STARTS = tuple("=+-@\t\r")
# How lists are numbered and dotted when they are pasted.
_BULLET = re.compile(r"^\s*(?:\d+[.)]|[-*•·])\s+")
# A letter that no list of names holds, to read a file with one column.
_NO_DELIMITER = "\x1f"
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
    """Collects what is wrong, so that a teacher mends a file once and not line by line."""

    file: str = ""
    faults: list[Fault] = field(default_factory=list)

    def fault(self, line: int | None, why: str) -> None:
        self.faults.append(Fault(why, line, self.file))

    def done(self) -> None:
        if self.faults:
            raise BadFile(*self.faults)

    def cell(self, line: int, title: str, raw: str, longest: int) -> str:
        """One cell as it is kept; empty, with a fault noted, where it cannot be."""
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
    rows = []
    for line, raw in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        cell = _BULLET.sub("", raw.replace("\t", " ")).strip()
        row = _row(line, {"name": cell}, checker) if cell else None
        if row:
            rows.append(row)
    _check_rows(rows, checker)
    return rows


def in_order(name: str) -> str:
    """The first name first: who is "Okafor, Mia" in one list and "Mia Okafor" in another is one student."""
    if name.count(",") != 1:
        return name
    last, first = (part.strip() for part in name.split(","))
    return f"{first} {last}".strip()


def _check_rows(rows: Sequence[Row], checker: _Checker) -> None:
    if not rows and not checker.faults:
        checker.fault(None, _("There are no students in it."))
    if len(rows) > MOST_STUDENTS:
        checker.fault(None, _("More than %(most)s students at once are too many.") % {"most": MOST_STUDENTS})
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
    table = _Table(content)
    if "role" in table.titles and "sourcedid" in table.titles:
        raise BadFile(Fault(_one_file_of_three()))
    meanings = _meanings(table)
    checker = _Checker(faults=list(table.faults))
    rows = []
    for line, cells in table.records:
        given = {column: cells[place] for place, column in meanings.items()}
        row = _row(line, given, checker)
        if row:
            rows.append(row)
    _check_rows(rows, checker)
    return rows


def _row(line: int, given: Mapping[str, str], checker: _Checker) -> Row | None:
    before = len(checker.faults)

    def cell(column: str, title: str, longest: int) -> str:
        return checker.cell(line, title, given.get(column, ""), longest)

    name = in_order(cell("name", _("The name"), LONGEST_NAME))
    if not name:
        first = cell("first_name", _("The first name"), LONGEST_NAME)
        last = cell("last_name", _("The last name"), LONGEST_NAME)
        name = f"{first} {last}".strip()
        if len(name) > LONGEST_NAME:
            checker.fault(
                line, _("%(column)s is longer than %(most)s letters.") % {"column": _("The name"), "most": LONGEST_NAME}
            )
    row = Row(
        line=line,
        real_name=name,
        display_name=cell("display_name", _("The display name"), LONGEST),
        group=cell("group", _("The group"), LONGEST_GROUP),
        source_id=cell("source_id", _("The id"), LONGEST_ID),
    )
    if len(checker.faults) > before:
        return None
    if not any(letter.isalpha() for letter in name):
        checker.fault(line, _("There is no name."))
        return None
    return row


def _meanings(table: _Table) -> dict[int, str]:
    """Which column is what, by its place."""
    found: dict[str, int] = {}
    for place, title in enumerate(table.titles):
        column = _MEANINGS.get(title)
        if column is None:
            continue
        if column in found:
            raise BadFile(
                Fault(
                    _("Two columns could be the same: “%(a)s” and “%(b)s”.")
                    % {"a": table.header[found[column]], "b": table.header[place]},
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
    return {place: column for column, place in found.items()}


class _Table:
    """A CSV file: its header, its records with their lines, and what is wrong with them."""

    def __init__(self, content: bytes, file: str = "") -> None:
        self.file = file
        self.faults: list[Fault] = []
        text = _text(content, file)
        first = next((line for line in text.splitlines() if line.strip()), "")
        delimiter = max(",;\t", key=first.count)
        self.delimiter = delimiter if delimiter in first else _NO_DELIMITER
        lines = list(self._lines(text))
        if not lines:
            raise BadFile(*self.faults or [Fault(_("The file is empty."), None, file)])
        self.header = lines[0][1]
        self.titles = [_plain(title) for title in self.header]
        self.records = [self._even(line, cells) for line, cells in lines[1:]]

    def _lines(self, text: str) -> Iterator[tuple[int, list[str]]]:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=self.delimiter, strict=True)
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error:
                self.faults.append(
                    Fault(_("The quotation marks or the length of this line are not right."), line, self.file)
                )
                continue
            if any(cell.strip() for cell in cells):
                yield line, cells

    def _even(self, line: int, cells: list[str]) -> tuple[int, list[str]]:
        """As many cells as there are titles."""
        wanted = len(self.header)
        if any(cell.strip() for cell in cells[wanted:]):
            why = _("There are %(cells)s cells and %(columns)s columns. A name with a comma needs quotation marks.")
            self.faults.append(Fault(why % {"cells": len(cells), "columns": wanted}, line, self.file))
        return line, (cells + [""] * wanted)[:wanted]


def _plain(title: str) -> str:
    title = unicodedata.normalize("NFKD", title.casefold())
    return re.sub(r"[\W_]", "", "".join(letter for letter in title if not unicodedata.combining(letter)))


def _text(content: bytes, file: str = "") -> str:
    """The file as text; a clear word where it is none."""
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
    if text.lstrip()[:1] in {"<", "{", "["} or text.startswith("%PDF"):
        raise BadFile(Fault(_("This is no CSV file."), None, file))
    return text


def _undecodable(content: bytes, file: str) -> Iterator[Fault]:
    for line, raw in enumerate(content.splitlines(), 1):
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError:
            yield Fault(_("These letters are not UTF-8. Save the file as “CSV UTF-8”."), line, file)


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
            wanted = {_file_name(entry.filename): entry for entry in entries if "__MACOSX" not in entry.filename}
            return {name: _entry(archive, wanted[name]) for name in _ONEROSTER_FILES if name in wanted}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise BadFile(Fault(_("The zip is damaged or locked."))) from error


def _entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    if entry.file_size > MOST_UNPACKED:
        raise too_big(MOST_UNPACKED)
    with archive.open(entry) as file:
        content = file.read(MOST_UNPACKED + 1)
    if len(content) > MOST_UNPACKED:
        raise too_big(MOST_UNPACKED)
    return content


def _read_oneroster(files: Mapping[str, bytes]) -> list[ListedClass]:
    missing = [name for name in _ONEROSTER_FILES if name not in files]
    if len(missing) == len(_ONEROSTER_FILES):
        raise BadFile(Fault(_("This is no CSV file and no OneRoster export.")))
    if missing:
        raise BadFile(*(Fault(_("The file is missing from the OneRoster export."), None, name) for name in missing))
    faults: list[Fault] = []
    users = _records(files, "users.csv", ("sourcedId", "role", "givenName", "familyName"), faults, is_keyed=True)
    classes = _records(files, "classes.csv", ("sourcedId", "title"), faults, is_keyed=True)
    places = _records(files, "enrollments.csv", ("classSourcedId", "userSourcedId", "role"), faults)
    students = _students(users, faults)
    known = {record["sourcedid"] for _line, record in users}, {record["sourcedid"] for _line, record in classes}
    titles = {
        record["sourcedid"]: clean(record["title"])[:LONGEST_NAME] or record["sourcedid"]
        for _line, record in classes
        if not _is_gone(record)
    }
    members: dict[str, dict[str, Row]] = {source_id: {} for source_id in titles}
    for line, record in places:
        if _is_gone(record) or record["role"].strip().lower() != "student":
            continue
        user, of = record["usersourcedid"], record["classsourcedid"]
        if user not in known[0] or of not in known[1]:
            why = _("It names a user or a class that is not in the export.")
            faults.append(Fault(why, line, "enrollments.csv"))
        elif user in students and of in members:
            members[of][user] = students[user]
    if faults:
        raise BadFile(*faults)
    listed = [ListedClass(each, titles[each], tuple(members[each].values())) for each in titles if members[each]]
    if not listed:
        raise BadFile(Fault(_("There are no students in it.")))
    return listed


def check_class(listed: ListedClass) -> None:
    """Refuses a class that is too large."""
    _check_rows(listed.rows, _Checker("users.csv"))


def _is_gone(record: Mapping[str, str]) -> bool:
    return record.get("status", "").strip().lower() == "tobedeleted"


def _records(
    files: Mapping[str, bytes], file: str, needed: Sequence[str], faults: list[Fault], *, is_keyed: bool = False
) -> list[tuple[int, dict[str, str]]]:
    """The records of a file by the plain names of their columns."""
    try:
        table = _Table(files[file], file)
    except BadFile as bad:
        faults.extend(bad.faults)
        return []
    missing = [title for title in needed if title.lower() not in table.titles]
    faults.extend(table.faults)
    faults.extend(Fault(_("The column %(title)s is missing.") % {"title": title}, 1, file) for title in missing)
    if missing:
        return []
    records = [(line, dict(zip(table.titles, cells, strict=True))) for line, cells in table.records]
    if is_keyed:
        seen: dict[str, int] = {}
        for line, record in records:
            key = record["sourcedid"]
            if not key:
                faults.append(Fault(_("There is no id."), line, file))
            elif seen.setdefault(key, line) != line:
                why = _("The id “%(value)s” is already on line %(line)s.") % {"value": key, "line": seen[key]}
                faults.append(Fault(why, line, file))
    return records


def _students(users: Sequence[tuple[int, dict[str, str]]], faults: list[Fault]) -> dict[str, Row]:
    checker = _Checker("users.csv", faults)
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
