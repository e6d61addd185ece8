"""Student lists that are small to upload and once were large to read: each is a function of its size in bytes."""

from __future__ import annotations

import io
import resource
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

if __name__ == "__main__":
    import django

    # This must come before importing models.
    django.setup()

from classrooms.classes.rosters.files import MOST_BYTES, read_files, read_names
from classrooms.classes.rosters.tables import MOST_ELEMENTS, MOST_UNPACKED, BadFile

Bomb = Callable[[int], dict[str, bytes]]
_CLASSES = b"sourcedId,title\nc,Class\n"
_USERS = b"sourcedId,role,givenName,familyName\nu,student,Mia,Okafor\n"
_PLACES = b"classSourcedId,userSourcedId,role\nc,u,student\n"


def _csv(header: bytes, line: bytes) -> Bomb:
    return lambda size: {"list.csv": header + line * ((size - len(header)) // len(line))}


def zipped(
    *, users: bytes = _USERS, classes: bytes = _CLASSES, places: bytes = _PLACES, how: int = zipfile.ZIP_DEFLATED
) -> dict[str, bytes]:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", how) as archive:
        for name, content in (("users.csv", users), ("classes.csv", classes), ("enrollments.csv", places)):
            archive.writestr(name, content)
    return {"export.zip": packed.getvalue()}


def _wide(size: int) -> dict[str, bytes]:
    """As many columns as rows, with every cell empty."""
    half = size // 3
    return {"list.csv": b"name" + b"," * half + b"\n" + b"a\n" * half}


def _many_users(size: int) -> dict[str, bytes]:
    lines = b"".join(b"u%d,student,Mia,Okafor\n" % number for number in range(size // 26))
    return zipped(users=b"sourcedId,role,givenName,familyName\n" + lines)


def _many_places(size: int) -> dict[str, bytes]:
    users = b"".join(b"u%d,student,Mia,Okafor\n" % number for number in range(1_000))
    classes = b"".join(b"c%d,Class\n" % number for number in range(1_000))
    places = b"".join(b"c%d,u%d,student\n" % (number % 1_000, number // 1_000) for number in range(size // 20))
    return zipped(
        users=b"sourcedId,role,givenName,familyName\n" + users,
        classes=b"sourcedId,title\n" + classes,
        places=b"classSourcedId,userSourcedId,role\n" + places,
    )


FILES: dict[str, Bomb] = {
    "a comma and a one on each line": _csv(b"name\n", b",1\n"),
    "one quotation mark that never ends": _csv(b'name\n"', b"a\n"),
    "wrong quotation marks on each line": _csv(b"name\n", b'"a"b\n'),
    "nothing but line breaks": _csv(b"name\n", b"\n"),
    "nothing but commas": _csv(b"name\n", b","),
    "the same name": _csv(b"name\n", b"Mia\n"),
    "formulas": _csv(b"name\n", b"=1\n"),
    "letters that are no letters": _csv(b"name\n", b"\xe9\n"),
    "one endless name": _csv(b"name\n", b"a"),
    "a tower of marks": _csv(b"name\na", "\u0323\u0301".encode()),
    "a tower of marks in the header": _csv(b"a", "\u0323\u0301".encode()),
    "towers of marks": _csv(b"name\n", b"a" + "\u0323\u0301".encode() * 30_000 + b"\n"),
    "wide letters": _csv(b"name\n", "\U0001f600".encode()),
    "many columns and many lines": _wide,
}
# Here the size is that of the unzipped content.
ZIPS: dict[str, Bomb] = {
    "line breaks in a zip": lambda size: zipped(users=_USERS + b"\n" * size),
    "commas in a zip": lambda size: zipped(places=_PLACES + b"," * size),
    "a wide header in a zip": lambda size: zipped(users=_wide(size)["list.csv"]),
    "many users": _many_users,
    "many places in classes": _many_places,
    "a packing that names its own memory": lambda size: zipped(users=_USERS + b"\n" * size, how=zipfile.ZIP_LZMA),
}


def _xlsx(
    sheet: Callable[[int], bytes],
    strings: Callable[[int], bytes] = lambda _size: b"<si><t>Mia</t></si>",
    *,
    sheets: int = 1,
) -> Bomb:
    """A workbook whose parts have the maximum size, with the content in one row or one string."""
    main = b' xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    office = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml."

    def bomb(size: int) -> dict[str, bytes]:
        parts = {
            "[Content_Types].xml": b'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            b'<Override PartName="/xl/workbook.xml" ContentType="%ssheet.main+xml"/>'
            b'<Override PartName="/xl/sharedStrings.xml" ContentType="%ssharedStrings+xml"/></Types>' % (kind, kind),
            "xl/workbook.xml": b'<workbook%s xmlns:r="%s"><sheets>%s</sheets></workbook>'
            % (main, office, b'<sheet name="a" sheetId="1" r:id="r1"/>' * sheets),
            "xl/_rels/workbook.xml.rels": b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
            b'relationships"><Relationship Id="r1" Type="%s/worksheet" Target="worksheets/sheet1.xml"/>'
            b"</Relationships>" % office,
            "xl/sharedStrings.xml": b"<sst%s>%s</sst>" % (main, strings(size)),
            "xl/worksheets/sheet1.xml": b"<worksheet%s><sheetData>%s</sheetData></worksheet>" % (main, sheet(size)),
        }
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in parts.items():
                archive.writestr(name, content)
        return {"list.xlsx": packed.getvalue()}

    return bomb


def _times(content: bytes, size: int, *, most: str = "cells", each: int = 1) -> bytes:
    """Repeat the content as often as the size or the limit on its elements allows."""
    return content * min(size // len(content), (MOST_ELEMENTS[most] - 100) // each)


# Here the size is that of one part, with as many elements as are allowed.
WORKBOOKS: dict[str, Bomb] = {
    "empty rows": _xlsx(lambda size: _times(b"<row/>", size)),
    "a row of empty cells": _xlsx(lambda size: b"<row>%s</row>" % _times(b"<c/>", size)),
    "rows of cells": _xlsx(lambda size: _times(b'<row><c t="s"><v>0</v></c></row>', size, each=3)),
    "empty strings": _xlsx(lambda size: b"<row/>", lambda size: _times(b"<si/>", size)),
    "a string of pieces": _xlsx(
        lambda size: b"<row/>", lambda size: b"<si>%s</si>" % _times(b"<r/>", size, most="others")
    ),
    "a row in the far distance": _xlsx(
        lambda size: b'<row r="2000000000"><c r="XFD1048576"><v>1</v></c></row>' + b" " * size
    ),
    "a number without end": _xlsx(lambda size: b"<row><c><v>%s</v></c></row>" % (b"9" * size)),
    "a text without end": _xlsx(
        lambda size: b'<row><c t="s"><v>0</v></c></row>', lambda size: b"<si><t>%s</t></si>" % (b"a" * size)
    ),
    "cells within cells": _xlsx(lambda size: b"<row>%s%s</row>" % (_times(b"<c>", size // 2), _times(b"</c>", size))),
    "more cells than a list has": _xlsx(lambda size: b"<row>%s</row>" % (b"<c/>" * (size // 4))),
    "a sheet named over and over": _xlsx(lambda size: _times(b"<row/>", size), sheets=1_000),
    "attributes": _xlsx(lambda size: b"<row %s/>" % b" ".join(b'a%d=""' % number for number in range(size // 10))),
}
MOST_MEMORY = 150 * 1024 * 1024


def read(uploads: dict[str, bytes]) -> str:
    """Read the upload; return the result as one word."""
    try:
        return f"{len(read_files(uploads))} read"
    except BadFile as bad:
        return f"{len(bad.faults)} faults"


def _read_all_in_little_room() -> None:
    """Run as a program: read every bomb at its maximum size, with a memory limit on top of what Python already uses."""
    bombs = [(name, bomb(MOST_BYTES)) for name, bomb in FILES.items()]
    bombs += [(name, bomb(MOST_UNPACKED - 10_000)) for name, bomb in ZIPS.items()]
    bombs += [(name, bomb(MOST_UNPACKED - 20_000)) for name, bomb in WORKBOOKS.items()]
    pasted = "a\n" * 100_000
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_MEMORY, used + MOST_MEMORY))
    for name, uploads in bombs:
        sys.stdout.write(f"{name}: {read(uploads)}\n")
    try:
        read_names(pasted)
    except BadFile as bad:
        sys.stdout.write(f"pasted: {len(bad.faults)} faults\n")


if __name__ == "__main__":
    _read_all_in_little_room()
