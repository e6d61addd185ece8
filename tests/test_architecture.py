"""Import contracts and naming rules."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).parent.parent


def imports_of(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} imports relatively"
            found.add(node.module or "")
    return found


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--config", folder / "pyproject.toml"]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_every_package_keeps_to_the_import_contracts():
    """The contracts are in pyproject.toml: layers, pure packages, and the order within each app."""
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout


def test_an_import_against_the_layers_is_found(tmp_path):
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = next(each["layers"] for each in contracts["contracts"] if each["id"] == "layers")
    assert sorted(layers) == sorted(contracts["root_packages"]), "every package has its layer"
    for layer in layers:
        (tmp_path / layer).mkdir()
        (tmp_path / layer / "__init__.py").touch()
    config = f"""
        [tool.importlinter]
        root_packages = {layers}
        [[tool.importlinter.contracts]]
        name = "layers"
        type = "layers"
        layers = {layers}
    """
    (tmp_path / "pyproject.toml").write_text(dedent(config), encoding="utf-8")
    (tmp_path / "lessons" / "cheat.py").write_text("import games\n", encoding="utf-8")
    assert lint_imports(tmp_path).returncode == 0
    (tmp_path / "core" / "cheat.py").write_text("import games\n", encoding="utf-8")
    done = lint_imports(tmp_path)
    assert done.returncode == 1
    assert "core.cheat -> games" in done.stdout


def test_django_in_a_pure_package_is_found(tmp_path):
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    pure = [each for each in contracts if "django" in each.get("forbidden_modules", ())]
    assert {each["id"] for each in pure} == {"rules", "pure-learning", "pure-exercises"}
    for contract in pure:
        package = contract["source_modules"][0].split(".")
        folder = tmp_path / contract["id"]
        (folder / Path(*package)).mkdir(parents=True)
        for depth in range(len(package)):
            (folder / Path(*package[: depth + 1]) / "__init__.py").touch()
        config = f"""
            [tool.importlinter]
            root_packages = ["{package[0]}"]
            include_external_packages = true
            [[tool.importlinter.contracts]]
            name = "pure"
            type = "forbidden"
            source_modules = ["{".".join(package)}"]
            forbidden_modules = ["django"]
        """
        (folder / "pyproject.toml").write_text(dedent(config), encoding="utf-8")
        assert lint_imports(folder).returncode == 0
        cheat = folder / package[0] / "words.py"
        cheat.write_text("from django.utils.translation import gettext\n", encoding="utf-8")
        (folder / Path(*package) / "__init__.py").write_text(f"import {package[0]}.words\n", encoding="utf-8")
        done = lint_imports(folder)
        assert done.returncode == 1
        assert "is not allowed to import django" in done.stdout


def test_the_rules_have_no_clock_and_no_shared_random_numbers():
    for file in (ROOT / "games" / "rules").rglob("*.py"):
        assert not imports_of(file) & {"time", "datetime", "secrets", "os", "io", "pathlib"}, file
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "random":
                assert node.attr == "Random", f"{file} uses random.{node.attr}"


APPS = ["core", "games", "lessons", "classrooms", "setsite"]
# Django requires these names.
NAMED_BY_DJANGO = {"Migration", "Command", "Meta", "SessionStore", "DatabaseWrapper"}


def test_the_files_of_the_three_flows_are_there():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    lists = re.findall(r"^Files[^:]*: .+$", text, re.MULTILINE)
    assert len(lists) == 3
    for line in lists:
        folder = ROOT
        for part in re.findall(r"`([^`]+)`", line):
            if part.endswith("/"):
                folder = ROOT / part
            elif not part.startswith(("core/", "static/")):
                assert list(folder.glob(re.sub(r"<\w+>", "*", part))), part
            else:
                assert (ROOT / part).is_file(), part
    for path in re.findall(r"`((?:core|games|lessons|classrooms|setsite|static|templates)/[\w/]+\.\w+)`", text):
        assert (ROOT / path).is_file(), path


def test_no_class_name_is_defined_twice():
    places: dict[str, list[str]] = {}
    for app in APPS:
        for file in sorted((ROOT / app).rglob("*.py")):
            for node in ast.parse(file.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and node.name not in NAMED_BY_DJANGO:
                    places.setdefault(node.name, []).append(str(file.relative_to(ROOT)))
    assert not {name: files for name, files in places.items() if len(files) > 1}
