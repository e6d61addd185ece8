"""Push changes of a session to its screens."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import partial

from django.core import signing
from django.utils import timezone, translation

from classrooms.live import changes
from classrooms.live.joining import connect, set_connected
from classrooms.live.parts import CHANGED, LessonPictures, SharedPicture
from classrooms.live.playing import match_changed
from classrooms.live.seats import departed, take_out_departed
from classrooms.live.wall import is_on_wall
from classrooms.models import Attendee, Classroom, Session
from core.live.hub import Hub
from core.live.topics import Drawn, Group, Missed, News, Picture, Seat, TopicGone, TopicType, Version, Watched
from core.signed_in import signed_out
from games import access
from games.matches import service as matches

DOOR = 0
"""The number of a screen in the waiting room; real seats are numbered from one."""
_SALT = "classrooms.sessions.live"
_TOKEN_MAX_AGE = 12 * 3600


class LessonScreen(StrEnum):
    DEVICE, DOOR, REMOTE, WALL = "device", "door", "remote", "wall"


@dataclass(frozen=True, slots=True)
class LessonWatch:
    """One screen. `number` is a device's seat, `DOOR` in the waiting room, and None for remote and projector.

    A teacher's or student's screen names the primary key of their account and is theirs as long as they're signed in;
    the wall has a key of its own. Any of them can lose its right to the stream. `session` is the browser session that
    opens the stream; it comes from the cookie and isn't part of the token. A page loaded before an update has a token
    without a language, and fetches its content itself.
    """

    code: str
    number: int | None
    user: int | None = None
    key: str = ""
    language: str = ""
    is_wall: bool = False
    session: str = field(default="", repr=False)

    @property
    def screen(self) -> LessonScreen:
        if self.number is not None:
            return LessonScreen.DEVICE if self.number else LessonScreen.DOOR
        return LessonScreen.WALL if self.is_wall else LessonScreen.REMOTE


def sign(watch: LessonWatch) -> str:
    said = [watch.code, watch.number, watch.user, watch.key, watch.language, watch.is_wall]
    return signing.dumps(said, salt=_SALT)


def read(token: str) -> LessonWatch | None:
    try:
        # A page loaded before an update has a token with fewer fields.
        code, number, *more = signing.loads(token, salt=_SALT, max_age=_TOKEN_MAX_AGE)
    except signing.BadSignature:
        return None
    return LessonWatch(code, number, *more)


class LessonTopic(TopicType[LessonWatch]):
    name = "session"
    path = re.compile(r"^/session/(?P<code>[A-Z0-9]+)/stream/$")
    over = (Session.DoesNotExist, Attendee.DoesNotExist)

    def __init__(self) -> None:
        self._match_changed: dict[Hub[LessonWatch], Callable[[matches.Written], None]] = {}

    def start(self, hub: Hub[LessonWatch]) -> None:
        def match_has_changed(written: matches.Written) -> None:
            if written.match.place:
                hub.do(partial(match_changed, written))

        self._match_changed[hub] = match_has_changed
        changes.on_change(hub.tell)
        changes.on_seat_closed(hub.drop)
        access.on_rights_changed(hub.check_rights)
        matches.on_change(match_has_changed)

    def stop(self, hub: Hub[LessonWatch]) -> None:
        changes.off_change(hub.tell)
        changes.off_seat_closed(hub.drop)
        access.off_rights_changed(hub.check_rights)
        matches.off_change(self._match_changed.pop(hub))

    def read(self, token: str) -> LessonWatch | None:
        return read(token)

    def group_of(self, watch: LessonWatch) -> Group:
        return watch.screen, watch.language

    def seat_of(self, watch: LessonWatch) -> int | None:
        return watch.number or None

    def counted_seat(self, watch: LessonWatch) -> int | None:
        return watch.number

    def behind(self, shown: Mapping[Group, Version], devices: bool, number: int) -> Iterable[Group]:
        place = 0 if devices else 1
        return (group for group, each in shown.items() if len(each) > place and each[place] < number)

    def is_gathered(self, devices: bool, number: int) -> bool:
        return not devices

    def farewell(self, watch: LessonWatch) -> bytes:
        return CHANGED

    # Called in the hub's thread

    def draw(
        self,
        code: str,
        watches: Collection[LessonWatch],
        newcomers: Collection[LessonWatch],
        shown: Mapping[Group, Picture],
    ) -> Drawn[LessonWatch]:
        ended = self.without_right(newcomers)
        try:
            pictures = LessonPictures(code)
        except Session.DoesNotExist:
            raise TopicGone(code) from None
        groups: dict[tuple[LessonScreen, str], set[int]] = {}
        for each in watches:
            groups.setdefault((each.screen, each.language), set()).add(each.number or 0)
        # Sorting by name puts devices first: a whole class waits for them.
        drawn = ((group, _picture(pictures, *group, groups[group], shown.get(group))) for group in sorted(groups))
        return Drawn(drawn, ended)

    def without_right(self, watches: Collection[LessonWatch]) -> set[LessonWatch]:
        """The screens that lost their right to the stream. Whoever left the class is taken out of the lesson, too."""
        ended = without_right({watch for watch in watches if watch.number != DOOR}, now=timezone.now())
        if ended:
            # The process that took them off the roster may have died before it took them out of the lesson.
            take_out_departed(session__code__in={watch.code for watch in ended})
        return ended

    def find_missed(self, watched: Watched[LessonWatch]) -> Missed[LessonWatch]:
        codes = {watch.code for watch in watched.watches}
        news: list[tuple[str, News]] = []
        for code, version, count in Session.objects.filter(code__in=codes).values_list("code", "version", "count"):
            news += [(code, (True, version)), (code, (False, count))]
        away = Attendee.objects.filter(session__code__in=codes).exclude(is_connected=True, removed_at=None)
        removed = set()
        for code, number, removed_at in away.values_list("session__code", "number", "removed_at"):
            if removed_at:
                removed.add((code, number))
            elif (code, number) in watched.seats:
                connect(code, [number])
        ended = self.without_right({watch for watch in watched.watches if watch.number is None})
        return Missed(news, ended | {watch for watch in watched.watches if (watch.code, watch.number) in removed})

    def came(self, code: str, seats: Collection[int]) -> None:
        connect(code, seats)

    def left(self, seat: Seat) -> None:
        set_connected(*seat, False)


def _picture(
    pictures: LessonPictures, screen: LessonScreen, language: str, numbers: Collection[int], last: Picture | None
) -> Picture:
    if not language and screen is LessonScreen.DEVICE:
        return pictures.told_seats(numbers)
    if not language or screen is LessonScreen.DOOR:
        return pictures.told(is_staff=screen is not LessonScreen.DOOR)
    with translation.override(language):
        if screen is LessonScreen.DEVICE:
            return pictures.devices(numbers)
        whole = last if isinstance(last, SharedPicture) else None
        return pictures.wall(whole) if screen is LessonScreen.WALL else pictures.remote(whole)


def without_right(watches: Collection[LessonWatch], *, now: datetime) -> set[LessonWatch]:
    """The screens of people who are signed out, don't teach the class or have left it, and walls with a dead key."""
    if not watches:
        return set()
    devices = {watch for watch in watches if watch.number is not None}
    seats = departed().filter(session__code__in={watch.code for watch in devices})
    left = set(seats.values_list("session__code", "number")) if devices else set()
    gone = {watch for watch in devices if (watch.code, watch.number) in left}
    return gone | signed_out(watches) | _signed_out_since(devices) | _unauthorized_staff({*watches} - devices, now=now)


