"""The screens of a lesson as HTML: the same part for a page, for the answer to a form, and for the streams.

A part is drawn without a request, in the language that is spoken now. What a device shows is drawn once for all seats
that show the same; a seat's name is filled in.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from string import ascii_letters
from typing import Any, Protocol

from django.template import Context, Engine
from django.utils import translation
from django.utils.crypto import get_random_string
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from classrooms.live.activities import kind_of
from classrooms.live.activities.base import answered_by, counted
from classrooms.live.leading import FACTORS, TARGETS, present_activity
from classrooms.live.screens import (
    PlainScreen,
    RemotePerson,
    device_screen,
    plain_screen,
    projector_screen,
    remote_screen,
)
from classrooms.live.wall import wall_key
from classrooms.models import Activity, Attendee, Session
from core.links import absolute_url
from core.live.events import event
from core.live.topics import Version

PART, NEWS = "part", "news"
_GAP = get_random_string(24, ascii_letters)
"""Stands for a browser's token against forgery. Nobody can put it on a screen, since it's new with each start."""
_PAPER = get_random_string(24, ascii_letters)
"""Stands for the form in which somebody's answer is tapped in."""
_ANY_SEAT = 99_999
"""Stands for the number of a seat, which is never so high."""
_HIDDEN = f'<input type="hidden" name="csrfmiddlewaretoken" value="{_GAP}">'
CHANGED = event("changed", "")
"""Look for yourself."""
_ON_REMOTE = ("number", "name", "team", "is_on_paper", "is_connected", "target", "time_factor")
_KEPT, _KEPT_ROWS = 512, 2048
_kept: OrderedDict[Hashable, str] = OrderedDict()
_lock = threading.Lock()


def drawn(template: str, context: Mapping[str, Any]) -> str:
    """A template in one line, without a request; a form's token against forgery is a gap."""
    html = Engine.get_default().get_template(template).render(Context({**context, "csrf_token": _GAP}))
    return b" ".join(html.encode().split()).decode()


def for_browser(part: str, token: str) -> SafeString:
    """A part on a page, whose forms can be sent without scripts."""
    return mark_safe(part.replace(_GAP, token))  # noqa: S308 (templates have made it)


def for_script(part: str) -> SafeString:
    """A part for a screen that is there already, where scripts send the token in a header."""
    return mark_safe(part.replace(_HIDDEN, ""))  # noqa: S308


# Devices


@dataclass(frozen=True, slots=True)
class DeviceParts:
    """What the devices of a lesson show at a version of the session."""

    session: Session
    activity: Activity | None

    @classmethod
    def of(cls, session: Session) -> DeviceParts:
        return cls(session, present_activity(session))

    def parts(self, attendees: Collection[Attendee]) -> dict[int, str]:
        """By the number of the seat."""
        own = self._own(attendees)
        bodies = {each: self._body(each) for each in set(own.values())}
        return {each.number: self._part(each, bodies[own[each.pk]]) for each in attendees}

    def part(self, attendee: Attendee, *, notice: str = "") -> str:
        own = self._own([attendee])[attendee.pk]
        return self._part(attendee, self._body(own), notice)

    def _own(self, attendees: Collection[Attendee]) -> dict[int, Hashable]:
        """What the screen of each attendee, by their key, follows from; where it's equal, so is the screen."""
        activity = self.activity
        plain = {each.pk: plain_screen(self.session, activity, each) for each in attendees}
        playing = [each for each in attendees if plain[each.pk] is None]
        return {**plain, **(kind_of(activity).own(activity, playing) if activity and playing else {})}

    def _body(self, own: Hashable) -> str:
        session, activity = self.session, self.activity
        if activity and not isinstance(own, PlainScreen) and not kind_of(activity).keeps_parts:
            return self._draw(own)
        key = session.code, session.version, activity and activity.number, translation.get_language(), own
        with _lock:
            if key in _kept:
                _kept.move_to_end(key)
                return _kept[key]
        body = self._draw(own)
        with _lock:
            _kept[key] = body
            while len(_kept) > _KEPT:
                _kept.popitem(last=False)
        return body

    def _draw(self, own: Hashable) -> str:
        screen = device_screen(self.session, self.activity, own)
        return drawn(screen.template, screen.context)

    def _part(self, attendee: Attendee, body: str, notice: str = "") -> str:
        team = " · " + escape(_("team %(team)s") % {"team": attendee.team}) if attendee.team else ""
        alert = f'<p class="notice" role="alert">{escape(notice)}</p>' if notice else ""
        who = f'<p class="who"><strong>{escape(attendee.name)}</strong>{team}</p>'
        return f'<div class="now" data-seen="{self.session.version}">{who}{alert}{body}</div>'


# The projector and the remote


def wall_part(session: Session) -> str:
    screen = projector_screen(session)
    context = {**screen.context, "template": screen.template, "seen": seen(session), "title": _("Setsite")}
    return drawn("session/_projector.html", context)


