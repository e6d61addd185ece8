"""Who may know whom: the rooms of the house import in one direction only."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ["core", "games", "lessons", "classrooms"]


def imports_of(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} imports relatively"
            found.add(node.module or "")
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_imports_one_to_its_right(room):
    right = set(ROOMS[ROOMS.index(room) + 1 :])
    for file in (ROOT / room).rglob("*.py"):
        wrong = {name for name in imports_of(file) if name.split(".")[0] in right}
        assert not wrong, f"{file} imports {wrong}"


def test_core_imports_nothing_from_the_project():
    for file in (ROOT / "core").rglob("*.py"):
        assert not {name for name in imports_of(file) if name.split(".")[0] == "setsite"}, file


def test_the_rules_need_nothing_but_the_standard_library():
    for file in (ROOT / "games" / "rules").rglob("*.py"):
        for name in imports_of(file):
            assert (
                name == "games.rules"
                or name.startswith("games.rules.")
                or name.split(".")[0] in (sys.stdlib_module_names)
            ), f"{file} imports {name}"


def test_the_rules_have_no_clock_and_no_shared_random_numbers():
    for file in (ROOT / "games" / "rules").rglob("*.py"):
        assert not imports_of(file) & {"time", "datetime", "secrets", "os", "io", "pathlib"}, file
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "random":
                assert node.attr == "Random", f"{file} uses random.{node.attr}"


APPS = ["core", "games", "lessons", "classrooms", "setsite"]
# Django looks for these by their names.
NAMED_BY_DJANGO = {"Migration", "Command", "Meta", "SessionStore", "DatabaseWrapper"}


def test_no_class_name_is_defined_twice():
    places: dict[str, list[str]] = {}
    for app in APPS:
        for file in sorted((ROOT / app).rglob("*.py")):
            for node in ast.parse(file.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and node.name not in NAMED_BY_DJANGO:
                    places.setdefault(node.name, []).append(str(file.relative_to(ROOT)))
    assert not {name: files for name, files in places.items() if len(files) > 1}
