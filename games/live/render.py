"""The table as everybody sees it, rendered once for each match, version and language and then handed out as it is.

What is the viewer's own (their seat, their buttons, the cards they have marked) is not in it: the page around it
holds that, so that one rendering serves players and watchers alike.
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
    """The same as an event of a stream."""
    due: float | None
    """When the match next changes by itself."""
    connected: frozenset[int]
    shut_out: frozenset[int] = frozenset()
    """Seats of a class's table whose owners were taken out: they may not watch either."""

    @property
    def is_whole(self) -> bool:
        return True

    @property
    def version(self) -> tuple[int]:
        return (self.number,)

    def message(self, watch: TableWatch) -> bytes | None:
        """What a screen is sent; nothing where its seat was taken out."""
        return None if watch.seat in self.shut_out else self.event


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
        "caller": _line(shown["caller"]),
        "say": _line(shown["say"]),
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
        "name": _line(seat.name),
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
    return _tight(f"{_TEMPLATE}#felt", parts)


@lru_cache(_KEPT_PARTS)
def _part(name: str, value: Shown, language: str) -> str:
    """A part of the table in the language that is spoken now; from one version to the next most stay as they are."""
    return _tight(f"{_TEMPLATE}#{name}", {name: value})


def _filled(name: str, values: dict[str, str], language: str) -> str:
    """A template with these values, which are HTML, and of which it only asks whether they are empty.

    What never stays the same would otherwise be most of the work: so the template is rendered once with gaps.
    """
    pieces = list(_outline(name, tuple(key for key, value in values.items() if value), language))
    pieces[1::2] = [values[key] for key in pieces[1::2]]
    return "".join(pieces)


@lru_cache(_KEPT_OUTLINES)
def _outline(name: str, given: tuple[str, ...], language: str) -> tuple[str, ...]:
    """The text between the gaps, and at every second place the name of what comes there."""
    return tuple(_tight(name, {key: SafeString(f"{_GAP}{key}{_GAP}") for key in given}).split(_GAP))


def _line(text: str) -> str:
    """What people call themselves, as HTML in one line."""
    return escape(" ".join(text.split()))


def _tight(name: str, values: dict[str, Any]) -> str:
    """A template without the white space that only its reader needs; numbers are written alike everywhere."""
    html = Engine.get_default().get_template(name).render(Context(values, use_l10n=False))
    return b" ".join(html.encode().split()).replace(b"> <", b"><").decode()
