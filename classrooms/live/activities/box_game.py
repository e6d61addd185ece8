"""The box game: one table on the projector for the whole class, and every device is a buzzer.

It's a real match under the normal rules. Each of its seats is an attendee, or a team for which any member may call.
Whoever takes a SET says why on their device while the others play on, and can't call again before that.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from classrooms.live.activities.base import FINISH, ActivityType, Order, Screen, player_of
from classrooms.live.answering import record_answer
from classrooms.live.errors import LessonRefusal
from classrooms.live.playing import (
    LoggedPick,
    RulesForm,
    do,
    do_if_possible,
    open_dealt,
    record_pick,
    rules_of,
    up_to_date,
)
from classrooms.models import Activity, Attendee
from core.numbers import whole_number
from games.boards import cards_named
from games.matches import service as matches
from games.matches.tables import happening, table_context
from games.models import Match, Way
from games.players import Player
from games.rules import Card, Feature, explain
from games.rules import commands as ask
from games.rules import events as did
from games.rules import state as rules
from games.rules.errors import BadCard, Refused
from games.rules.records import event_from
from games.rules.state import Phase
from games.rules.triples import FeaturePattern, Verdict
from lessons.questions import cards_of, exercise_of
from lessons.skills import ExerciseKind, Wanted

MORE = Order("more", gettext_lazy("Deal three more"))
AGAIN = Order("again", gettext_lazy("Another game"))
MAKES = (FeaturePattern.ALL_SAME, FeaturePattern.ALL_DIFFERENT)
VERDICT_SECONDS = 8.0
MOST_SCORES = 8


class BoxForm(RulesForm):
    teams = forms.BooleanField(label=gettext_lazy("In teams, as they are now"), required=False)


@dataclass(frozen=True, slots=True)
class Countdown:
    """A call's total time and the time left, in seconds."""

    lasts: float
    left: float


@dataclass(frozen=True, slots=True)
class Shown:
    """The last pick, for the room to check."""

    name: str
    verdict: Verdict
    left: float
    """Seconds for which it's still shown."""


@dataclass(frozen=True, slots=True)
class OwnBuzzer:
    """What a device shows in the box game."""

    match: Match
    is_mine: bool
    """Whether they called and may pick now."""
    has_agreed: bool
    points: int | None
    told: Attendee | None
    """The attendee, if they see the outcome of their pick or are asked why it was a SET."""


