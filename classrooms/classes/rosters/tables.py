"""Reading tables from files: .xlsx, and CSV in the encodings and with the separators that spreadsheets use."""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import dropwhile, islice
from typing import Any, NoReturn
from xml.parsers import expat

from django.utils.translation import gettext as _
from openpyxl import load_workbook
from openpyxl.cell.cell import ERROR_CODES

from games.words import labeled

MOST_UNPACKED = 10_000_000
"""Total size of the files in a zip, in bytes."""
MOST_ENTRIES = 200
MOST_COLUMNS = 200
MOST_LINES = 20_000
MOST_FAULTS = 100
"""Reading stops after this many, since nobody fixes more at a time."""

_HEAD_LINES = 10
"""How many lines are searched for the header, which may have titles and dates above it."""
_HEAD_LETTERS = 50_000
_LONGEST_TITLE = 80
# The first one never occurs, for lists with one column.
_DELIMITERS = "\x1f,;\t"
_LINES = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_LONGEST_LINE = 200_000
# The signatures of .xls and of workbooks with a password, and of PDF.
_OTHER_KINDS = (b"\xd0\xcf\x11\xe0", b"%PDF")
_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
# Styles are skipped: each takes hundreds of times its size in memory, and some programs write faulty ones.
_WORKBOOK_PARTS = re.compile(r"\[Content_Types]\.xml|_rels/\.rels|xl/(?!styles)((_rels|worksheets)/)?[^/]+\.(xml|rels)")
_CELL_ELEMENTS = {"row", "c", "v", "f", "is", "si", "t"}
MOST_ELEMENTS = {"cells": 120_000, "others": 10_000}
"""Elements outside of cells take far more memory."""

Record = tuple[int, list[str]]
"""A line number and its cells."""


@dataclass(frozen=True, slots=True)
class Fault:
    why: str
    line: int | None = None
    file: str = ""

    def __str__(self) -> str:
        if self.line is None:
            return labeled(self.file, self.why) if self.file else self.why
        if self.file:
            return _("%(file)s, line %(line)s: %(why)s") % {"file": self.file, "line": self.line, "why": self.why}
        return _("Line %(line)s: %(why)s") % {"line": self.line, "why": self.why}


class BadFile(ValueError):
    """A list that's refused as a whole, with everything that's wrong with it."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__(*faults)
        self.faults = faults

    def __str__(self) -> str:
        return "; ".join(map(str, self.faults))


@dataclass(slots=True)
class FaultList:
    """Collects faults, so that a teacher can fix them all at once. Gives up after `MOST_FAULTS`."""

    file: str = ""
    faults: list[Fault] = field(default_factory=list)

    def add(self, why: str, line: int | None = None) -> None:
        self.faults.append(Fault(why, line, self.file))
        if len(self.faults) >= MOST_FAULTS:
            self.raise_any()

    def refuse(self, why: str, line: int | None = None) -> NoReturn:
        """Give up at once, and report this fault with all found before."""
        raise BadFile(*self.faults, Fault(why, line, self.file))

    def of(self, file: str) -> FaultList:
        """A list for another file of the same upload, which shares the collected faults."""
        return FaultList(file, self.faults)

    def raise_any(self) -> None:
        if self.faults:
            raise BadFile(*self.faults)


class ListTable:
    """A header and the lines below it, which are read lazily."""

    def __init__(self, header: Record, lines: Iterable[Record], faults: FaultList) -> None:
        self.line, self.header = header
        self.faults = faults
        self._lines = lines
        if len(self.header) > MOST_COLUMNS:
            why = _("There are more than %(most)s columns. Keep the ones with names.")
            faults.refuse(why % {"most": MOST_COLUMNS}, self.line)
        self.titles = [plain_title(title) for title in self.header]

    def records(self, places: Mapping[str, int]) -> Iterator[tuple[int, dict[str, str]]]:
        """Each line's cells at these places, by name. Missing cells are empty."""
        for line, cells in self._lines:
            if any(cell.strip() for cell in cells[len(self.header) :]):
                why = _(
                    "This line has %(cells)s cells for %(columns)s columns. Put a name with a comma in quotation marks."
                )
                self.faults.add(why % {"cells": len(cells), "columns": len(self.header)}, line)
            yield line, {name: cells[place] if place < len(cells) else "" for name, place in places.items()}


