"""docs/security.md says what could go wrong and which test shows that it does not: each of them is there."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tests.test_settings import ROOT

_TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
_COLUMNS = 4


def rows() -> list[list[str]]:
    """The lines of the tables: threat, who, what stops it, test."""
    lines = (ROOT / "docs" / "security.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines if line.startswith("| ")]
    return [row for row in cells if row[0] not in {"Threat", "---"}]


@cache
def names_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_there_is_a_model():
    assert len(rows()) > 40


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_each_threat_names_a_test_that_is_there(row):
    assert len(row) == _COLUMNS, row
    assert all(row)
    named = _TEST.findall(row[-1])
    assert named, "a claim without a test"
    assert row[-1].count("`") == 2 * len(named), "something else than a test"
    for path, name in named:
        assert (ROOT / path).is_file(), path
        assert name in names_in(path), f"{path}::{name}"