class BoxGame(ActivityType):
    slug = "box"
    title = gettext_lazy("Box game")
    about = gettext_lazy("One table on the projector for all. A device is a buzzer: call SET!, pick, and say why.")
    form = BoxForm
    has_rounds = False

    # What happens

    def begin(self, activity: Activity) -> dict[str, Any]:
        people = _players(activity)
        if not people:
            raise LessonRefusal(_("Nobody is here yet."))
        if activity.options.get("teams"):
            if all(each.team is None for each in people):
                raise LessonRefusal(_("Deal everybody into teams first."))
            for each in people:
                _give_team(activity, each)
        keys = list(dict.fromkeys(_key(activity, each) for each in people))
        first = {_key(activity, each): each for each in reversed(people)}
        players = [_player(activity, key, first[key]) for key in keys]
        match = open_dealt(activity, Way.CLASS, players, rules_of(activity, whole_class=True))
        state = {"match": match.code, "seats": {key: seat for seat, key in enumerate(keys)}, "why": {}, "told": {}}
        for seat, key in enumerate(keys):
            if not any(each.is_connected for each in _members(activity, people, key)):
                do_if_possible(match.code, ask.Disconnect(seat))
        return state

    def act(self, activity: Activity, attendee: Attendee, form: QueryDict, now: float) -> None:
        seat = _seat(activity, attendee)
        # Picking the third card submits the form without a button.
        deed = form.get("do") or ("pick" if "cards" in form else "")
        if deed == "why":
            self._say_why(activity, attendee, form, now)
            return
        if str(attendee.pk) in activity.state["why"]:
            raise LessonRefusal(_("Say first why it was a SET."))
        if deed == "pick":
            self._pick(activity, attendee, seat, form)
            return
        activity.state["told"].pop(str(attendee.pk), None)
        code = activity.state["match"]
        if deed == "call":
            do(code, ask.GiveTime(seat, attendee.time_factor))
            if do(code, ask.Call(seat)).events:
                activity.state["caller"] = attendee.pk
        elif deed == "back":
            self._check_caller(activity, attendee)
            do(code, ask.Withdraw(seat))
        elif deed == "none":
            do(code, ask.AgreeNoSet(seat))
        elif deed == "look":
            do(code, ask.TakeBack(seat))
        else:
            raise LessonRefusal(_("Call SET!, or say that there is none."))

    def _check_caller(self, activity: Activity, attendee: Attendee) -> None:
        """In a team, only the member who called may pick."""
        if activity.state.get("caller") != attendee.pk:
            raise LessonRefusal(_("Only the one who called may pick."))

    def _pick(self, activity: Activity, attendee: Attendee, seat: int, form: QueryDict) -> None:
        self._check_caller(activity, attendee)
        code = activity.state["match"]
        before = Match.objects.get(code=code).state.table
        written = do(code, ask.Pick(seat, _cards(form.getlist("cards"))), seen=whole_number(form.get("version", "")))
        for number, event in enumerate(written.events, written.match.version - len(written.events) + 1):
            if isinstance(event, did.SetTaken | did.CallFailed) and event.cards:
                first, second, third = event.cards
                pick = LoggedPick(number, seat, (first, second, third), before, event.at)
                easy = written.state.options.left_out is not None
                record_pick(activity, attendee, pick, easy=easy, key=f"pick-{number}")
                activity.state["told"][str(attendee.pk)] = f"pick-{number}"
                if isinstance(event, did.SetTaken):
                    waiting = {"cards": [card.index for card in pick.cards], "number": number}
                    activity.state["why"][str(attendee.pk)] = waiting

    def _say_why(self, activity: Activity, attendee: Attendee, form: QueryDict, now: float) -> None:
        """Save somebody's explanation of their SET. It doesn't affect the point; it makes them look closely."""
        waiting = activity.state["why"].get(str(attendee.pk))
        if waiting is None:
            raise LessonRefusal(_("You have said it already."))
        exercise = exercise_of(Wanted(ExerciseKind.EXPLAIN), seed="", cards=cards_of(waiting["cards"]))
        key, answer = f"why-{waiting['number']}", exercise.read(form)
        unreadable = _("Say it for each of the four.")
        record_answer(activity, attendee, exercise, answer, now, key=key, if_unreadable=unreadable)
        del activity.state["why"][str(attendee.pk)]
        activity.state["told"][str(attendee.pk)] = key

    def orders(self, activity: Activity) -> list[Order]:
        match = Match.objects.get(code=activity.state["match"])
        return [AGAIN if match.phase == Phase.OVER else MORE, FINISH]

    def steer(self, activity: Activity, order: str, form: QueryDict) -> None:
        if order == MORE.slug:
            do(activity.state["match"], ask.LayThree())
        elif order == AGAIN.slug:
            self.next_round(activity)
            activity.state = self.begin(activity)
        else:
            super().steer(activity, order, form)

    def finish(self, activity: Activity) -> None:
        do_if_possible(activity.state["match"], ask.Stop())

    def pause(self, activity: Activity) -> None:
        do_if_possible(activity.state["match"], ask.Pause())

    def resume(self, activity: Activity) -> None:
        do_if_possible(activity.state["match"], ask.Resume())

    def attendee_changed(self, activity: Activity, attendee: Attendee) -> None:
        if attendee.removed_at is None and not attendee.is_on_paper:
            if activity.options.get("teams"):
                _give_team(activity, attendee)
            _sit_down(activity, attendee)
            activity.save(update_fields=["state"])
            return
        seat = activity.state["seats"].get(_key(activity, attendee))
        left = [each for each in _players(activity) if _key(activity, each) == _key(activity, attendee)]
        if seat is not None and not left:
            do_if_possible(activity.state["match"], ask.Leave(seat))
        elif activity.state.get("caller") == attendee.pk and seat is not None:
            do_if_possible(activity.state["match"], ask.Withdraw(seat))

    def came_or_went(self, activity: Activity, attendee: Attendee) -> None:
        key = _key(activity, attendee)
        seat = activity.state["seats"].get(key)
        if seat is not None:
            _report_presence(activity.state["match"], seat, _members(activity, _players(activity), key))

    # What is shown

    def own(self, activity: Activity, attendees: Collection[Attendee]) -> Mapping[int, OwnBuzzer]:
        match = up_to_date(activity.state["match"])
        state = match.state
        told = {*activity.state["why"], *activity.state["told"]}

        def buzzer(attendee: Attendee) -> OwnBuzzer:
            seat = activity.state["seats"].get(_key(activity, attendee))
            is_caller = state.control is not None and activity.state.get("caller") == attendee.pk
            return OwnBuzzer(
                match=match,
                is_mine=is_caller and state.control is not None and state.control.seat == seat,
                has_agreed=seat in state.votes,
                points=state.seats[seat].points if seat is not None and activity.session.shows_scores else None,
                told=attendee if str(attendee.pk) in told else None,
            )

        return {each.pk: buzzer(each) for each in attendees}

    def device(self, activity: Activity, own: OwnBuzzer) -> Screen:
        state = own.match.state
        control, why = state.control, activity.state["why"].get(str(own.told.pk)) if own.told else None
        context: dict[str, Any] = {
            "version": own.match.version,
            "is_over": state.phase is Phase.OVER,
            "has_agreed": own.has_agreed,
            "is_mine": own.is_mine,
            "told": self._last_outcome(activity, own.told) if own.told else None,
            "points": own.points,
        }
        if own.is_mine and control:
            context["cards"] = state.table
            context["countdown"] = _countdown(control.since, control.deadline)
        elif control:
            context["picking"] = self._caller_name(activity, control)
        if why:
            context["why"] = tuple(map(Card.from_index, why["cards"]))
            context["features"], context["makes"] = list(Feature), MAKES
        return Screen("session/box_game/device.html", context)

    def _last_outcome(self, activity: Activity, attendee: Attendee) -> dict[str, Any] | None:
        """The outcome of the last pick or explanation, until the student does something else."""
        key = activity.state["told"].get(str(attendee.pk))
        found = activity.answers.filter(attendee=attendee, round=activity.round, key=key).first() if key else None
        if found is None:
            return None
        first, second, third = map(Card.from_index, found.cards)
        return {"answer": found, "is_why": key.startswith("why"), "verdict": explain(first, second, third)}

    def projector(self, activity: Activity) -> Screen:
        match = up_to_date(activity.state["match"])
        state = match.state
        table = table_context(match, state)
        names = _names(activity)
        context: dict[str, Any] = {
            "rows": table["felt"].columns,
            "places": table["felt"].places,
            "left": len(state.deck),
            "found": sum(len(seat.sets) for seat in state.seats),
            "agreed": len(state.votes),
            "voters": len(state.voters),
            "is_over": table["felt"].is_over,
            "say": _announcement(match, state),
        }
        if state.control:
            context["picking"] = self._caller_name(activity, state.control)
            context["countdown"] = _countdown(state.control.since, table["deadline"])
        elif pick := table["pick"]:
            left = pick.at + VERDICT_SECONDS - time.time()
            if left > 0:
                context["last"] = Shown(names.get(pick.seat, pick.name), pick.verdict, left)
        if activity.session.shows_scores:
            context["scores"] = _scores(state, names)
        return Screen("session/box_game/projector.html", context)

    def _caller_name(self, activity: Activity, control: rules.Control) -> str:
        caller = activity.session.attendees.filter(pk=activity.state.get("caller")).first()
        return caller.name if caller else _names(activity).get(control.seat, "?")


