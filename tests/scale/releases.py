"""Load rows of earlier releases into those releases' tables, and read them back the same way."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

Row = dict[str, Any]
Tables = dict[str, list[Row]]
_RENAMED = {"lessons_attempt": "lessons_learningevent"}
_PLACE = (
    "CASE source WHEN 'course' THEN unit || '/' || step"
    " WHEN 'lesson' THEN 'session/' || substr(seed, 1, {dash} - 1) ELSE source END"
)
_MOVED = ("at", "answer", "is_right", "missed")
"""The fields stored with an answer in a lesson."""


@dataclass(frozen=True)
class Release:
    """`released/<name>.json.gz` holds the rows that the release's own code made."""

    name: str
    migrations: frozenset[tuple[str, str]]
    """The release's last migrations."""

    @cached_property
    def kept(self) -> dict[str, Any]:
        file = Path(__file__).parent / "released" / f"{self.name}.json.gz"
        found: dict[str, Any] = json.loads(gzip.decompress(file.read_bytes()))
        return found if "tables" in found else {"tables": found}

    @property
    def tables(self) -> dict[str, dict[str, list[Any]]]:
        tables: dict[str, dict[str, list[Any]]] = self.kept["tables"]
        return tables

    def fill(self, plant: Iterable[Any] = ()) -> None:
        """Fill the release's tables with its rows and some planted extra ones."""
        executor = MigrationExecutor(connection)
        ours = {app for app, _name in self.migrations}
        leaves = (leaf for leaf in executor.loader.graph.leaf_nodes() if leaf[0] not in ours)
        executor.migrate([*self.migrations, *leaves])
        with connection.constraint_checks_disabled(), transaction.atomic():
            for table, kept in self.tables.items():
                insert(table, kept)
            for each in plant:
                each()
        if connection.vendor == "postgresql":
            self._count_on_from_the_rows()

    def _count_on_from_the_rows(self) -> None:
        with connection.cursor() as cursor:
            for table in self.tables:
                cursor.execute("SELECT pg_get_serial_sequence(%s, 'id')", [table])
                if (sequence := cursor.fetchone()[0]) is not None:
                    cursor.execute(f"SELECT setval(%s, (SELECT max(id) FROM {table}))", [sequence])

    def rows_now(self) -> Tables:
        """Every row of the tables that the release filled, in its format."""
        return {table: list(_as_before(table)) for table in self.tables}

    def copy_row(self, table: str, pk: int, **changed: Any) -> None:
        kept = self.tables[table]
        row = next(row for row in kept["rows"] if row[kept["columns"].index("id")] == pk)
        values = {**dict(zip(kept["columns"], row, strict=True)), **changed}
        insert(table, {**kept, "rows": [[values[name] for name in kept["columns"]]]})


def insert(table: str, kept: Mapping[str, list[Any]]) -> None:
    columns, bools = kept["columns"], set(kept["bools"])
    rows = [
        [
            bool(value) if name in bools and value is not None else value
            for name, value in zip(columns, row, strict=True)
        ]
        for row in kept["rows"]
    ]
    names = ", ".join(map(connection.ops.quote_name, columns))
    marks = ", ".join(["%s"] * len(columns))
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)


def assert_all_there(before: Tables, after: Tables, *, but: set[tuple[str, str]]) -> None:
    """No row or column is missing, and every value is unchanged, except in these columns."""
    for table, rows in before.items():
        now = {row["id"]: row for row in after[table]}
        for row in rows:
            for name, value in row.items():
                assert (table, name) in but or now[row["id"]][name] == value, f"{table}.{name} of {row['id']}"


def _as_before(table: str) -> list[Row]:
    known = set(connection.introspection.table_names())
    if table not in known:
        return _attempts()
    if table == "lessons_progress":
        return _progress()
    if table == "classrooms_answer" and "event_id" in _columns(table):
        columns = ", ".join(f"event.{name}" for name in _MOVED)
        return _rows(f"answer.*, {columns} FROM {table} answer JOIN lessons_learningevent event ON event.id = event_id")
    if table == "lessons_helpgiven" and "source" in _columns(table):
        return _rows(f"*, {_place()} AS place FROM {table}")
    return _rows(f"* FROM {table}")


def _attempts() -> list[Row]:
    """Excluding the events of answers that had none."""
    rows = _rows(f"*, {_place()} AS place FROM {_RENAMED['lessons_attempt']}")
    return [row for row in rows if row["kind"] or row["evidence"] != "[]"]


def _progress() -> list[Row]:
    """A row per skill, identified by its owner."""
    found = []
    for row in _rows("* FROM lessons_progress"):
        states = json.loads(row["states"]) if "states" in row else {row["skill"]: json.loads(row["state"])}
        whose = {"user_id": row["user_id"], "guest": row["guest"]}
        found += [
            {"id": (*whose.values(), skill), **whose, "skill": skill, "state": state} for skill, state in states.items()
        ]
    return found


def _place() -> str:
    return _PLACE.format(dash="strpos(seed, '-')" if connection.vendor == "postgresql" else "instr(seed, '-')")


def _columns(table: str) -> set[str]:
    with connection.cursor() as cursor:
        return {each.name for each in connection.introspection.get_table_description(cursor, table)}


def _rows(what: str) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {what}")
        columns = [each[0] for each in cursor.description]
        return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
