"""Silent board: everybody looks for SETs on a board that stays, and the class collects what all have found.

Each pick of three cards is recorded as an answer to "find a SET". But one board is evidence of a skill only once per
student: finding nine SETs on one board doesn't show nine times that they can find one.
"""

from __future__ import annotations

import random
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from classrooms.live.activities.base import (
    FINISH,
    NEXT,
    REVEAL,
    ActivityType,
    Order,
    Screen,
)
from classrooms.live.activities.decks import DeckOptionsForm, deck_of, is_easy
from classrooms.live.answering import record_answer
from classrooms.live.errors import LessonRefusal
from classrooms.live.paper import read_letters
from classrooms.models import Activity, Answer, Attendee, Stage
from games.boards import BadPick, picked
from games.rules import Card, Feature, explain, find_sets
from games.rules.symmetries import Symmetry
from games.rules.triples import Triple, Verdict, differing, is_set
from games.words import verdict_line
from lessons.questions import exercise_of
from lessons.skills import ExerciseKind, Skill, Wanted, differing_skill, feature_skill, kind_skill

FEWEST_SETS, MOST_SETS = 3, 18
"""Enough for everybody to find something, and few enough for the projector to show them all."""
SIZES = (9, 12, 15)
BOARDS_TO_LOOK_AT = 300


class BoardForm(DeckOptionsForm):
    size = forms.TypedChoiceField(
        label=gettext_lazy("How many cards"), choices=[(size, size) for size in SIZES], coerce=int, initial=12
    )
    own = forms.BooleanField(
        label=gettext_lazy("Each device has its own arrangement"),
        help_text=gettext_lazy("The same board in other clothes, so that nobody copies."),
        required=False,
    )


def draw_board(deck: tuple[Card, ...], size: int, seed: str, targets: frozenset[int]) -> tuple[Card, ...]:
    """A board with a suitable number of SETs: among those tried, the first that serves the most targets."""
    boards = islice(_boards(deck, size, seed), BOARDS_TO_LOOK_AT if targets else 1)
    best, most = None, -1
    for board in boards:
        served = len(targets & set(map(differing, find_sets(board))))
        if served > most:
            best, most = board, served
        if most == len(targets):
            break
    if best is None:
        raise AssertionError("there is always a board")
    return best


def board_of(activity: Activity, number: int) -> tuple[Card, ...]:
    """The board of any round. All that it depends on is fixed when the activity begins, so it can be printed ahead."""
    seed, targets = f"{activity.state['seed']}/{number}", frozenset(activity.state["targets"])
    return draw_board(deck_of(activity), activity.options["size"], seed, targets)


def _boards(deck: tuple[Card, ...], size: int, seed: str) -> Iterator[tuple[Card, ...]]:
    rng = random.Random(seed)
    while True:
        board = tuple(rng.sample(deck, size))
        if FEWEST_SETS <= len(find_sets(board)) <= MOST_SETS:
            yield board


class Arrangement:
    """The board as one device shows it, possibly transformed by a symmetry of the deck and shuffled."""

    def __init__(self, activity: Activity, attendee: Attendee | None) -> None:
        board = tuple(map(Card.from_index, activity.state["board"]))
        self.originals = dict(zip(board, board, strict=True))
        """The class's card by the card that's shown, in the order in which they lie."""
        if attendee and activity.options["own"] and not attendee.is_on_paper:
            rng = random.Random(f"{activity.state['seed']}/{activity.round}/{attendee.number}")
            symmetry = _symmetry(deck_of(activity), rng)
            self.originals = {symmetry.card(card): card for card in rng.sample(board, len(board))}
        self._shown = {original: card for card, original in self.originals.items()}

    @property
    def cards(self) -> tuple[Card, ...]:
        return tuple(self.originals)

    def shown(self, originals: Iterable[Card]) -> tuple[Card, ...]:
        """Translate cards of the class's board into this device's cards, in this device's order."""
        return tuple(sorted((self._shown[card] for card in originals), key=self.cards.index))

    def key(self, cards: Iterable[Card]) -> tuple[int, ...]:
        """Translate cards picked on this device into cards of the class's board, as sorted indices."""
        return tuple(sorted(self.originals[card].index for card in cards))


