"""The files around the code: examples, CI, templates and licenses match what's there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.test_settings import ROOT, python, settings_with

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
READ = re.compile(r"""\benv\.\w+\(\s*["'](\w+)["']""")
MAKE = re.compile(r"^([a-z-]+):", re.MULTILINE)


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def settings_read() -> set[str]:
    """Every environment variable that the settings read."""
    return set(READ.findall(read("setsite/settings.py")))


def test_the_example_has_every_setting_and_no_other():
    named = re.findall(r"^#?([A-Z_]+)=", read(".env.example"), re.MULTILINE)
    assert len(settings_read()) > 25
    assert sorted(named) == sorted(settings_read())


def test_the_operators_guide_explains_every_setting():
    assert not [name for name in settings_read() if f"`{name}`" not in read("docs/operating.md")]


def test_the_example_starts_a_public_site_once_the_key_is_filled_in():
    lines = [line for line in read(".env.example").splitlines() if line and not line.startswith("#")]
    given = dict(line.split("=", 1) for line in lines)
    key = "kD8" + "aB3dE5gH7jK9mN1pQ" * 4
    settings = settings_with(**{**given, "SETSITE_SECRET_KEY": key})
    assert settings["ALLOWED_HOSTS"] == ["set.school.example"]
    refused = python("-c", "import setsite.settings", **given)
    assert refused.returncode != 0, "nobody starts with the example's own key"


def test_a_default_in_the_example_is_the_default(monkeypatch):
    defaults = dict(re.findall(r"^#([A-Z_]+)=(\S+)$", read(".env.example"), re.MULTILINE))
    for name, default in re.findall(r'env\.(?:number|choice)\("(\w+)", "(\w+)",', read("setsite/settings.py")):
        assert defaults[name] == default, name


def test_ci_runs_every_version_of_python_that_the_project_names_on_both_databases():
    jobs = yaml.safe_load(read(".github/workflows/ci.yml"))["jobs"]
    matrix = jobs["test"]["strategy"]["matrix"]
    lowest, highest = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", PROJECT["requires-python"]).groups()
    assert matrix["python"] == [f"3.{minor}" for minor in range(int(lowest), int(highest))]
    assert matrix["setup"] == ["embedded", "scaled"]


@pytest.mark.parametrize("name", [".github/workflows/ci.yml", ".ci/run", ".github/pull_request_template.md"])
def test_make_has_what_ci_asks_of_it(name):
    text = read(name)
    for setup in ("embedded", "scaled"):
        text = text.replace("test-${{ matrix.setup }}", f"test-{setup}", 1) + f"\nmake test-{setup}"
    asked = {target for line in re.findall(r"\bmake ([a-z -]+)", text) for target in line.split()}
    words = {target for target in asked if target in {"lint", "test", "docs", "dependencies", "words"} or "-" in target}
    assert words
    assert words <= set(MAKE.findall(read("Makefile")))


def test_what_every_change_must_pass_includes_lint():
    assert read(".ci/run").rstrip().endswith("exec make lint test")


def test_the_hooks_run_the_linters_of_make_lint():
    (local,) = yaml.safe_load(read(".pre-commit-config.yaml"))["repos"]
    assert local["repo"] == "local", "hooks run the pinned tools, not others from the network"
    lint = re.search(r"^lint:.*\n((?:\t.*\n)+)", read("Makefile"), re.MULTILINE)[1]
    for hook in local["hooks"]:
        tool = re.search(r"\.venv/bin/(\w+)", hook["entry"])[1]
        assert tool in lint, hook["id"]


def test_the_changelog_has_this_version():
    text = read("CHANGELOG.md")
    assert "## [Unreleased]" in text
    released = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$", text, re.MULTILINE)
    assert released[0] == PROJECT["version"]


def test_fonts_come_with_their_license():
    fonts = [path for path in ROOT.rglob("*") if path.suffix in {".ttf", ".otf", ".woff2"} and _is_ours(path)]
    folders = {path.parent.relative_to(ROOT).as_posix() for path in fonts}
    assert folders
    for folder in folders:
        text = read(f"{folder}/LICENSE.txt")
        assert "SIL OPEN FONT LICENSE Version 1.1" in text
        assert "Copyright" in text
        assert f"{folder}/LICENSE.txt" in read("LICENSE")


def _is_ours(path) -> bool:
    top = path.relative_to(ROOT).parts[0]
    return top not in {".venv", "var", "node_modules", "docs-built"}


@pytest.mark.parametrize("name", ["bug", "idea", "config"])
def test_issue_forms_are_readable(name):
    form = yaml.safe_load(read(f".github/ISSUE_TEMPLATE/{name}.yml"))
    assert form


def test_dependabot_watches_the_requirements_actions_and_the_image():
    updates = yaml.safe_load(read(".github/dependabot.yml"))["updates"]
    assert {each["package-ecosystem"]: each["directory"] for each in updates} == {
        "pip": "/requirements",
        "github-actions": "/",
        "docker": "/",
    }
    assert (ROOT / "Dockerfile").is_file()


def test_what_helps_contributors_is_there():
    for name in ("SECURITY.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "LICENSE", ".editorconfig"):
        assert read(name).strip(), name


# Installing


def install(python: str, folder: Path, *, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run scripts/install with a Python that only pretends to install."""
    command = ["/bin/sh", ROOT / "scripts" / "install", python, folder / "venv", "requirements/run.txt"]
    environment = {"PATH": str(path or os.environ["PATH"])}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def pretender(folder: Path, name: str, *, version: str, has_venv: bool = True, has_network: bool = True) -> Path:
    """A Python of some version, whose pip and venv do nothing or fail."""
    folder.mkdir(exist_ok=True)
    for tool in ("cp", "mkdir", "sed"):
        (folder / tool).unlink(missing_ok=True)
        (folder / tool).symlink_to(shutil.which(tool))
    checks = f"import sys; sys.version_info = tuple(map(int, '{version}'.split('.')))"
    made = folder / name
    made.write_text(
        f"""#!/bin/sh
case "$1 $2" in
"-c "*) exec {sys.executable} -c "{checks}; $(printf %s "$2" | sed 's/^import sys; //')" ;;
"-m venv")
    {"true" if has_venv else "exit 1"}
    mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && cp "$0" "$3/bin/pip" ;;
"-m pip") {"echo installed" if has_network else "exit 1"} ;;
esac
""",
        encoding="utf-8",
    )
    made.chmod(0o755)
    return made


def test_the_first_python_that_fits_is_found(tmp_path):
    pretender(tmp_path / "bin", "python3", version="3.9")
    pretender(tmp_path / "bin", "python3.12", version="3.12")
    done = install("", tmp_path, path=tmp_path / "bin")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "venv" / "bin" / "python").read_text() == (tmp_path / "bin" / "python3.12").read_text()


@pytest.mark.parametrize("version", ["3.10", "3.14"])
def test_another_version_of_python_is_refused_in_words(tmp_path, version):
    python3 = pretender(tmp_path / "bin", "python3", version=version)
    for named in (str(python3), ""):
        done = install(named, tmp_path, path=tmp_path / "bin")
        assert done.returncode == 1
        assert done.stderr.startswith("This needs Python 3.11, 3.12 or 3.13.")


def test_no_python_at_all_is_said_in_words(tmp_path):
    done = install("no-such-python", tmp_path)
    assert (done.returncode, done.stderr.split(".")[0]) == (1, "This needs Python 3")


def test_what_else_is_missing_is_said_in_words(tmp_path):
    done = install(str(pretender(tmp_path / "a", "python3", version="3.11", has_venv=False)), tmp_path / "a")
    assert (done.returncode, "apt install python3-venv" in done.stderr) == (1, True)
    python3 = pretender(tmp_path / "b", "python3", version="3.11", has_network=False)
    done = install(str(python3), tmp_path / "b", path=tmp_path / "b")
    assert (done.returncode, "couldn't be installed" in done.stderr) == (1, True)


def test_a_start_without_a_broker_warns_of_nothing():
    told = python("-c", "from setsite.celery import app; app.connection().info()", SETSITE_DEBUG="1")
    assert (told.returncode, told.stderr) == (0, "")
