"""The check of machine-readable numbers sees a decimal comma; test_every_page.py applies it to every page."""

from __future__ import annotations

import pytest
from justhtml import JustHTML

from tests.browser.numbers import DECIMAL_COMMA, PAIRS, decimal_commas_in


def test_the_check_would_see_one():
    assert DECIMAL_COMMA.fullmatch("1,5")
    assert DECIMAL_COMMA.fullmatch("0 0 12,5 40")
    assert not DECIMAL_COMMA.fullmatch("1.5")
    assert PAIRS.fullmatch("1,2 3.5,4.25")
    assert not PAIRS.fullmatch("1,5,2,5 3,5,4,5")


@pytest.mark.parametrize(
    ("html", "count"),
    [
        ('<svg viewBox="0 0 12,5 40"></svg>', 1),
        ('<meter value="1.5" title="1,5"></meter>', 0),
        ('<svg><polyline points="1,2 3,4"/></svg>', 0),
        ('<svg><polyline points="1,5,2,5 3,5,4,5"/></svg>', 1),
    ],
)
def test_a_number_for_machines_is_told_from_one_for_people(html, count):
    assert len(list(decimal_commas_in(JustHTML(html, sanitize=False)))) == count