def _players(activity: Activity) -> list[Attendee]:
    """Attendees who have a device to call with."""
    there = activity.session.attendees.filter(removed_at=None, is_on_paper=False)
    return list(there.select_related("user"))


def _key(activity: Activity, attendee: Attendee) -> str:
    """Identifies a seat of the match: the team's, or the attendee's own."""
    return f"team-{attendee.team}" if activity.options.get("teams") else f"seat-{attendee.number}"


def _player(activity: Activity, key: str, attendee: Attendee) -> Player:
    if activity.options.get("teams"):
        name = _("Team %(number)s") % {"number": attendee.team}
        return Player(name=name, guest=f"{activity.session.code}/{key}")
    return player_of(attendee)


def _members(activity: Activity, people: Sequence[Attendee], key: str) -> list[Attendee]:
    return [each for each in people if _key(activity, each) == key]


def _give_team(activity: Activity, attendee: Attendee) -> None:
    """Put an attendee without a team into the smallest one."""
    if attendee.team is not None:
        return
    others = activity.session.attendees.filter(removed_at=None, team__isnull=False)
    sizes: dict[int, int] = {}
    for team in others.values_list("team", flat=True):
        sizes[team or 0] = sizes.get(team or 0, 0) + 1
    attendee.team = min(sizes, key=lambda team: (sizes[team], team), default=1)
    Attendee.objects.filter(pk=attendee.pk).update(team=attendee.team)


