"""The table as everybody sees it, rendered once for each match, version and language and then handed out as it is.

What is the viewer's own (their seat, their buttons, the cards they have marked) is not in it: the page around it
holds that, so that one rendering serves players and watchers alike.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.template import Context, Engine
from django.utils import translation
from django.utils.safestring import SafeString

from games import rows
from games.models import Match
from games.rules import state as rules
from games.tables import Felt, PickView, Place, SeatView, table_context

Shown = SeatView | Place | PickView | int
_TEMPLATE = "games/_table.html"
_FELT = "<!--felt-->"
"""Where the cards come in, which are most of a table and seldom have to be looked through again."""
_KEPT = 256
_KEPT_PARTS = 4096
_KEPT_FELTS = 1024
_lock = threading.Lock()
_kept: OrderedDict[tuple[str, int, str], Rendered] = OrderedDict()


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
            html = _draw(match, state, language)
        connected = frozenset(seat.number for seat in state.seats if seat.is_connected)
        rendered = Rendered(match.version, html, event("table", html), match.due, connected)
        _kept[key] = rendered
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)
        return rendered


def _draw(match: Match, state: rules.Match, language: str) -> str:
    shown = table_context(match, state)
    drawn = {
        "drawn_seats": _drawn("seat", shown["seats"], language),
        "drawn_felt": SafeString(_FELT),
        "drawn_left": _drawn("left", [len(state.deck)], language),
        "drawn_pick": _drawn("pick", filter(None, [shown["pick"]]), language),
    }
    return _fill(_TEMPLATE, shown | drawn).replace(_FELT, _felt(shown["felt"], language), 1)


@lru_cache(_KEPT_FELTS)
def _felt(felt: Felt, language: str) -> str:
    parts = {
        "felt": felt,
        "drawn_count": _drawn("cards", [len(felt.places)], language),
        "drawn_places": _drawn("place", felt.places, language),
    }
    return _fill(f"{_TEMPLATE}#felt", parts)


def _drawn(part: str, values: Iterable[Shown], language: str) -> SafeString:
    return SafeString("".join(_part(part, value, language) for value in values))


@lru_cache(_KEPT_PARTS)
def _part(name: str, value: Shown, language: str) -> str:
    """A part of the table in the language that is spoken now; from one version to the next most stay as they are."""
    return _fill(f"{_TEMPLATE}#{name}", {name: value})


def _fill(name: str, values: dict[str, Any]) -> str:
    """A template without the white space that only its reader needs; numbers are written alike everywhere."""
    html = Engine.get_default().get_template(name).render(Context(values, use_l10n=False))
    return b" ".join(html.encode().split()).replace(b"> <", b"><").decode()


def render_code(code: str, language: str) -> Rendered:
    return render(rows.match_of(code), language)


def event(name: str, data: str) -> bytes:
    """An event of a stream; the data is one line."""
    return f"event: {name}\ndata: {data}\n\n".encode()
