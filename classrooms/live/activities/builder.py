"""Build a board with no SET, card by card, up to the maximum size. A card that would make a SET is refused.

A proposal claims "there's no SET among these", so it's recorded as an answer to "is there a SET at all?". It counts as
evidence of a skill only once at least half of the remaining cards would be refused, since before that most cards are
right by chance, and only a student's first proposal at each state of the board counts. It never counts where the
impossible cards are shown.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from classrooms.live.activities.base import FINISH, ActivityType, Order, Screen
from classrooms.live.activities.decks import DeckOptionsForm, deck_of, is_easy
from classrooms.live.activities.teams import EVERYBODY, Team, give_teams, teams
from classrooms.live.answering import record_answer
from classrooms.live.errors import LessonRefusal
from classrooms.models import Activity, Attendee
from games.rules import Card, explain, find_sets
from games.rules.triples import Verdict, differing
from lessons.questions import exercise_of
from lessons.questions.course import NoSetBuilder
from lessons.skills import ExerciseKind, Wanted

MOST = {True: 9, False: 20}
"""The most cards without a SET, by whether the deck is the easy one."""
CROWDS = (1, 2, 4, 6, 8, 12)
"""Size classes of boards on the projector, by the number of boards. Beyond the last, it only shows their progress."""


class BuilderForm(DeckOptionsForm):
    teams = forms.BooleanField(label=gettext_lazy("Each team builds its own board"), required=False)
    dims = forms.BooleanField(
        label=gettext_lazy("Dim the cards that would make a SET"),
        help_text=gettext_lazy("Makes it much easier; then it is about planning."),
        required=False,
    )


@dataclass(frozen=True, slots=True)
class Building:
    """The board of a team, or of the whole class."""

    number: int
    """The team's number; zero for the whole class."""
    cards: tuple[Card, ...]
    impossible: frozenset[Card]
    refused: frozenset[Card]
    """The impossible cards that somebody has already proposed."""
    left: tuple[Card, ...]
    """The cards of the deck that aren't on the board."""
    goal: int
    best: int
    """The most cards that this board ever had."""
    move: int
    """How often the board has changed."""
    may_take_away: bool

    @property
    def gaps(self) -> range:
        """The places that are still empty."""
        return range(len(self.cards), self.goal)

    @property
    def has_reached_goal(self) -> bool:
        return len(self.cards) >= self.goal

    @property
    def is_stuck(self) -> bool:
        return not self.has_reached_goal and self.impossible.issuperset(self.left)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The last card that was proposed, and the SET that it makes."""

    cards: tuple[int, ...]
    card: int


@dataclass(frozen=True, slots=True)
class OwnBoard:
    """The board that somebody builds, and why their last card was refused."""

    number: int
    refusal: Refusal | None


class Builder(ActivityType):
    slug = "builder"
    title = gettext_lazy("A board with no SET")
    about = gettext_lazy("Add card after card, and never make a SET. How far can you get: to 9, to 20?")
    form = BuilderForm
    has_rounds = False
    answers_reach_devices = True

    def begin(self, activity: Activity) -> dict[str, Any]:
        self.attendee_changed(activity)
        return {"boards": {}}

    def attendee_changed(self, activity: Activity, attendee: Attendee | None = None) -> None:
        if activity.options["teams"]:
            give_teams(activity)

    def orders(self, activity: Activity) -> list[Order]:
        return [FINISH]

    def act(self, activity: Activity, attendee: Attendee, form: QueryDict, now: float) -> None:
        building = self.building(activity, self._own_number(activity, attendee))
        board = self._board_state(activity, building.number)
        if "take-away" in form:
            if not building.may_take_away or form.get("move") != str(building.move):
                raise LessonRefusal(_("The board has changed. Look again."))
            board["cards"].pop()
            board["move"] += 1
            return
        by_text = {str(card.index): card for card in building.left}
        card = by_text.get(form.get("card", ""))
        if building.has_reached_goal:
            raise LessonRefusal(_("The board is done: there cannot be more cards."))
        if card is None:
            raise LessonRefusal(_("That card lies on the board already. Choose another."))
        if card in building.refused:
            raise LessonRefusal(_("We know that one: it makes a SET. Choose another."))
        self._propose(activity, attendee, building, card, now)
        if card in building.impossible:
            board["refused"].append(card.index)
        else:
            board["cards"].append(card.index)
            board["move"] += 1
            after = self.building(activity, building.number)
            board.update(best=max(board["best"], len(after.cards)), was_stuck=board["was_stuck"] or after.is_stuck)

    def _propose(self, activity: Activity, attendee: Attendee, building: Building, card: Card, now: float) -> None:
        """Save a proposal, with the SET that it makes if it's refused."""
        board = (*building.cards, card)
        made = find_sets(board)
        easiest = min(map(differing, made), default=1)
        exercise = exercise_of(Wanted(ExerciseKind.ANY_SET, easiest, easy=is_easy(activity)), "", board)
        is_telling = 2 * len(building.impossible) >= len(building.left) and not activity.options["dims"]
        move = f"{building.number}/{building.move}"
        record_answer(
            activity,
            attendee,
            exercise,
            {"yes": False},
            now,
            key=f"{move}/{card.index}",
            asked_as=move,
            cards=[each.index for each in (made[0] if made else [card])],
            noted={"card": card.index},
            is_evidence=lambda _evidence: is_telling,
        )

    def building(self, activity: Activity, number: int) -> Building:
        board = self._board_state(activity, number)
        deck, goal = deck_of(activity), MOST[is_easy(activity)]
        cards = tuple(map(Card.from_index, board["cards"]))
        impossible = NoSetBuilder(deck, enough=goal, most=goal).impossible(cards)
        refused = frozenset(map(Card.from_index, board["refused"])) & impossible
        return Building(
            number=number,
            cards=cards,
            impossible=impossible,
            refused=impossible if activity.options["dims"] else refused,
            left=tuple(card for card in deck if card not in cards),
            goal=goal,
            best=board["best"],
            move=board["move"],
            may_take_away=board["was_stuck"] and 0 < len(cards) < goal,
        )

    def _number(self, activity: Activity, team: Team) -> int:
        return team.number if activity.options["teams"] else EVERYBODY

    def _own_number(self, activity: Activity, attendee: Attendee) -> int:
        return (attendee.team or EVERYBODY) if activity.options["teams"] else EVERYBODY

    def _board_state(self, activity: Activity, number: int) -> dict[str, Any]:
        boards: dict[str, dict[str, Any]] = activity.state["boards"]
        empty = {"cards": [], "refused": [], "best": 0, "move": 0, "was_stuck": False}
        return boards.setdefault(str(number), empty)

    def own(self, activity: Activity, attendees: Collection[Attendee]) -> Mapping[int, OwnBoard]:
        given = activity.answers.filter(round=activity.round, attendee__in=[each.pk for each in attendees])
        last = {each.attendee_id: each for each in given}
        wrong = {pk: Refusal(tuple(each.cards), each.answer["card"]) for pk, each in last.items() if not each.is_right}
        return {each.pk: OwnBoard(self._own_number(activity, each), wrong.get(each.pk)) for each in attendees}

    def device(self, activity: Activity, own: OwnBoard) -> Screen:
        building = self.building(activity, own.number)
        context = {"building": building, "verdict": self._verdict(own.refusal, building) if own.refusal else None}
        return Screen("session/builder/device.html", context)

    def _verdict(self, refusal: Refusal, building: Building) -> Verdict | None:
        """The SET that the student's last card makes with two cards on the board, as long as those are still there."""
        first, second, third = triple = tuple(map(Card.from_index, refusal.cards))
        others = {card for card in triple if card.index != refusal.card}
        return explain(first, second, third) if others <= set(building.cards) else None

    def projector(self, activity: Activity) -> Screen:
        numbers = {self._number(activity, team): team for team in teams(activity)}
        buildings = [self.building(activity, number) for number in numbers or [EVERYBODY]]
        crowd = next((most for most in CROWDS if len(buildings) <= most), "more")
        return Screen("session/builder/projector.html", {"buildings": buildings, "crowd": crowd})


KIND = Builder()
