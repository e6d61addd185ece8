"""What somebody reads on a page."""

from __future__ import annotations

import re
from html import unescape
from typing import Any


def text_of(response: Any) -> str:
    """The text of a page, in one line and without markup."""
    return _text(response.text)


def main_text_of(response: Any) -> str:
    """The text of a page's main part, without header and footer."""
    return _text(response.text.partition("<main")[2].partition("</main>")[0])


def _text(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())
