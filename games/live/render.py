"""The table as everybody sees it, rendered once for each match, version and language and then handed out as it is.

What is the viewer's own (their seat, their buttons, the cards they have marked) is not in it: the page around it
holds that, so that one rendering serves players and watchers alike.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from dataclasses import dataclass

from django.template.loader import render_to_string
from django.utils import translation

from games.models import Match
from games.tables import table_context

_KEPT = 256
_lock = threading.Lock()
_kept: OrderedDict[tuple[str, int, str], Rendered] = OrderedDict()
_BETWEEN_TAGS = re.compile(r">\s+<")
_WHITE_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Rendered:
    """One table, ready for a page and for a stream."""

    version: int
    html: str
    message: bytes
    """The same as an event of a stream."""
    due: float | None
    """When the match next changes by itself."""
    connected: frozenset[int]


def render(match: Match, language: str) -> Rendered:
    """The table of this match at its version; only the first to ask pays for it."""
    key = match.code, match.version, language
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
        with translation.override(language):
            state = match.state
            page = render_to_string("games/_table.html", table_context(match, state))
        html = _WHITE_SPACE.sub(" ", _BETWEEN_TAGS.sub("><", page)).strip()
        connected = frozenset(seat.number for seat in state.seats if seat.is_connected)
        rendered = Rendered(match.version, html, event("table", html), match.due, connected)
        _kept[key] = rendered
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)
        return rendered


def render_code(code: str, language: str) -> Rendered:
    return render(Match.objects.get(code=code), language)


def event(name: str, data: str) -> bytes:
    """An event of a stream; the data is one line."""
    return f"event: {name}\ndata: {data}\n\n".encode()
