"""The list of guards matches the code; `make mutants` removes each one and expects its test to fail."""

from __future__ import annotations

import pytest

from tests.safety.test_threat_model import names_in
from tools.mutants import ROOT, Guard, guards


def test_there_are_guards():
    assert guards()


@pytest.mark.parametrize("guard", guards(), ids=lambda guard: f"{guard.area}: {guard.name}")
def test_a_guard_is_where_the_list_says_and_its_test_exists(guard: Guard):
    source = (ROOT / guard.file).read_text(encoding="utf-8")
    assert guard.without_guard(source) != source
    path, name = guard.test.split("::")
    assert name in names_in(path)
