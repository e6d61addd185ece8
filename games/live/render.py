"""Render the table that everybody sees, once per match, version, and language.

Whatever is the viewer's own (their seat, buttons, and marked cards) is in the page around it, so one rendering serves
players and watchers alike.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.template import Context, Engine
from django.utils import translation
from django.utils.html import escape
from django.utils.safestring import SafeString

from core.live.events import event
from games.live.tokens import TableWatch
from games.matches.tables import Felt, PickView, Place, SeatView, table_context
from games.models import Match, Way
from games.rules import state as rules

Shown = Place | PickView | int
_TEMPLATE = "games/_table.html"
_KEPT = 256
_KEPT_PARTS = 4096
_KEPT_FELTS = 1024
_KEPT_OUTLINES = 512
_GAP = "\0"
_YES = "1"
_lock = threading.Lock()
_kept: OrderedDict[tuple[str, int, str], Rendered] = OrderedDict()


@dataclass(frozen=True, slots=True)
class Rendered:
    """One table, ready for a page and for a stream."""

    number: int
    """The version of the match."""
    html: str
    event: bytes
    """The same as a server-sent event."""
    due: float | None
    """When the match next changes by itself."""
    connected: frozenset[int]
    shut_out: frozenset[int] = frozenset()
    """Seats of a class's table whose players were removed; they may not watch either."""

    @property
    def is_whole(self) -> bool:
        return True

    @property
    def version(self) -> tuple[int]:
        return (self.number,)

    def message(self, watch: TableWatch) -> bytes | None:
        """The event for a screen; None if its player was removed."""
        return None if watch.seat in self.shut_out else self.event


def render(match: Match, language: str) -> Rendered:
    """The table of a match at its version, cached for everybody after the first caller."""
    key = match.code, match.version, language
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
        with translation.override(language):
            state = match.state
            html = _draw(match, state, language)
        connected = frozenset(seat.number for seat in state.seats if seat.is_connected)
        shut_out = frozenset(seat.number for seat in state.seats if match.way == Way.TABLE and not seat.is_seated)
        rendered = Rendered(match.version, html, event("table", html), match.due, connected, shut_out)
        _kept[key] = rendered
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)
        return rendered


def _draw(match: Match, state: rules.MatchState, language: str) -> str:
    shown = table_context(match, state)
    control, deadline, felt = shown["control"], shown["deadline"], shown["felt"]
    values = {
        "version": str(match.version),
        "phase": state.phase.value,
        "agreed": shown["agreed_seats"],
        "control": str(control.seat) if control else "",
        "since": f"{control.since:.3f}" if control else "",
        "deadline": f"{deadline:.3f}" if deadline else "",
        "countdown": _YES if deadline and not felt.is_paused else "",
        "caller": _one_line(shown["caller"]),
        "say": _one_line(shown["say"]),
        "seats": "".join(_seat(seat, language) for seat in shown["seats"]),
        "left": "" if felt.has_result else _part("left", len(state.deck), language),
        "felt": _felt(felt, language),
        "pick": _part("pick", shown["pick"], language) if shown["pick"] else "",
    }
    return _filled(_TEMPLATE, values, language)


@lru_cache(_KEPT_PARTS)
def _seat(seat: SeatView, language: str) -> str:
    values = {
        "marks": seat.marks,
        "number": str(seat.number),
        "name": _one_line(seat.name),
        "points": str(seat.points),
        "has_agreed": _YES if seat.has_agreed else "",
        "is_away": "" if seat.is_there else _YES,
        "is_winner": _YES if seat.is_winner else "",
    }
    return _filled(f"{_TEMPLATE}#seat", values, language)


@lru_cache(_KEPT_FELTS)
def _felt(felt: Felt, language: str) -> str:
    parts = {
        "felt": felt,
        "drawn_count": SafeString(_part("cards", len(felt.places), language)),
        "drawn_places": SafeString("".join(_part("place", place, language) for place in felt.places)),
    }
    return _render_compact(f"{_TEMPLATE}#felt", parts)


@lru_cache(_KEPT_PARTS)
def _part(name: str, value: Shown, language: str) -> str:
    """Render a part of the table in the active language. Cached, as most parts stay the same between versions."""
    return _render_compact(f"{_TEMPLATE}#{name}", {name: value})


def _filled(name: str, values: dict[str, str], language: str) -> str:
    """Fill a template with values, which are HTML; the template may only test whether they're empty.

    Rendering what changes all the time would be most of the work, so the template is rendered once, with gaps.
    """
    pieces = list(_template_pieces(name, tuple(key for key, value in values.items() if value), language))
    pieces[1::2] = [values[key] for key in pieces[1::2]]
    return "".join(pieces)


@lru_cache(_KEPT_OUTLINES)
def _template_pieces(name: str, given: tuple[str, ...], language: str) -> tuple[str, ...]:
    """The text of a template, with the name of a value at every second place."""
    return tuple(_render_compact(name, {key: SafeString(f"{_GAP}{key}{_GAP}") for key in given}).split(_GAP))


def _one_line(text: str) -> str:
    """Escape text and put it on one line."""
    return escape(" ".join(text.split()))


def _render_compact(name: str, values: dict[str, Any]) -> str:
    """Render a template without needless whitespace, and with numbers that aren't localized."""
    html = Engine.get_default().get_template(name).render(Context(values, use_l10n=False))
    return b" ".join(html.encode().split()).replace(b"> <", b"><").decode()