def _symmetry(deck: tuple[Card, ...], rng: random.Random) -> Symmetry:
    """A random symmetry that maps the deck onto itself, so that the easy deck shows no cards from outside of it."""
    while True:
        symmetry = Symmetry.drawn(rng)
        if set(symmetry.board(deck)) == set(deck):
            return symmetry


@dataclass(frozen=True, slots=True)
class FoundSet:
    """A SET of the board, how many found it, and whether the viewer did."""

    cards: tuple[Card, ...]
    by: int
    is_own: bool
    is_credited: bool = True


class SilentBoard(ActivityType):
    slug = "board"
    title = gettext_lazy("Silent board")
    about = gettext_lazy(
        "Everybody looks for SETs on the same board, quietly. What all find together counts. No hurry."
    )
    form = BoardForm
    changes_by_answers = False

    def begin(self, activity: Activity) -> dict[str, Any]:
        there = activity.session.attendees.filter(removed_at=None).values_list("target", flat=True)
        targets = sorted({target for target in there if target})
        activity.state = {"seed": secrets.token_hex(8), "targets": targets}
        return {**activity.state, "board": self._board(activity)}

    def next_round(self, activity: Activity) -> None:
        super().next_round(activity)
        activity.state["board"] = self._board(activity)

    def _board(self, activity: Activity) -> list[int]:
        return [card.index for card in board_of(activity, activity.round)]

    def orders(self, activity: Activity) -> list[Order]:
        if activity.stage == Stage.OPEN:
            return [Order(REVEAL.slug, gettext_lazy("Show all SETs")), FINISH]
        return [Order(NEXT.slug, gettext_lazy("New board")), FINISH]

    def act(self, activity: Activity, attendee: Attendee, form: QueryDict, now: float) -> None:
        if activity.stage != Stage.OPEN:
            raise LessonRefusal(_("The answer is there already. Look at the board."))
        arrangement = Arrangement(activity, attendee)
        if "letters" in form:
            self._record_sheet(activity, attendee, form.get("letters", ""), now)
            return
        try:
            triple = picked(arrangement.cards, form.getlist("cards"))
        except BadPick as error:
            raise LessonRefusal(str(error)) from None
        if not self._record(activity, attendee, arrangement, triple, now=now):
            raise LessonRefusal(_repeat_message(explain(*triple)))

    def _record_sheet(self, activity: Activity, attendee: Attendee, letters: str, now: float) -> None:
        """Save what somebody wrote on paper, in letters of the class's board. Repeated SETs count once."""
        arrangement = Arrangement(activity, attendee)
        for originals in read_letters(letters, Arrangement(activity, None).cards):
            triple = _triple(arrangement.shown(originals))
            self._record(activity, attendee, arrangement, triple, now=now)

    def _record(
        self, activity: Activity, attendee: Attendee, arrangement: Arrangement, triple: Triple, *, now: float
    ) -> bool:
        """Record a pick, unless it's repeated. What's graded are the cards that the student saw, not the class's."""
        earlier = _own_answers(activity, attendee)
        cards = arrangement.key(triple)
        if any(tuple(row.cards) == cards for row in earlier):
            return False
        easiest = min(map(differing, find_sets(arrangement.cards)))
        wanted = Wanted(ExerciseKind.FIND_ONE, easiest, easy=is_easy(activity))
        own = [card.index for card in triple]
        exercise = exercise_of(wanted, "", arrangement.cards)
        target = own_target(activity, attendee)
        is_credited = is_set(*triple) and target in {None, differing(triple)}
        covered = _covered_skills(earlier)
        record_answer(
            activity,
            attendee,
            exercise,
            {"cards": own},
            now,
            is_one_of_many=True,
            cards=cards,
            noted={"picked": True, "credited": is_credited},
            is_evidence=lambda each: each.skill not in covered,
        )
        return True

    def device(self, activity: Activity, attendee: Attendee) -> Screen:
        arrangement = Arrangement(activity, attendee)
        rows = _own_answers(activity, attendee)
        found = [_own_set(arrangement, row) for row in rows if row.is_right]
        context: dict[str, object] = {
            "cards": arrangement.cards,
            "found": found,
            "credited": sum(each.is_credited for each in found),
            "target": own_target(activity, attendee),
            "is_own_arrangement": activity.options["own"],
        }
        if activity.stage != Stage.OPEN:
            own = {tuple(row.cards) for row in rows}
            sets = self._sets(activity, arrangement, own)
            context |= {"sets": sets, "class_found": sum(each.by > 0 for each in sets)}
        elif rows:
            last = rows[-1]
            context |= {"last": last, "verdict": explain(*_triple(arrangement.shown(_cards(last))))}
        return Screen("session/silent_board/device.html", context)

    def projector(self, activity: Activity) -> Screen:
        arrangement = Arrangement(activity, None)
        sets = self._sets(activity, arrangement, set())
        context: dict[str, object] = {
            "cards": arrangement.cards,
            "class_found": sum(each.by > 0 for each in sets),
            "there": len(sets),
            "is_own_arrangement": activity.options["own"],
        }
        if activity.stage != Stage.OPEN:
            context["sets"] = sets
        return Screen("session/silent_board/projector.html", context)

    def remote(self, activity: Activity) -> Screen:
        return Screen("session/silent_board/remote.html", self.projector(activity).context)

    def paper(self, activity: Activity) -> Screen | None:
        return Screen("session/silent_board/paper.html") if activity.stage == Stage.OPEN else None

    def _sets(self, activity: Activity, arrangement: Arrangement, own: set[tuple[int, ...]]) -> list[FoundSet]:
        """Every SET of the board, the most often found first."""
        rows = activity.answers.filter(round=activity.round, event__is_right=True).values_list("cards", flat=True)
        by = Counter(map(tuple, rows))
        originals = find_sets(map(Card.from_index, activity.state["board"]))
        keys = [tuple(sorted(card.index for card in triple)) for triple in originals]
        return [
            FoundSet(arrangement.shown(map(Card.from_index, key)), by[key], key in own)
            for key in sorted(keys, key=lambda key: -by[key])
        ]


