"""The screens of a lesson as HTML fragments ("parts"), shared by pages, form responses and streams.

A part is rendered without a request, in the active language. A device's part is rendered once for all seats that show
the same; only the seat's name, team and notice are filled in.
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
from classrooms.live.activities.base import counted
from classrooms.live.leading import FACTORS, TARGETS
from classrooms.live.screens import (
    PlainScreen,
    RemotePerson,
    device_screen,
    plain_screen,
    projector_screen,
    remote_screen,
)
from classrooms.live.store import lesson_now, present_seats, waiting_guests
from classrooms.live.wall import wall_key
from classrooms.models import Activity, Attendee, Session
from core.links import absolute_url
from core.live.events import event
from core.live.topics import Version

PART, NEWS = "part", "news"
_CSRF_PLACEHOLDER = get_random_string(24, ascii_letters)
"""Placeholder for the browser's CSRF token. It's random for each process, so nobody can put it on a screen."""
_PAPER_PLACEHOLDER = get_random_string(24, ascii_letters)
"""Placeholder for the form in which the teacher taps in a student's answer."""
_SEAT_PLACEHOLDER = 99_999
"""Placeholder for a seat's number, which never gets this high."""
_CSRF_FIELD = f'<input type="hidden" name="csrfmiddlewaretoken" value="{_CSRF_PLACEHOLDER}">'
CHANGED = event("changed", "")
"""Tells a page to fetch its content itself."""
_MAX_PARTS, _MAX_ROWS = 512, 2048
_part_cache: OrderedDict[Hashable, str] = OrderedDict()
_lock = threading.Lock()


def drawn(template: str, context: Mapping[str, Any]) -> str:
    """Render a template without a request, on one line, with a placeholder for the CSRF token."""
    html = Engine.get_default().get_template(template).render(Context({**context, "csrf_token": _CSRF_PLACEHOLDER}))
    return b" ".join(html.encode().split()).decode()


def for_browser(part: str, token: str) -> SafeString:
    """A part for a full page, where forms carry the CSRF token so that they work without JavaScript."""
    return mark_safe(part.replace(_CSRF_PLACEHOLDER, token))  # noqa: S308 (templates have made it)


def for_script(part: str) -> SafeString:
    """A part for an open page, where JavaScript sends the CSRF token in a header."""
    return mark_safe(part.replace(_CSRF_FIELD, ""))  # noqa: S308


# Devices


@dataclass(frozen=True, slots=True)
class DeviceParts:
    """What the devices of a lesson show at one version of the session."""

    session: Session
    activity: Activity | None

    def parts(self, attendees: Collection[Attendee]) -> dict[int, str]:
        """Each seat's part, by seat number."""
        own = self._screen_keys(attendees)
        bodies = {each: self._body(each) for each in set(own.values())}
        return {each.number: self._part(each, bodies[own[each.pk]]) for each in attendees}

    def part(self, attendee: Attendee, *, notice: str = "") -> str:
        own = self._screen_keys([attendee])[attendee.pk]
        return self._part(attendee, self._body(own), notice)

    def _screen_keys(self, attendees: Collection[Attendee]) -> dict[int, Hashable]:
        """The key of each attendee's screen, by the attendee's primary key. Equal keys mean equal screens."""
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
            if key in _part_cache:
                _part_cache.move_to_end(key)
                return _part_cache[key]
        body = self._draw(own)
        with _lock:
            _part_cache[key] = body
            while len(_part_cache) > _MAX_PARTS:
                _part_cache.popitem(last=False)
        return body

    def _draw(self, own: Hashable) -> str:
        screen = device_screen(self.session, self.activity, own)
        return drawn(screen.template, screen.context)

    def _part(self, attendee: Attendee, body: str, notice: str = "") -> str:
        team = " · " + escape(_("team %(team)s") % {"team": attendee.team}) if attendee.team else ""
        alert = f'<p class="notice" role="alert">{escape(notice)}</p>' if notice else ""
        who = f'<p class="attendee-who"><strong>{escape(attendee.name)}</strong>{team}</p>'
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
    """A row for each person. They're cached, since most rows don't change from one picture to the next."""
    paper = ""
    if context.get("paper"):
        paper = drawn("session/_paper_answer.html", {**context, "number": _SEAT_PLACEHOLDER})
    language = translation.get_language()
    for person in context["people"]:
        own = "" if person.has_answered else paper.replace(str(_SEAT_PLACEHOLDER), str(person.number))
        yield _row(person, context["teams"], language).replace(_PAPER_PLACEHOLDER, own)


