"""The migration that keeps only one first try per question."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.db import connection
from django.db.migrations.executor import MigrationExecutor

NOW = datetime(2027, 1, 1, tzinfo=UTC)
BEFORE, AFTER = [("lessons", "0002_sent_as")], [("lessons", "0004_one_first_try_and_help")]


def test_of_double_first_tries_the_earliest_stays_the_first(transactional_db):
    executor = MigrationExecutor(connection)
    now = executor.loader.graph.leaf_nodes()
    executor.migrate(BEFORE)
    try:
        attempts = executor.loader.project_state(BEFORE).apps.get_model("lessons", "Attempt").objects
        for guest, seed, minutes in [("a", "s", 2), ("a", "s", 1), ("a", "s", 3), ("a", "t", 1), ("b", "s", 1)]:
            at = NOW + timedelta(minutes=minutes)
            attempts.create(guest=guest, place="practice", seed=seed, at=at, is_right=True, is_first=True)
        MigrationExecutor(connection).migrate(AFTER)
        firsts = executor.loader.project_state(AFTER).apps.get_model("lessons", "Attempt").objects
        assert sorted((row.guest, row.seed, (row.at - NOW).seconds // 60) for row in firsts.filter(is_first=True)) == [
            ("a", "s", 1),
            ("a", "t", 1),
            ("b", "s", 1),
        ]
    finally:
        MigrationExecutor(connection).migrate(now)
