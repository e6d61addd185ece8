"""The command that `make run` uses fills a new database with the demo."""

from __future__ import annotations

from tests.test_settings import python


def test_a_demo_is_filled_by_the_command_that_starts_it(tmp_path):
    done = python("manage.py", "prepare", SETSITE_DEMO="1", SETSITE_VAR=str(tmp_path))
    assert done.returncode == 0, done.stderr
