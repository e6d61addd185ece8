"""Parsing integers sent by clients."""

from __future__ import annotations

import pytest

from core.numbers import whole_number


@pytest.mark.parametrize("text", ["", "-1", "+1", " 1", "1_0", "1.0", "²", "\u0668", "one", "101", "9" * 5_000])
def test_what_is_no_number_or_too_large_is_none(text):
    assert whole_number(text, most=100) is None


def test_digits_are_a_number_up_to_the_most():
    assert [whole_number(text, most=100) for text in ("0", "007", "100")] == [0, 7, 100]
    assert whole_number(str(2**31 - 1)) == 2**31 - 1
    assert whole_number(str(2**31)) is None, "no column would take it"
