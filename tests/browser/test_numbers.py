# ruff: noqa: F811 (a fixture is taken by its name)
"""Machine-readable numbers use a decimal point, whatever the page's language."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from justhtml import JustHTML

from tests.browser.page_visits import PAGES, PARTS
from tests.browser.test_every_page import transactional_db, world  # noqa: F401 (the world that is looked at)
from tests.browser.visits import Visit, ready
from tests.browser.world import World

DECIMAL_COMMA = re.compile(r"[-\d.,:;\s]*\d,\d[-\d.,:;\s]*")
PAIRS = re.compile(r"(-?\d+(\.\d+)?,-?\d+(\.\d+)?\s*)+")
"""The points of a line, with a comma between the two numbers of each."""
FOR_PEOPLE = {"title", "alt", "aria-label", "placeholder", "content", "href"}


@pytest.mark.parametrize("language", ["fr", "es"])
@pytest.mark.parametrize("group", [*PAGES, "parts"])
def test_no_attribute_has_a_number_with_a_decimal_comma(world, group, language):
    visits = PAGES.get(group, PARTS)
    faults = [f"{visit.title}: {fault}" for visit in visits for fault in faults_of(visit, world, language)]
    assert not faults, "\n".join(faults)


def faults_of(visit: Visit, world: World, language: str) -> Iterator[str]:
    with ready(visit, world, language) as visitor:
        document = JustHTML(visitor.answer().text, sanitize=False)
    for element in document.query("*"):
        for name, value in element.attrs.items():
            is_wrong = not PAIRS.fullmatch(value) if name == "points" else DECIMAL_COMMA.fullmatch(value or "")
            if is_wrong and name not in FOR_PEOPLE:
                yield f"{name}={value!r} of <{element.name}>"


def test_the_check_would_see_one():
    assert DECIMAL_COMMA.fullmatch("1,5")
    assert DECIMAL_COMMA.fullmatch("0 0 12,5 40")
    assert not DECIMAL_COMMA.fullmatch("1.5")
    assert PAIRS.fullmatch("1,2 3.5,4.25")
    assert not PAIRS.fullmatch("1,5,2,5 3,5,4,5")
