"""Tables: the class sits at tables, each with a match of its own, and the projector shows them all.

A device is sent to its table at /play/<code>/. The page there asks the lesson whether the student still sits at this
table, and returns by itself if not (static/js/live-lesson/table.js); there's a link for pages without JavaScript. Picks
are read from the matches' logs when the activity ends.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Any

from django import forms
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from classrooms.live import topic
from classrooms.live.activities.base import FINISH, ActivityType, Order, Screen, player_of
from classrooms.live.errors import LessonRefusal
from classrooms.live.playing import (
    RulesForm,
    do_if_possible,
    open_dealt,
    picks,
    record_pick,
    rules_of,
)
from classrooms.models import Activity, Attendee
from games.matches import service as matches
from games.models import Match, Seat, Way
from games.rules import Card
from games.rules import commands as ask
from games.rules import state as rules
from games.rules.errors import Refused
from games.rules.state import Phase
from lessons.progress.mastery import new_states, statuses
from lessons.progress.snapshots import skill_states_of

SMALLEST, LARGEST = 2, 6
CHANCE, LEVEL, TEAMS = "chance", "level", "teams"
READABLE = 8
"""The most tables that fit on the projector with a line for each player."""


class TablesForm(RulesForm):
    size = forms.TypedChoiceField(
        label=gettext_lazy("Players at a table"),
        coerce=int,
        choices=[(number, str(number)) for number in range(SMALLEST, LARGEST + 1)],
        initial=4,
    )
    how = forms.ChoiceField(
        label=gettext_lazy("Who sits with whom"),
        choices=[
            (CHANCE, gettext_lazy("By chance")),
            (LEVEL, gettext_lazy("Like with like, by what they can do")),
            (TEAMS, gettext_lazy("By hand: each team a table")),
        ],
        initial=CHANCE,
    )


@dataclass(frozen=True, slots=True)
class TablePlayer:
    """A player at a table, as the screens show them."""

    name: str
    points: int
    is_there: bool
    has_control: bool


@dataclass(frozen=True, slots=True)
class Table:
    number: int
    code: str
    players: tuple[TablePlayer, ...]
    table: tuple[Card, ...]
    left: int
    cards: int
    """How many cards the deck has in all."""
    is_over: bool

    @property
    def columns(self) -> int:
        return max(3, len(self.table) // 3)

    @property
    def done(self) -> int:
        return self.cards - self.left


class Tables(ActivityType):
    slug = "tables"
    title = gettext_lazy("Tables")
    about = gettext_lazy("Everybody plays at a table of two to six. The projector shows all tables at a glance.")
    form = TablesForm
    has_rounds = False
    answers_reach_devices = True

    # What happens

    def begin(self, activity: Activity) -> dict[str, Any]:
        people = list(_players(activity))
        if not people:
            raise LessonRefusal(_("Nobody is here yet."))
        groups = seat_together(people, how=activity.options["how"], size=int(activity.options["size"]))
        return {"tables": [_new_table(activity, group) for group in groups]}

    def act(self, activity: Activity, attendee: Attendee, form: QueryDict, now: float) -> None:
        """Start a new match at a table that's done. Everything else happens on the table's own page."""
        table = _table_of(activity, attendee)
        if "again" not in form or table is None:
            raise LessonRefusal(_("Go to your table to play."))
        if Match.objects.get(code=table["codes"][-1]).phase != Phase.OVER:
            raise LessonRefusal(_("Your table plays already."))
        people = [each for each in _players(activity) if each.number in table["people"]]
        table["codes"] += _new_table(activity, people)["codes"]

    def orders(self, activity: Activity) -> list[Order]:
        return [FINISH]

    def finish(self, activity: Activity) -> None:
        for code in _match_codes(activity):
            do_if_possible(code, ask.Stop())
        collect(activity)

    def pause(self, activity: Activity) -> None:
        for code in _match_codes(activity):
            do_if_possible(code, ask.Pause())

    def resume(self, activity: Activity) -> None:
        for code in _match_codes(activity):
            do_if_possible(code, ask.Resume())

    def attendee_changed(self, activity: Activity, attendee: Attendee) -> None:
        table = _table_of(activity, attendee)
        if attendee.removed_at or attendee.is_on_paper:
            self._leave(table, attendee)
        elif table is None:
            self._sit_down(activity, attendee)
            activity.save(update_fields=["state"])
        else:
            self._come_back(table["codes"][-1], attendee)
            self._rename(table["codes"][-1], attendee)
            self._give_time(table["codes"][-1], attendee)

    def _come_back(self, code: str, attendee: Attendee) -> None:
        """Seat somebody again whom the teacher let back in; no change for somebody who's already seated."""
        try:
            matches.join(code, player_of(attendee), now=time.time())
        except Refused:
            # The match is over or its seats are taken. They wait for the next match or activity.
            return

    def _rename(self, code: str, attendee: Attendee) -> None:
        try:
            matches.rename(code, player_of(attendee), now=time.time())
        except Refused:
            # The match is over, and its screens stay as they are.
            return

    def _leave(self, table: dict[str, Any] | None, attendee: Attendee) -> None:
        seat = _seat_number(table["codes"][-1], attendee) if table else None
        if table and seat is not None:
            do_if_possible(table["codes"][-1], ask.Leave(seat))

    def _sit_down(self, activity: Activity, attendee: Attendee) -> None:
        """Seat a latecomer at the table with the fewest players, or at a new one."""
        found = {match.code: match for match in Match.objects.filter(code__in=_match_codes(activity))}
        tables = activity.state["tables"]
        playing = [each for each in tables if found[each["codes"][-1]].phase != Phase.OVER]
        seated = {each["codes"][-1]: len(found[each["codes"][-1]].state.seated) for each in playing}
        for table in sorted(playing, key=lambda each: seated[each["codes"][-1]]):
            code = table["codes"][-1]
            if seated[code] < LARGEST:
                try:
                    matches.join(code, player_of(attendee), now=time.time())
                except Refused:
                    continue
                table["people"].append(attendee.number)
                self._give_time(code, attendee)
                return
        tables.append(_new_table(activity, [attendee]))

    def _give_time(self, code: str, attendee: Attendee) -> None:
        seat = _seat_number(code, attendee)
        if seat is not None:
            do_if_possible(code, ask.GiveTime(seat, attendee.time_factor))

    def came_or_went(self, activity: Activity, attendee: Attendee) -> None:
        """Disconnect from the match somebody whose device leaves the lesson before it gets to the table.

        Once it's there, the table's own stream reports when it comes and goes.
        """
        table = _table_of(activity, attendee)
        seat = _seat_number(table["codes"][-1], attendee) if table else None
        if table and seat is not None and not attendee.is_connected:
            do_if_possible(table["codes"][-1], ask.Disconnect(seat))

    # What is shown

    def device(self, activity: Activity, attendee: Attendee) -> Screen:
        table = _table_of(activity, attendee)
        if table is None:
            return Screen("session/tables/device.html")
        code = table["codes"][-1]
        match = Match.objects.get(code=code)
        seat = _seat_number(code, attendee)
        context = {
            "code": code,
            "number": activity.state["tables"].index(table) + 1,
            "is_over": match.phase == Phase.OVER,
            "points": match.state.seats[seat].points if seat is not None else 0,
            "link": reverse("play:table", args=[code]),
            "stream": f"/session/{activity.session.code}/stream/?token="
            + topic.sign(
                topic.LessonWatch(
                    activity.session.code, attendee.number, user=attendee.user_id, language=get_language() or ""
                )
            ),
        }
        return Screen("session/tables/device.html", context)

    def projector(self, activity: Activity) -> Screen:
        tables = _shown_tables(activity)
        context = {"tables": tables, "is_crowded": len(tables) > READABLE, "columns": _columns(len(tables))}
        return Screen("session/tables/projector.html", context)

    def remote(self, activity: Activity) -> Screen:
        return Screen("session/tables/remote.html", self.projector(activity).context)


