"""Lists of students that are small to send and once were large to read: each as a function of its size in bytes."""

from __future__ import annotations

import io
import resource
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

from classrooms.classes.rosters.files import MOST_BYTES, MOST_UNPACKED, BadFile, Upload, read_files, read_names

Bomb = Callable[[int], list[Upload]]
_CLASSES = b"sourcedId,title\nc,Class\n"
_USERS = b"sourcedId,role,givenName,familyName\nu,student,Mia,Okafor\n"
_PLACES = b"classSourcedId,userSourcedId,role\nc,u,student\n"


def _csv(header: bytes, line: bytes) -> Bomb:
    return lambda size: [Upload("list.csv", header + line * ((size - len(header)) // len(line)))]


def zipped(
    *, users: bytes = _USERS, classes: bytes = _CLASSES, places: bytes = _PLACES, how: int = zipfile.ZIP_DEFLATED
) -> list[Upload]:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", how) as archive:
        for name, content in (("users.csv", users), ("classes.csv", classes), ("enrollments.csv", places)):
            archive.writestr(name, content)
    return [Upload("export.zip", packed.getvalue())]


def _wide(size: int) -> list[Upload]:
    """As many columns as lines: every cell of the square is empty."""
    half = size // 3
    return [Upload("list.csv", b"name" + b"," * half + b"\n" + b"a\n" * half)]


def _many_users(size: int) -> list[Upload]:
    lines = b"".join(b"u%d,student,Mia,Okafor\n" % number for number in range(size // 26))
    return zipped(users=b"sourcedId,role,givenName,familyName\n" + lines)


def _many_places(size: int) -> list[Upload]:
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
# Their size is what comes out of the zip.
ZIPS: dict[str, Bomb] = {
    "line breaks in a zip": lambda size: zipped(users=_USERS + b"\n" * size),
    "commas in a zip": lambda size: zipped(places=_PLACES + b"," * size),
    "a wide header in a zip": lambda size: zipped(users=_wide(size)[0].content),
    "many users": _many_users,
    "many places in classes": _many_places,
    "a packing that names its own memory": lambda size: zipped(users=_USERS + b"\n" * size, how=zipfile.ZIP_LZMA),
}
MOST_MEMORY = 150 * 1024 * 1024


def read(uploads: list[Upload]) -> str:
    """What came of it, in a word."""
    try:
        return f"{len(read_files(uploads))} read"
    except BadFile as bad:
        return f"{len(bad.faults)} faults"


def _read_all_in_little_room() -> None:
    """As a program: reads every bomb at its largest, with so much memory beyond what Python has already."""
    bombs = [(name, bomb(MOST_BYTES)) for name, bomb in FILES.items()]
    bombs += [(name, bomb(MOST_UNPACKED - 10_000)) for name, bomb in ZIPS.items()]
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
    import django

    django.setup()
    _read_all_in_little_room()