def plain_title(title: str) -> str:
    """A column title without spaces, punctuation and accents."""
    title = unicodedata.normalize("NFKD", title[:_LONGEST_TITLE].casefold())
    return re.sub(r"[\W_]", "", "".join(letter for letter in title if not unicodedata.combining(letter)))


def _rank(header: Record, words: Collection[str]) -> tuple[int, bool]:
    """How much a line looks like a header."""
    cells = header[1][:MOST_COLUMNS]
    return len({plain_title(cell) for cell in cells} & set(words)), len(cells) > 1


def _header_of(lines: Iterable[Record], words: Collection[str]) -> Record:
    return max(islice(lines, _HEAD_LINES), key=lambda line: _rank(line, words), default=(1, []))


def unreadable() -> str:
    return _(
        "We can't read this kind of file. In your spreadsheet, choose “Save as” and “Excel (.xlsx)” or “CSV UTF-8”."
    )


# CSV


def csv_table(text: str, words: Collection[str], faults: FaultList, *, most_lines: int = MOST_LINES) -> ListTable:
    """Parse CSV. The header is the line with most of these words, and the delimiter the one that makes it the best."""

    def lines(text: str, delimiter: str, faults: FaultList) -> Iterator[Record]:
        return _csv_lines(_lines(text), delimiter, faults, most_lines)

    start = text[:_HEAD_LETTERS]
    heads = [(_header_of(lines(start, each, FaultList(faults.file)), words), each) for each in _DELIMITERS]
    header, delimiter = max(heads, key=lambda head: _rank(head[0], words))
    below = dropwhile(lambda line: line[0] < header[0], lines(text, delimiter, faults))
    header = next(below, (1, []))
    if not header[1]:
        faults.raise_any()
        faults.refuse(_("The file is empty."))
    return ListTable(header, below, faults)


def _lines(text: str) -> Iterator[str]:
    """Split lazily into lines, and reject a line so long that it could have millions of cells."""
    for line in _LINES.finditer(text):
        if line.end() - line.start() > _LONGEST_LINE:
            raise csv.Error
        yield line[0]


def _csv_lines(text: Iterable[str], delimiter: str, faults: FaultList, most_lines: int) -> Iterator[Record]:
    """The non-empty lines."""
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        cells: list[str] = []
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            faults.add(_("This line is too long, or its quotation marks don't match."), line)
        if line > most_lines:
            faults.refuse(_("The file has more than %(most)s lines.") % {"most": most_lines})
        if any(cell.strip() for cell in cells):
            yield line, cells


def decoded(content: bytes, faults: FaultList) -> str:
    """Decode UTF-16 with a BOM (Excel's "Unicode text"), otherwise UTF-8, otherwise Windows-1252."""
    is_utf_16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if content.startswith(_OTHER_KINDS) or (b"\0" in content and not is_utf_16):
        faults.refuse(unreadable())
    try:
        text = content.decode("utf-16" if is_utf_16 else "utf-8-sig")
    except UnicodeDecodeError:
        try:
            text = content.decode("cp1252")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            faults.refuse(_("These letters are not UTF-8. Save the file as “CSV UTF-8”."), line)
    if "\0" in text or text[:_LONGEST_TITLE].lstrip().startswith(("<", "{", "[")):
        faults.refuse(unreadable())
    return text


# Zips