@lru_cache(_MAX_ROWS)
def _row(person: RemotePerson, teams: int, language: str) -> str:
    context = {
        "person": person,
        "teams": range(1, teams + 1),
        "factors": FACTORS,
        "targets": TARGETS,
        "paper": _PAPER_PLACEHOLDER,
    }
    return drawn("session/_person.html", context)


def seen(session: Session) -> str:
    return f"{session.version}.{session.count}"


# For the streams


@dataclass(frozen=True, slots=True)
class SharedPicture:
    """A picture that's the same for all screens of a group."""

    version: Version
    connected: Collection[int]
    event: bytes
    is_whole: bool = True
    frame: Hashable = None
    """What everything but the answer count and the marks of who has answered depends on.

    None where the rest depends on the answers, too.
    """
    due: float | None = None

    def message(self, watch: object) -> bytes:
        return self.event


class Numbered(Protocol):
    @property
    def number(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class SeatPicture:
    """A picture that differs from seat to seat."""

    version: Version
    connected: Collection[int]
    events: Mapping[int, bytes]
    is_whole: bool = True
    due: float | None = None

    def message(self, watch: Numbered) -> bytes | None:
        return self.events.get(watch.number or 0)


class LessonPictures:
    """What the screens of a lesson show now, read once for all of them. Raises `Session.DoesNotExist`."""

    def __init__(self, code: str) -> None:
        self.session, self.activity = lesson_now(code)
        self.people, self._answered = present_seats(self.session, self.activity)
        self.connected = frozenset(each.number for each in self.people if each.is_connected)

    def told(self, *, is_staff: bool) -> SharedPicture:
        """Only the notice that something changed."""
        return SharedPicture(self._version(is_staff=is_staff), self.connected, CHANGED)

    def told_seats(self, numbers: Collection[int]) -> SeatPicture:
        with_device = (each.number for each in self.people if not each.is_on_paper)
        events = {number: CHANGED for number in with_device if number in numbers}
        return SeatPicture(self._version(is_staff=False), self.connected, events)

    def devices(self, numbers: Collection[int]) -> SeatPicture:
        with_device = self.session.attendees.filter(removed_at=None, is_on_paper=False)
        parts = DeviceParts(self.session, self.activity).parts([each for each in with_device if each.number in numbers])
        events = {number: event(PART, for_script(part)) for number, part in parts.items()}
        return SeatPicture(self._version(is_staff=False), self.connected, events)

    def wall(self, last: SharedPicture | None) -> SharedPicture:
        frame = (self.session.version,) if self._is_counting else None
        if self.activity and frame and last and last.frame == frame:
            return self._news_picture(self.activity, {})
        return self._staff_picture(wall_part(self.session), frame)

    def remote(self, last: SharedPicture | None) -> SharedPicture:
        frame = self._remote_frame() if self._is_counting else None
        if self.activity and frame and last and last.frame == frame:
            has_answered = (str(each.number) for each in self.people if each.pk in self._answered)
            return self._news_picture(self.activity, {"answered": " ".join(has_answered)})
        return self._staff_picture(remote_part(self.session), frame)

    @cached_property
    def _is_counting(self) -> bool:
        return self.activity is not None and kind_of(self.activity).is_counting(self.activity)

    def _remote_frame(self) -> Hashable:
        return self.session.version, tuple(self.people), waiting_guests(self.session)

    def _version(self, *, is_staff: bool) -> Version:
        return (self.session.version, self.session.count) if is_staff else (self.session.version,)

    def _staff_picture(self, part: str, frame: Hashable) -> SharedPicture:
        return SharedPicture(self._version(is_staff=True), self.connected, event(PART, for_script(part)), frame=frame)

    def _news_picture(self, activity: Activity, more: Mapping[str, str]) -> SharedPicture:
        count = counted(activity, self.people, self._answered)
        news = drawn("session/_news.html", {"seen": seen(self.session), "count": count, **more})
        return SharedPicture(self._version(is_staff=True), self.connected, event(NEWS, news), is_whole=False)
