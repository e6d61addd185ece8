"""Matches played within a session: updating its screens, who may watch, and recording picks as answers."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django import forms
from django.utils.translation import gettext_lazy as _

from classrooms.live.answering import record_answer
from classrooms.live.changes import changed
from classrooms.live.errors import LessonRefusal
from classrooms.models import Activity, Attendee, Session
from games.forms import DECKS, windows
from games.matches import service as matches
from games.models import Match, Way
from games.players import Player
from games.rules import Card, Options, evolve
from games.rules import commands as ask
from games.rules import events as did
from games.rules.errors import Refused
from games.rules.hints import ranked_sets
from games.rules.records import event_from, match_from
from games.rules.triples import Triple, differing, is_set
from games.words import REFUSALS
from lessons.questions import exercise_of
from lessons.skills import ExerciseKind, Wanted

# Events that devices in a box game don't show.
_UNSEEN = {did.Agreed, did.TookBack, did.Connected, did.Disconnected, did.TimeGiven, did.Renamed}
_SESSION = "session/"


class RulesForm(forms.Form):
    """The options of a match that a teacher chooses for a lesson; the rest follows the class's edition."""

    deck = forms.ChoiceField(label=_("Deck"), choices=DECKS, initial="full", required=False)
    window = forms.ChoiceField(
        label=_("Time to pick after a call"), choices=lambda: windows(5, 10, 20), initial="10", required=False
    )
    penalty = forms.BooleanField(label=_("A wrong or late pick costs a point"), initial=True, required=False)


# The screens


def match_changed(written: matches.Written) -> None:
    """Update the screens of the session that the match is part of, if any."""
    match = written.match
    if not match.place.startswith(_SESSION):
        return
    session = Session.objects.filter(code=match.place.removeprefix(_SESSION), ended_at=None).first()
    if session is None:
        return
    devices = match.way == Way.CLASS and any(type(each) not in _UNSEEN for each in (*written.due, *written.events))
    changed(session, devices=devices)


def may_watch(match: Match, user: int) -> bool:
    """Whether a user may watch a table of a lesson: only teachers of the class may."""
    if not match.place.startswith(_SESSION):
        return False
    sessions = Session.objects.filter(code=match.place.removeprefix(_SESSION), classroom__deleted_at=None)
    return sessions.filter(classroom__teachers=user, classroom__teachers__deleted_at=None).exists()


# The matches


def rules_of(activity: Activity, *, whole_class: bool = False) -> Options:
    """The class's edition with the teacher's choices. There's one deal only, so that all tables end around one time."""
    chosen = activity.options
    return Options.of(
        activity.session.edition,
        easy=chosen.get("deck") == "easy",
        window=None if chosen.get("window") == "none" else float(chosen.get("window") or 10),
        relaxed=not chosen.get("penalty"),
        everyone_deals=False,
        whole_class=whole_class,
    )


def open_dealt(activity: Activity, way: Way, players: Sequence[Player], options: Options) -> Match:
    """Open a match for these players and deal."""
    now = time.time()
    first, *others = players
    place = f"{_SESSION}{activity.session.code}"
    match = matches.open_match(way=way, options=options, player=first, others=others, place=place, now=now)
    return matches.command(match.code, ask.Deal(0), now=now).match


def do(code: str, order: ask.Command, *, seen: int | None = None) -> matches.Written:
    """Run a command on a match; a refusal becomes a `LessonRefusal` in words."""
    try:
        return matches.command(code, order, now=time.time(), seen=seen)
    except Refused as refused:
        raise LessonRefusal(str(REFUSALS[refused.reason])) from refused


def do_if_possible(code: str, order: ask.Command) -> None:
    """Run a command on a match and ignore a refusal, for commands that may have become pointless."""
    try:
        matches.command(code, order, now=time.time())
    except Refused:
        return


def up_to_date(code: str) -> Match:
    """The match, with everything that was due applied and saved."""
    match = Match.objects.prefetch_related("seats").get(code=code)
    if match.due is not None and match.due <= time.time():
        return matches.catch_up(code, now=time.time()).match
    return match


# What was picked


@dataclass(frozen=True, slots=True)
class LoggedPick:
    """Three cards that a seat picked, and the table they lay on."""

    number: int
    """The event's number in its match."""
    seat: int
    cards: Triple
    table: tuple[Card, ...]
    at: float


def picks(match: Match, *, after: int = 0) -> Iterator[LoggedPick]:
    """Every pick in the log after event number `after`, right or wrong, in order."""
    state = match_from(match.start)
    for row in match.events.all():
        event = event_from(row.record)
        if isinstance(event, did.SetTaken | did.CallFailed) and event.cards and row.number > after:
            first, second, third = event.cards
            yield LoggedPick(row.number, event.seat, (first, second, third), state.table, event.at)
        state = evolve(state, event)


def record_pick(activity: Activity, attendee: Attendee, pick: LoggedPick, *, easy: bool, key: str) -> None:
    """Record a pick as an answer; for mastery it counts as an exercise to find a SET on that table."""
    easiest = next((triple for _effort, triple in ranked_sets(pick.table)), None)
    looked_for = pick.cards if is_set(*pick.cards) else easiest
    wanted = Wanted(ExerciseKind.FIND_ONE, differing(looked_for) if looked_for else 1, easy=easy)
    indices = [card.index for card in pick.cards]
    exercise = exercise_of(wanted, seed="", cards=pick.table)
    record_answer(activity, attendee, exercise, {"cards": indices}, pick.at, key=key, noted={"picked": True})
