"""A ledger of deletions and renewed cards, which an old backup doesn't know about.

It's a small file beside the database with only numbers and times. After a restore it's applied, so that deleted people
stay deleted and old cards stay invalid.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from django.conf import settings
from django.db import transaction

from classrooms.models import Classroom, User

NAME = "ledger.jsonl"


class LedgerEvent(StrEnum):
    BEGUN = "begun"
    """The ledger is complete from here on."""
    DELETED = "deleted"
    UNDELETED = "undeleted"
    PURGED = "purged"
    CARD = "card"
    """A student's card now has this number, and lower ones are invalid."""


@dataclass(frozen=True, slots=True)
class Entry:
    what: LedgerEvent
    at: str
    of: str = ""
    """"user" or "class"."""
    pk: int = 0
    made: str = ""
    """When the account or class was made, because primary keys are reused after a restore."""
    number: int = 0


def file() -> Path:
    return Path(settings.VAR_DIR) / NAME


def about(what: LedgerEvent, thing: User | Classroom, *, at: datetime) -> Entry:
    if isinstance(thing, User):
        number = thing.card_number if what is LedgerEvent.CARD else 0
        return Entry(what, at.isoformat(), "user", thing.pk, thing.joined_at.isoformat(), number)
    return Entry(what, at.isoformat(), "class", thing.pk, thing.made_at.isoformat())


def write_on_commit(entries: Iterable[Entry]) -> None:
    """Write entries after the transaction is committed."""
    kept = list(entries)
    transaction.on_commit(lambda: write(kept))


def write(entries: Iterable[Entry]) -> None:
    """Append entries to the file in a single write, because several processes may do so at once."""
    text = "".join(json.dumps(asdict(entry)) + "\n" for entry in entries)
    if not text:
        return
    file().parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(file(), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)


def read(path: Path) -> Iterator[Entry]:
    """The entries of a ledger. A last line that was cut off by a crash is skipped."""
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            continue
        yield Entry(**{**found, "what": LedgerEvent(found["what"])})


def begin(now: datetime) -> None:
    """Start a ledger if there's none."""
    if not file().exists():
        write([Entry(LedgerEvent.BEGUN, now.isoformat())])


def catch_up(now: datetime) -> None:
    """Add what the database knows and the file doesn't, such as entries lost in a crash."""
    begin(now)
    known: dict[tuple[str, int, str], tuple[bool, int]] = {}
    for entry in read(file()):
        is_gone, number = known.get(_identity(entry), (False, 0))
        is_gone = {LedgerEvent.DELETED: True, LedgerEvent.PURGED: True, LedgerEvent.UNDELETED: False}.get(
            entry.what, is_gone
        )
        known[_identity(entry)] = is_gone, max(number, entry.number)
    missing: list[Entry] = []
    # Only columns that every release has had, because a backup is also made before an upgrade.
    for user in User.objects.only("pk", "joined_at", "deleted_at", "card_number", "kind"):
        is_gone, number = known.get(("user", user.pk, user.joined_at.isoformat()), (False, 0))
        if user.deleted_at and not is_gone:
            missing.append(about(LedgerEvent.DELETED, user, at=user.deleted_at))
        if user.card_number > max(number, 1):
            missing.append(about(LedgerEvent.CARD, user, at=now))
    missing += [
        about(LedgerEvent.DELETED, classroom, at=classroom.deleted_at or now)
        for classroom in Classroom.objects.exclude(deleted_at=None).only("pk", "made_at", "deleted_at")
        if not known.get(("class", classroom.pk, classroom.made_at.isoformat()), (False, 0))[0]
    ]
    write(missing)


def _identity(entry: Entry) -> tuple[str, int, str]:
    return entry.of, entry.pk, entry.made