def _seat(activity: Activity, attendee: Attendee) -> int:
    """The attendee's seat in the match. If they have none, they're seated first."""
    key = _key(activity, attendee)
    if key not in activity.state["seats"]:
        _sit_down(activity, attendee)
    if key not in activity.state["seats"]:
        raise LessonRefusal(_("This game is over."))
    return int(activity.state["seats"][key])


def _sit_down(activity: Activity, attendee: Attendee) -> None:
    """Take a seat in the match or return to it, if the match still takes players."""
    key = _key(activity, attendee)
    player = _player(activity, key, attendee)
    try:
        activity.state["seats"][key] = matches.join(activity.state["match"], player, now=time.time()).number
    except Refused:
        return


def _report_presence(code: str, seat: int, members: Sequence[Attendee]) -> None:
    """Tell the match whether anybody in this seat is there, since it waits for the votes of those who are."""
    is_there = any(each.is_connected for each in members)
    do_if_possible(code, ask.Connect(seat) if is_there else ask.Disconnect(seat))


def _names(activity: Activity) -> dict[int, str]:
    """The name that screens show now for each seat."""
    seats = activity.state["seats"]
    if activity.options.get("teams"):
        return {seat: _("Team %(number)s") % {"number": key.removeprefix("team-")} for key, seat in seats.items()}
    people = activity.session.attendees.all()
    return {seats[key]: each.name for each in people if (key := _key(activity, each)) in seats}


def _scores(state: rules.MatchState, names: dict[int, str]) -> list[tuple[str, int]]:
    """The best players with their points, so that nobody is shown as last."""
    best = sorted(state.seated, key=lambda seat: -seat.points)[:MOST_SCORES]
    return [(names.get(seat.number, "?"), seat.points) for seat in best if seat.points > 0]


def _announcement(match: Match, state: rules.MatchState) -> str:
    """What happened last, if it concerned everybody and not one player."""
    last = event_from(match.events.get(number=match.version).record)
    return happening(last, {}, state) if isinstance(last, did.VoteRefused | did.VoteCarried) else ""


def _countdown(since: float, deadline: float | None) -> Countdown | None:
    return None if deadline is None else Countdown(deadline - since, max(0.0, deadline - time.time()))


def _cards(texts: Sequence[str]) -> tuple[Card, ...]:
    try:
        return cards_named(texts)
    except BadCard:
        raise LessonRefusal(_("One of these cards is not on the table.")) from None


KIND = BoxGame()