def remote_part(session: Session, *, notice: str = "") -> str:
    screen, key = remote_screen(session), wall_key(session)
    context = {
        **screen.context,
        "person_rows": mark_safe("".join(_rows(screen.context))),  # noqa: S308 (templates have made it)
        "notice": notice,
        "template": screen.template,
        "seen": seen(session),
        "wall_key": key,
        "wall": absolute_url("wall:screen", session.code, key),
    }
    return drawn("session/_remote.html", context)


def _rows(context: Mapping[str, Any]) -> Iterator[str]:
    """A row for each person. Of a lesson's many rows most stay as they are from one picture to the next."""
    paper = ""
    if context.get("paper"):
        paper = drawn("session/_paper_answer.html", {**context, "number": _ANY_SEAT})
    language = translation.get_language()
    for person in context["people"]:
        own = "" if person.has_answered else paper.replace(str(_ANY_SEAT), str(person.number))
        yield _row(person, context["teams"], language).replace(_PAPER, own)


@lru_cache(_KEPT_ROWS)
def _row(person: RemotePerson, teams: int, language: str) -> str:
    context = {"person": person, "teams": range(1, teams + 1), "factors": FACTORS, "targets": TARGETS, "paper": _PAPER}
    return drawn("session/_person.html", context)


def seen(session: Session) -> str:
    return f"{session.version}.{session.count}"


# For the streams


@dataclass(frozen=True, slots=True)
class SharedPicture:
    """All screens of a group are sent the same."""

    version: Version
    connected: Collection[int]
    event: bytes
    is_whole: bool = True
    frame: Hashable = None
    """What all but the count and the marks of who has answered follows from; None where it follows from those, too."""
    due: float | None = None

    def message(self, watch: object) -> bytes:
        return self.event


class Numbered(Protocol):
    @property
    def number(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class SeatPicture:
    """Each seat is sent its own."""

    version: Version
    connected: Collection[int]
    events: Mapping[int, bytes]
    is_whole: bool = True
    due: float | None = None

    def message(self, watch: Numbered) -> bytes | None:
        return self.events.get(watch.number or 0)


class LessonPictures:
    """What the screens of a lesson show now. Everybody who is there is read once."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.activity = present_activity(session)
        self._present = session.attendees.filter(removed_at=None)
        # As rows: with every answer that comes, this is most of the work.
        self.people = list(self._present.values_list("pk", "joined_at", *_ON_REMOTE, named=True))
        self.connected = frozenset(each.number for each in self.people if each.is_connected)

    def told(self, *, is_staff: bool) -> SharedPicture:
        """The word that there's something new."""
        return SharedPicture(self._version(is_staff=is_staff), self.connected, CHANGED)

    def told_seats(self, numbers: Collection[int]) -> SeatPicture:
        with_device = (each.number for each in self.people if not each.is_on_paper)
        events = {number: CHANGED for number in with_device if number in numbers}
        return SeatPicture(self._version(is_staff=False), self.connected, events)

    def devices(self, numbers: Collection[int]) -> SeatPicture:
        with_device = self._present.filter(is_on_paper=False)
        parts = DeviceParts(self.session, self.activity).parts([each for each in with_device if each.number in numbers])
        events = {number: event(PART, for_script(part)) for number, part in parts.items()}
        return SeatPicture(self._version(is_staff=False), self.connected, events)

    def wall(self, last: SharedPicture | None) -> SharedPicture:
        frame = (self.session.version,) if self._is_counting else None
        if self.activity and frame and last and last.frame == frame:
            return self._news(self.activity, {})
        return self._staff(wall_part(self.session), frame)

    def remote(self, last: SharedPicture | None) -> SharedPicture:
        frame = self._remote_frame() if self._is_counting else None
        if self.activity and frame and last and last.frame == frame:
            has_answered = (str(each.number) for each in self.people if each.pk in self._answered)
            return self._news(self.activity, {"answered": " ".join(has_answered)})
        return self._staff(remote_part(self.session), frame)

    @cached_property
    def _is_counting(self) -> bool:
        return self.activity is not None and kind_of(self.activity).is_counting(self.activity)

    @cached_property
    def _answered(self) -> set[int]:
        return answered_by(self.activity) if self.activity else set()

    def _remote_frame(self) -> Hashable:
        return self.session.version, tuple(self.people), tuple(self.session.waiting.values_list("pk", flat=True))

    def _version(self, *, is_staff: bool) -> Version:
        return (self.session.version, self.session.count) if is_staff else (self.session.version,)

    def _staff(self, part: str, frame: Hashable) -> SharedPicture:
        return SharedPicture(self._version(is_staff=True), self.connected, event(PART, for_script(part)), frame=frame)

    def _news(self, activity: Activity, more: Mapping[str, str]) -> SharedPicture:
        count = counted(activity, self.people, self._answered)
        news = drawn("session/_news.html", {"seen": seen(self.session), "count": count, **more})
        return SharedPicture(self._version(is_staff=True), self.connected, event(NEWS, news), is_whole=False)