# Who sits where


def seat_together(people: Sequence[Attendee], *, how: str, size: int) -> list[list[Attendee]]:
    """Split the class into groups of about this size, if possible none of one person, and none larger than a table."""
    chance = random.SystemRandom()
    if how == TEAMS:
        if all(each.team is None for each in people):
            raise LessonRefusal(_("Deal everybody into teams first."))
        numbers = sorted({each.team or 0 for each in people})
        teams = [[each for each in people if (each.team or 0) == number] for number in numbers]
        return [group for team in teams for group in _split(team, LARGEST)]
    ordered = list(people)
    chance.shuffle(ordered)
    if how == LEVEL:
        levels = _levels(people)
        ordered.sort(key=lambda each: levels[each.number])
    groups = _split(ordered, size)
    # Shuffle, so that a table's number doesn't give away the level of those who sit there.
    chance.shuffle(groups)
    return groups


def _split(people: Sequence[Attendee], size: int) -> list[list[Attendee]]:
    number = -(-len(people) // size)
    while number > 1 and len(people) // number < SMALLEST:
        number -= 1
    ends = [len(people) * place // number for place in range(number + 1)]
    return [list(people[start:end]) for start, end in pairwise(ends)]


def _levels(people: Sequence[Attendee]) -> dict[int, float]:
    """Each attendee's average probability of having the game's skills, as for a beginner where the user is a guest."""
    now = time.time()
    states = skill_states_of([each.user for each in people if each.user])
    return {
        each.number: fmean(
            status.probability for status in statuses(states.get(each.user_id or 0) or new_states(), now)
        )
        for each in people
    }


def _players(activity: Activity) -> Any:
    """Attendees who have a device to play with."""
    return activity.session.attendees.filter(removed_at=None, is_on_paper=False).select_related("user")


def _new_table(activity: Activity, people: Sequence[Attendee]) -> dict[str, Any]:
    match = open_dealt(activity, Way.TABLE, [player_of(each) for each in people], rules_of(activity))
    for seat, each in enumerate(people):
        if each.time_factor != 1:
            do_if_possible(match.code, ask.GiveTime(seat, each.time_factor))
        if not each.is_connected:
            do_if_possible(match.code, ask.Disconnect(seat))
    return {"codes": [match.code], "people": [each.number for each in people]}


def _seat_number(code: str, attendee: Attendee) -> int | None:
    return Seat.objects.filter(match__code=code, **player_of(attendee).key).values_list("number", flat=True).first()


def _table_of(activity: Activity, attendee: Attendee) -> dict[str, Any] | None:
    tables: list[dict[str, Any]] = activity.state["tables"]
    return next((each for each in tables if attendee.number in each["people"]), None)


def _match_codes(activity: Activity) -> list[str]:
    """Codes of the present match at each table."""
    return [table["codes"][-1] for table in activity.state["tables"]]


# Recording and showing the matches


def collect(activity: Activity) -> None:
    """Save every pick of every match as an answer of whoever picked, unless it's saved already."""
    codes = [code for table in activity.state["tables"] for code in table["codes"]]
    known = set(activity.answers.values_list("key", flat=True))
    attendees = list(activity.session.attendees.select_related("user"))
    by_player = {(each.user_id, each.guest): each for each in attendees}
    for match in Match.objects.filter(code__in=codes).prefetch_related("seats", "events"):
        sitting = {seat.number: by_player.get((seat.user_id, seat.guest)) for seat in match.seats.all()}
        easy = match.state.options.left_out is not None
        for pick in picks(match):
            attendee, key = sitting.get(pick.seat), f"{match.code}-{pick.number}"
            if attendee and key not in known:
                attendee.session = activity.session
                record_pick(activity, attendee, pick, easy=easy, key=key)


def _shown_tables(activity: Activity) -> list[Table]:
    codes = _match_codes(activity)
    found = {match.code: match for match in Match.objects.filter(code__in=codes).prefetch_related("seats")}
    names = {(each.user_id, each.guest): each.name for each in activity.session.attendees.all()}
    return [_table(number, found[code], names) for number, code in enumerate(codes, 1)]


def _table(number: int, match: Match, names: dict[tuple[int | None, str], str]) -> Table:
    state = match.state
    seated = [seat for seat in match.seats.all() if state.seats[seat.number].is_seated]
    players = tuple(_player(state, seat.number, names.get((seat.user_id, seat.guest), seat.name)) for seat in seated)
    return Table(
        number=number,
        code=match.code,
        players=players,
        table=state.table,
        left=len(state.deck),
        cards=len(state.options.deck),
        is_over=state.phase is Phase.OVER,
    )


def _player(state: rules.MatchState, seat: int, name: str) -> TablePlayer:
    has_control = state.control is not None and state.control.seat == seat
    return TablePlayer(name, state.seats[seat].points, state.seats[seat].is_connected, has_control)


def _columns(tables: int) -> int:
    """How many tables the projector shows side by side."""
    widest = {1: 1, 2: 2, 3: 3, 4: 2, 5: 3, 6: 3, 7: 4, 8: 4}
    return widest.get(tables, 5 if tables <= 15 else 6)  # noqa: PLR2004


KIND = Tables()