def unpack(content: bytes, is_wanted: Callable[[str], object]) -> dict[str, bytes]:
    """Unpack the wanted files of a zip. The sizes it declares aren't trusted; what's unpacked is measured."""
    faults = FaultList()
    left = MOST_UNPACKED
    contents = {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if len(archive.infolist()) > MOST_ENTRIES:
                faults.refuse(_("There are too many files in the zip."))
            for entry in archive.infolist():
                if not is_wanted(entry.filename):
                    continue
                if entry.compress_type not in _COMPRESSIONS:
                    # With other methods, the file itself says how much memory unpacking takes, up to gigabytes.
                    raise NotImplementedError
                with archive.open(entry) as file:
                    contents[entry.filename] = file.read(left + 1)
                left -= len(contents[entry.filename])
                if left < 0:
                    raise too_big(MOST_UNPACKED)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError):
        faults.refuse(_("The zip is damaged or locked."))
    return contents


def too_big(most: int) -> BadFile:
    return BadFile(Fault(_("The file is larger than %(most)s MB.") % {"most": most // 1_000_000}))


# Workbooks


def is_workbook(content: bytes) -> bool:
    return b"[Content_Types].xml" in content


def workbook_tables(content: bytes, words: Collection[str], faults: FaultList) -> dict[str, ListTable]:
    """The visible sheets that have a header, by title, or else the first sheet."""
    sheets = [(title, lines, _header_of(lines, words)) for title, lines in _sheets(content, faults) if lines]
    if not sheets:
        faults.refuse(_("The file is empty."))
    lists = [each for each in sheets if _rank(each[2], words)[0]] or sheets[:1]
    tables = {}
    for title, lines, header in lists:
        # Cells to the right of the last column title are notes.
        below = [(line, cells[: len(header[1])]) for line, cells in lines if line > header[0]]
        tables[title] = ListTable(header, below, faults.of(title if len(lists) > 1 else ""))
    return tables


def _sheets(content: bytes, faults: FaultList) -> list[tuple[str, list[Record]]]:
    parts = unpack(content, _WORKBOOK_PARTS.fullmatch)
    honest = io.BytesIO()
    with zipfile.ZipFile(honest, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    try:
        _check_elements(parts.values(), faults)
        with warnings.catch_warnings():
            # openpyxl warns about styles and Excel's extensions.
            warnings.simplefilter("ignore")
            book = load_workbook(honest, read_only=True, data_only=True, keep_links=False)
            return [(each.title, _sheet_lines(each)) for each in book.worksheets if each.sheet_state == "visible"]
    except BadFile:
        raise
    except Exception:
        # openpyxl raises all sorts of exceptions for missing or malformed parts.
        faults.refuse(unreadable())


def _sheet_lines(sheet: Any) -> list[Record]:
    """The non-empty lines, without empty cells at the end."""
    found = []
    for line, values in enumerate(sheet.iter_rows(max_row=MOST_LINES, max_col=MOST_COLUMNS + 1, values_only=True), 1):
        if values.count(None) == len(values):
            continue
        cells = ["" if value is None else _text_of(value) for value in values]
        while cells and not cells[-1].strip():
            cells.pop()
        if cells:
            found.append((line, cells))
    return found


def _text_of(value: object) -> str:
    if value in ERROR_CODES:
        return ""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def _check_elements(parts: Iterable[bytes], faults: FaultList) -> None:
    """Refuse files that need far more memory or time than their size suggests.

    Each element becomes an object, and a sheet that's listed twice is read twice.
    """
    counts: Counter[str] = Counter()
    named: set[tuple[str, str]] = set()

    def count(name: str, attributes: Mapping[str, str]) -> None:
        name = name.rpartition(" ")[2]
        kind = "cells" if name in _CELL_ELEMENTS else "others"
        counts[kind] += 1
        is_twice = False
        if name in {"sheet", "Relationship"}:
            target = next((value for key, value in attributes.items() if key == "Target" or key.endswith(" id")), "")
            # The same file can be addressed by different paths, but always with this name.
            pointer = (name, target.rpartition("/")[2])
            is_twice = pointer in named
            named.add(pointer)
        if is_twice or counts[kind] > MOST_ELEMENTS[kind]:
            faults.refuse(_("There's too much in this file. Copy the names to a new sheet, and save that."))

    for part in parts:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = count
        # Only XML bombs have a doctype.
        parser.StartDoctypeDeclHandler = lambda *_declared: faults.refuse(unreadable())
        parser.Parse(part, True)
