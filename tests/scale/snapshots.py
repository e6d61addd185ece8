"""Restore a database fast enough to do it hundreds of times: only the tables that were written."""

from __future__ import annotations

import re
from collections.abc import Iterable

from django.db import connection, transaction

_WRITTEN = re.compile(r'(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM)\s+"?(\w+)"?', re.IGNORECASE)


def tables_written(sql: str) -> set[str]:
    """The tables a statement may change, possibly including other words that look like table names."""
    return set(_WRITTEN.findall(sql))


class Snapshot:
    """A copy of every table beside the original, on both databases."""

    def __init__(self) -> None:
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                # Skip row-by-row checks, because the final state is consistent.
                cursor.execute("PRAGMA foreign_keys = OFF")
                cursor.execute("ATTACH DATABASE ':memory:' AS pristine")
            else:
                cursor.execute("DROP SCHEMA IF EXISTS pristine CASCADE")
                cursor.execute("CREATE SCHEMA pristine")
            self._tables = set(connection.introspection.table_names(cursor))
            for table in self._tables:
                cursor.execute(f'CREATE TABLE pristine."{table}" AS SELECT * FROM {_own(table)}')

    def restore(self, tables: Iterable[str]) -> None:
        """Restore these tables. Sequences aren't reset."""
        with transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SET LOCAL session_replication_role = replica")
            for table in sorted(self._tables.intersection(tables)):
                cursor.execute(f"DELETE FROM {_own(table)}")
                cursor.execute(f'INSERT INTO {_own(table)} SELECT * FROM pristine."{table}"')


def _own(table: str) -> str:
    return f'main."{table}"' if connection.vendor == "sqlite" else f'public."{table}"'