def own_target(activity: Activity, attendee: Attendee) -> int | None:
    """In how many features the SETs that the student should find differ; None if the board has no such SET."""
    there = set(map(differing, find_sets(map(Card.from_index, activity.state["board"]))))
    return attendee.target if attendee.target in there else None


def _repeat_message(verdict: Verdict) -> str:
    if verdict.is_set:
        return _("You have that one already. Look for another.")
    return _("You have tried these three before: %(why)s.") % {"why": verdict_line(verdict.broken[0]).text}


def _covered_skills(earlier: list[Answer]) -> set[Skill]:
    """The skills on which the student's earlier picks on this board gave evidence."""
    said: set[Skill] = set()
    for row in earlier:
        said.add(kind_skill(ExerciseKind.FIND_ONE))
        said |= {feature_skill(Feature(feature)) for feature in row.missed}
        if row.is_right:
            said.add(differing_skill(differing(_triple(_cards(row)))))
    return said


def _own_answers(activity: Activity, attendee: Attendee) -> list[Answer]:
    return list(activity.answers.filter(attendee=attendee, round=activity.round))


def _own_set(arrangement: Arrangement, row: Answer) -> FoundSet:
    return FoundSet(arrangement.shown(_cards(row)), 1, is_own=True, is_credited=row.answer["credited"])


def _cards(row: Answer) -> tuple[Card, ...]:
    return tuple(map(Card.from_index, row.cards))


def _triple(cards: Iterable[Card]) -> Triple:
    first, second, third = cards
    return first, second, third


KIND = SilentBoard()