def _signed_out_since(devices: Collection[LessonWatch]) -> set[LessonWatch]:
    """Screens opened by a guest whose seat now belongs to an account that this browser isn't signed in to."""
    guests = [watch for watch in devices if watch.user is None and watch.number]
    if not guests:
        return set()
    seats = Attendee.objects.filter(session__code__in={watch.code for watch in guests}, user__isnull=False)
    owners = {(code, number): user for code, number, user in seats.values_list("session__code", "number", "user")}
    owned = [(watch, owners.get((watch.code, watch.number or DOOR))) for watch in guests]
    theirs = {replace(watch, user=owner): watch for watch, owner in owned if owner is not None}
    return {theirs[watch] for watch in signed_out(theirs)}


def _unauthorized_staff(watches: Collection[LessonWatch], *, now: datetime) -> set[LessonWatch]:
    if not watches:
        return set()
    found = Session.objects.filter(code__in={watch.code for watch in watches}, classroom__deleted_at=None)
    sessions = {session.code: session for session in found}
    classes = {session.classroom_id for session in sessions.values()}
    teaching = Classroom.teachers.through.objects.filter(classroom__in=classes, user__deleted_at=None)
    taught = set(teaching.values_list("classroom", "user"))

    def has_right(watch: LessonWatch) -> bool:
        session = sessions.get(watch.code)
        if session is None:
            return False
        if watch.key:
            return is_on_wall(session, watch.key, now=now)
        return (session.classroom_id, watch.user) in taught

    return {watch for watch in watches if not has_right(watch)}


hub = Hub(LessonTopic())
