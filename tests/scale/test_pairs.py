"""Every pair of writing functions, simultaneously on real databases: invariants hold and no error escapes."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from classrooms.live import joining, leading
from classrooms.models import Attendee
from games.models import Match
from games.players import Player
from tests.classrooms.people import enrol, make_adult, make_classroom
from tests.scale.engines import run
from tests.seeds import run_seed
from tools.scale.processes import ROOT

SERVICES = (
    "classrooms/*.py",
    "classrooms/accounts/**/*.py",
    "classrooms/classes/**/*.py",
    "classrooms/live/**/*.py",
    "classrooms/privacy/*.py",
    "classrooms/reports/*.py",
    "classrooms/views/*.py",
    "core/*.py",
    "core/jobs/*.py",
    "games/*.py",
    "games/matches/*.py",
    "games/views/*.py",
    "lessons/*.py",
    "lessons/progress/*.py",
    "lessons/views/*.py",
)
WRITING_CALLS = {
    "save",
    "delete",
    "create",
    "bulk_create",
    "bulk_update",
    "get_or_create",
    "update_or_create",
    "select_for_update",
    "atomic",
    "lock_rows",
    "lock_word",
    "delete_in_chunks",
    "executemany",
    "insert_unless_there",
}
SAVES_NO_ROW = "saves a picture, no row"
EXCUSES = {
    "classrooms/accounts/sign_up.py:SignUpForm.signup": "writes an account that nobody else knows yet",
    "classrooms/demo.py:fill_demo": "fills an empty site before it serves",
    "classrooms/demo.py:_fill": "fills an empty site before it serves",
    "classrooms/privacy/after_restore.py:settle": "runs while the site doesn't serve",
    "classrooms/privacy/after_restore.py:_delete_again": "runs while the site doesn't serve",
    "classrooms/privacy/after_restore.py:_with_new_pictures": "runs while the site doesn't serve",
    "classrooms/classes/rosters/forms.py:StudentForm.__init__": "changes the attributes of a field, no row",
    "classrooms/views/roster.py:cancel": "deletes one list, which the writer 'cancel a roster' does as well",
    "games/views/daily.py:picture": SAVES_NO_ROW,
}
"""Functions that write, or seem to, and needn't be in any pair."""


def writing_functions() -> set[str]:
    """The service functions that write directly, as file and name."""
    files = sorted({path for pattern in SERVICES for path in Path(ROOT).glob(pattern)})
    return {
        f"{path.relative_to(ROOT)}:{name}"
        for path in files
        for name, function in _functions(ast.parse(path.read_text(encoding="utf-8")))
        if any(_writes(node) for node in ast.walk(function))
    }


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{each.name}", each) for each in node.body if isinstance(each, ast.FunctionDef))


def _writes(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id in WRITING_CALLS
    if not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr == "update":
        # A queryset's method takes only keywords; a dict's or set's hardly ever does.
        return bool(node.keywords) and not node.args
    if node.func.attr in {"add", "remove"}:
        # On a relation, like `classroom.teachers.add`, not on a plain set variable.
        return isinstance(node.func.value, ast.Attribute) and not _is_own(node.func.value)
    return node.func.attr in WRITING_CALLS


def _is_own(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


@pytest.fixture(scope="module")
def report(database):
    return json.loads(run(["-m", "tests.scale.pairs", str(run_seed())], database))


def test_any_two_writers_at_once_leave_everything_in_order(report):
    assert report["pairs"] > 1_000
    words = [f"{names}\n{''.join(troubles)}" for names, troubles in report["troubles"].items()]
    assert not words, "\n".join(words)


def test_a_writer_that_meets_nobody_is_not_refused_and_writes(report):
    assert report["alone"] == {}
    assert report["idle"] == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change",
    [lambda seat: leading.rename(seat, "Ivo"), lambda seat: leading.set_team(seat, 2)],
    ids=["rename", "set a team"],
)
def test_whoever_was_just_taken_out_is_not_seated_again_by_a_change_that_was_under_way(change):
    """Found by the pairs test: each request reads the seat before it waits for the lesson's lock."""
    classroom = make_classroom(make_adult())
    lesson = leading.open_session(classroom, by=classroom.teachers.get())
    mia, _noah = [
        joining.attend(lesson, Player(name=place.student.display_name, user=place.student))
        for place in enrol(classroom, "Mia Okafor", "Noah Brandt")
    ]
    leading.begin(lesson, "tables", {"deck": "full", "window": "10", "penalty": True, "size": 2, "how": "chance"})
    read_before = Attendee.objects.get(pk=mia.pk)
    leading.remove(mia)
    change(read_before)
    assert len(Match.objects.get().state.seated) == 1
    assert Attendee.objects.get(pk=mia.pk).removed_at


def test_whatever_writes_is_in_some_pair_or_excused(report):
    writing = writing_functions()
    assert len(writing) > 100
    assert writing - set(report["called"]) - set(EXCUSES) == set()
    assert set(EXCUSES) <= writing - set(report["called"]), "nobody has to be excused for what a pair calls"
