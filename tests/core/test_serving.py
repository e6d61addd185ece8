"""No process of the site starts on data that a restore left unfinished."""

from __future__ import annotations

import pytest

from tests.test_settings import python

PROGRAMS = [
    ["manage.py", "web", "--port", "1"],
    ["manage.py", "serve"],
    ["manage.py", "prepare"],
    ["-m", "celery", "-A", "setsite", "worker", "--pool=solo", "--without-gossip", "--without-mingle"],
    ["-m", "celery", "-A", "setsite", "beat"],
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program[-1] if "celery" in program else program[1])
def test_after_an_interrupted_restore_no_program_starts_and_each_says_what_to_do(program, tmp_path):
    (tmp_path / "restoring").touch()
    if "beat" in program:
        # Beat writes its schedule before the check, so keep it out of the project folder.
        program = [*program, f"--schedule={tmp_path / 'schedule'}"]
    done = python(*program, SETSITE_DEBUG="1", SETSITE_VAR=str(tmp_path))
    assert done.returncode == 1
    assert "run `manage.py restore` again" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "setsite.sqlite3").exists(), "nothing was migrated"
