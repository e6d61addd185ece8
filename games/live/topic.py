"""The live topic of a match: the screens that show its table.

The thread that changes a match draws its table itself, which is faster than handing it to another thread.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from core.live.hub import Hub
from core.live.topics import Drawn, Group, Missed, Picture, Seat, TopicGone, TopicType, Version, Watched
from core.signed_in import signed_out
from games import access
from games.live import tokens
from games.live.render import render
from games.live.tokens import TableWatch
from games.matches import service as matches
from games.matches import store as match_store
from games.models import Match, Way
from games.rules import commands as ask
from games.rules.errors import Refused


class TableTopic(TopicType[TableWatch]):
    name = "match"
    path = re.compile(r"^/play/(?P<code>[A-Z0-9]+)/stream/$")
    over = (Refused, Match.DoesNotExist)

    def __init__(self) -> None:
        self._listeners: dict[Hub[TableWatch], Callable[[matches.Written], None]] = {}

    def start(self, hub: Hub[TableWatch]) -> None:
        self._listeners[hub] = lambda written: tell(hub, written)
        matches.on_change(self._listeners[hub])
        access.on_rights_changed(hub.check_rights)

    def stop(self, hub: Hub[TableWatch]) -> None:
        matches.off_change(self._listeners.pop(hub))
        access.off_rights_changed(hub.check_rights)

    def read(self, token: str) -> TableWatch | None:
        try:
            return tokens.read(token)
        except tokens.BadToken:
            return None

    def group_of(self, watch: TableWatch) -> str:
        return watch.language

    def seat_of(self, watch: TableWatch) -> int | None:
        return watch.seat

    def behind(self, shown: Mapping[Group, Version], version: int) -> Iterable[Group]:
        return (group for group, each in shown.items() if each < (version,))

    # Called in the hub's thread, which may use the database

    def draw(
        self,
        code: str,
        watches: Collection[TableWatch],
        newcomers: Collection[TableWatch],
        shown: Mapping[Group, Picture],
    ) -> Drawn[TableWatch]:
        try:
            match = match_store.match_of(code)
        except Match.DoesNotExist as error:
            raise TopicGone(code) from error
        pictures = [(language, render(match, language)) for language in {each.language for each in watches}]
        # A token can outlive the right to watch.
        ended = {each for each in newcomers if each.seat is None and not access.may_watch(match, each.user)}
        return Drawn(pictures, ended | signed_out(newcomers))

    def without_right(self, watches: Collection[TableWatch]) -> set[TableWatch]:
        """The screens of users who are signed out, or who watch without a seat and no longer may."""
        alone = {watch for watch in watches if watch.seat is None}
        found = Match.objects.filter(code__in={watch.code for watch in alone}).exclude(way=Way.TOGETHER)
        private = {match.code: match for match in found.only("code", "way", "place")}
        closed = {
            each for each in alone if each.code in private and not access.may_watch(private[each.code], each.user)
        }
        # A guest can't be signed out, so a guest with a seat keeps watching.
        closed |= signed_out(watches)
        return closed

    def find_missed(self, watched: Watched[TableWatch]) -> Missed[TableWatch]:
        codes = {watch.code for watch in watched.watches}
        versions = dict(Match.objects.filter(code__in=codes).values_list("code", "version"))
        ended = self.without_right({watch for watch in watched.watches if watch.seat is None})
        return Missed([(code, (version,)) for code, version in versions.items()], ended, codes - versions.keys())

    def came(self, code: str, seats: Collection[int]) -> None:
        for number in seats:
            matches.command(code, ask.Connect(number), now=time.time())

    def left(self, seat: Seat) -> None:
        code, number = seat
        matches.command(code, ask.Disconnect(number), now=time.time())

    def catch_up(self, code: str) -> None:
        matches.catch_up(code, now=time.time())

    def tick(self) -> None:
        """Catch up matches that nobody watches here: a page without JavaScript has no stream."""
        matches.catch_up_all(now=time.time())


def tell(hub: Hub[Any], written: matches.Written) -> None:
    """Draw a changed match for its screens, in the thread that changed it."""
    code = written.match.code
    languages = hub.groups(code)
    if not languages:
        return
    try:
        drawn = {language: render(written.match, str(language)) for language in languages}
    except Exception:
        # Let the hub's thread draw it; it retries until it succeeds.
        hub.refresh(code)
    else:
        hub.show(code, drawn)


hub = Hub(TableTopic())
