"""Numbers in a page for machines, which have a decimal point whatever the page's language."""

from __future__ import annotations

import re
from collections.abc import Iterator

from justhtml import JustHTML

DECIMAL_COMMA = re.compile(r"[-\d.,:;\s]*\d,\d[-\d.,:;\s]*")
PAIRS = re.compile(r"(-?\d+(\.\d+)?,-?\d+(\.\d+)?\s*)+")
"""The points of a line, with a comma between the two numbers of each."""
_FOR_PEOPLE = {"title", "alt", "aria-label", "placeholder", "content", "href"}


def decimal_commas_in(document: JustHTML) -> Iterator[str]:
    """The attributes that hold a number with a decimal comma. French and Spanish write one, so either shows them."""
    for element in document.query("*"):
        for name, value in element.attrs.items():
            is_wrong = not PAIRS.fullmatch(value) if name == "points" else DECIMAL_COMMA.fullmatch(value or "")
            if is_wrong and name not in _FOR_PEOPLE:
                yield f"{name}={value!r} of <{element.name}>"
