"""What every call at a table reads and writes, in plain SQL: to build these queries costs ten times their running.

Only `games.matches` writes by it. Whatever is not done at every call goes by the models.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from django.db import connection

from games.models import Match, Seat, Way
from games.players import Player

_MOST_AT_ONCE = 100
_READ = ("id", "code", "way", "is_open", "place", "version", "snapshot", "phase", "due", "touched_at")
_SNAPSHOT, _TOUCHED_AT = _READ.index("snapshot"), _READ.index("touched_at")
_MATCH = f"SELECT {', '.join(_READ)} FROM games_match WHERE code = %s"  # noqa: S608 (names of our own)
_UPDATE = """
    UPDATE games_match SET version = %s, snapshot = %s, phase = %s, due = %s, touched_at = %s
    WHERE id = %s AND version = %s
"""
_SEAT_FIELDS = ("id", "match_id", "number", "name", "user_id", "guest", "strength")
_SEAT = f"""
    SELECT {", ".join(f"games_seat.{name}" for name in _SEAT_FIELDS)}
    FROM games_seat JOIN games_match ON games_match.id = games_seat.match_id
    WHERE games_match.code = %s AND games_match.way <> %s AND games_seat.
"""  # noqa: S608


def match_of(code: str) -> Match:
    """A match by its code, without what only its replay needs."""
    found = _rows(_MATCH, [code])
    if not found:
        raise Match.DoesNotExist(code)
    values = list(found[0])
    values[_SNAPSHOT] = json.loads(values[_SNAPSHOT])
    values[_TOUCHED_AT] = _aware(values[_TOUCHED_AT])
    return Match.from_db(connection.alias, _READ, values)


def acting_seat(code: str, player: Player) -> Seat | None:
    """The seat at this match that the player acts from; at the table of a whole class nobody does."""
    whose, key = ("user_id", player.user.pk) if player.user else ("guest", player.guest)
    found = _rows(f"{_SEAT.rstrip()}{whose} = %s", [code, Way.CLASS.value, key])
    return Seat.from_db(connection.alias, _SEAT_FIELDS, found[0]) if found else None


def strengths(match: Match) -> dict[int, str]:
    """Where computers sit."""
    return dict(_rows("SELECT number, strength FROM games_seat WHERE match_id = %s AND strength <> ''", [match.pk]))


def names_and_records(match: Match, most: int) -> tuple[dict[int, str], list[dict[str, Any]]]:
    """Who sits where, and the last entries of the log, the oldest first."""
    found = _rows(
        "SELECT 0 AS what, number, name FROM games_seat WHERE match_id = %s"
        " UNION ALL SELECT 1, number, CAST(record AS text) FROM games_event"
        " WHERE match_id = %s AND number > %s AND number <= %s ORDER BY 1, 2",
        [match.pk, match.pk, match.version - most, match.version],
    )
    names = {number: text for is_record, number, text in found if not is_record}
    return names, [json.loads(text) for is_record, _number, text in found if is_record]


def writes_at_once() -> bool:
    """Whether `save` is one statement, which needs no transaction around it."""
    return connection.vendor == "postgresql"


def save(match: Match, read: int, records: Sequence[dict[str, Any]]) -> bool:
    """Write the match as it stands now and what its log has more, where its version is still the one that was read.

    Whether it was. On PostgreSQL, where each word to the engine is a trip, in one.
    """
    written: list[Any] = [
        match.version,
        json.dumps(match.snapshot),
        str(match.phase),
        match.due,
        connection.ops.adapt_datetimefield_value(match.touched_at),
        match.pk,
        read,
    ]
    with connection.cursor() as cursor:
        if writes_at_once():
            entries: Iterable[tuple[Any, ...]] = enumerate(map(json.dumps, records), read + 1)
            places = ", ".join(["(%s, %s)"] * len(records))
            cursor.execute(
                f"WITH written AS ({_UPDATE} RETURNING id) INSERT INTO games_event (match_id, number, record)"  # noqa: S608
                f" SELECT id, entry.number, CAST(entry.record AS jsonb)"
                f" FROM written CROSS JOIN (VALUES {places}) AS entry (number, record)",
                [*written, *chain.from_iterable(entries)],
            )
            return bool(cursor.rowcount)
        cursor.execute(_UPDATE, written)
        if not cursor.rowcount:
            return False
    append(match, read, records)
    return True


def append(match: Match, after: int, records: Sequence[dict[str, Any]]) -> None:
    """Put entries at the end of the log."""
    rows = [(match.pk, number, json.dumps(record)) for number, record in enumerate(records, after + 1)]
    for start in range(0, len(rows), _MOST_AT_ONCE):
        some = rows[start : start + _MOST_AT_ONCE]
        places = ", ".join(["(%s, %s, %s)"] * len(some))
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO games_event (match_id, number, record) VALUES {places}",  # noqa: S608 (only places)
                [value for row in some for value in row],
            )


def _rows(sql: str, values: Sequence[str | int]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


def _aware(moment: datetime) -> datetime:
    """SQLite keeps moments in UTC and does not say so."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
