"""Every test that docs/security.md and docs/faults.md name as proof exists."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tests.test_settings import ROOT

_TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
_COLUMNS = 4


def rows(document: str) -> list[list[str]]:
    """The rows of a document's tables, without headers; the last column names tests."""
    lines = (ROOT / "docs" / document).read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines if line.startswith("|")]
    rules = [number for number, row in enumerate(cells) if set("".join(row)) <= set("-|: ")]
    heads = {number + step for number in rules for step in (-1, 0)}
    return [row for number, row in enumerate(cells) if number not in heads]


@cache
def names_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@pytest.mark.parametrize(("document", "least"), [("security.md", 40), ("faults.md", 10)])
def test_there_is_a_model(document, least):
    assert len(rows(document)) > least


@pytest.mark.parametrize("row", [*rows("security.md"), *rows("faults.md")], ids=lambda row: row[0])
def test_each_threat_and_each_fault_names_a_test_that_is_there(row):
    assert len(row) == _COLUMNS, row
    assert all(row)
    named = _TEST.findall(row[-1])
    assert named, "a claim without a test"
    assert row[-1].count("`") == 2 * len(named), "something else than a test"
    for path, name in named:
        assert (ROOT / path).is_file(), path
        assert name in names_in(path), f"{path}::{name}"
