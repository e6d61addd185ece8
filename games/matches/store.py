"""The hot path of calls at a table, in plain SQL: building these queries takes ten times as long as running them.

Only `games.matches.service` writes with it. Whatever isn't done on every call uses the models.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import chain
from typing import Any

from django.db import connection

from games.models import Match, MatchDetails, Sitting

_MOST_AT_ONCE = 100
_RECENT = 12
"""How many of the latest log entries are read along with a match."""
_FIELDS = ("id", "code", "way", "is_open", "place", "version", "snapshot", "phase", "due", "touched_at")
_SNAPSHOT, _TOUCHED_AT = _FIELDS.index("snapshot"), _FIELDS.index("touched_at")
_UPDATE = """
    UPDATE games_match SET version = %s, snapshot = %s, phase = %s, due = %s, touched_at = %s
    WHERE id = %s AND version = %s
"""
_DETAILS_SQL = """
    SELECT {fields}
        (SELECT CAST({gathered}({listed}(number, name, strength, user_id, guest)) AS text)
         FROM games_seat WHERE match_id = games_match.id),
        (SELECT CAST({gathered}({parsed}(record)) AS text)
         FROM (SELECT record FROM games_event WHERE match_id = games_match.id
               AND number > {version} - {recent} AND number <= {version} ORDER BY number) AS log)
    FROM games_match WHERE
"""
_JSON_FUNCTIONS = {
    "postgresql": {"gathered": "json_agg", "listed": "json_build_array", "parsed": ""},
    "sqlite": {"gathered": "json_group_array", "listed": "json_array", "parsed": "json"},
}
"""Each engine's names for the JSON functions that pack many rows into one."""


def match_of(code: str) -> Match:
    """Read a match by its code along with its details, but without the fields that only a replay needs."""
    fields = "".join(f"games_match.{name}, " for name in _FIELDS)
    found = _rows(_statement(connection.vendor, fields, "games_match.version") + "code = %s", [code])
    if not found:
        raise Match.DoesNotExist(code)
    *values, seats, log = found[0]
    values[_SNAPSHOT] = json.loads(values[_SNAPSHOT])
    values[_TOUCHED_AT] = _aware(values[_TOUCHED_AT])
    match = Match.from_db(connection.alias, _FIELDS, values)
    match.details = _parse_details(seats, log)
    return match


def match_details(match: Match) -> MatchDetails:
    """The details that were read along with the match, or else read now; empty if the match is gone."""
    if match.details is None:
        statement = _statement(connection.vendor, "", "%s") + "id = %s"
        found = _rows(statement, [match.version, match.version, match.pk])
        match.details = _parse_details(*found[0]) if found else MatchDetails((), ())
    return match.details


@cache
def _statement(vendor: str, fields: str, version: str) -> str:
    return _DETAILS_SQL.format(fields=fields, version=version, recent=_RECENT, **_JSON_FUNCTIONS[vendor])


def _parse_details(seats: str | None, log: str | None) -> MatchDetails:
    """Parse the two JSON lists, which PostgreSQL returns as NULL if they're empty."""
    return MatchDetails(tuple(Sitting(*seat) for seat in json.loads(seats or "[]")), tuple(json.loads(log or "[]")))


def writes_at_once() -> bool:
    """Whether `save` is a single statement, which needs no transaction around it."""
    return connection.vendor == "postgresql"


def save(match: Match, read: int, records: Sequence[dict[str, Any]]) -> bool:
    """Write the match and its new log entries if the version is still the one that was read; return whether it was.

    On PostgreSQL, where each statement is a round trip, this takes only one.
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
            is_written = bool(cursor.rowcount)
        else:
            cursor.execute(_UPDATE, written)
            is_written = bool(cursor.rowcount)
            if is_written:
                append(match, read, records)
    if is_written and match.details:
        match.details = match.details.after(records, _RECENT)
    return is_written


def append(match: Match, after: int, records: Sequence[dict[str, Any]]) -> None:
    """Append entries to the log."""
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
    """Add the time zone that SQLite leaves out: it stores UTC."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
