"""The misconception ledger: every wrong triple, counted by the feature that broke it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from classrooms.models import Classroom, Enrolment
from games.models import Event, Seat
from games.rules import Feature
from games.rules.events import CallFailed
from games.rules.triples import Verdict
from lessons.models import LearningEvent
from lessons.questions import EXERCISES, broken_features, cached_verdict
from lessons.skills import ExerciseKind

HOW_MANY_TELLING: Final = 3
_THREE: Final = 3

Indices = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WrongTriple:
    """Three cards that a student misjudged."""

    student: int
    cards: Indices
    """Their indices in ascending order, so that the same three compare equal."""
    features: tuple[Feature, ...]
    """The overlooked features that broke it or, if each feature was asked about, those that were misjudged."""
    at: float


@dataclass(frozen=True, slots=True)
class Telling:
    """Three cards that were misjudged, how often, and by how many students."""

    verdict: Verdict
    times: int
    students: int


@dataclass(frozen=True, slots=True)
class MistakeTally:
    """Wrong triples by feature. One that two features broke counts for both, so counts may exceed `triples`."""

    counts: Mapping[Feature, int]
    triples: int
    telling: tuple[Telling, ...] = ()

    @property
    def by_feature(self) -> list[tuple[Feature, int]]:
        return [(feature, self.counts[feature]) for feature in Feature]

    @property
    def most(self) -> int:
        return max(self.counts.values())


@dataclass(frozen=True, slots=True)
class LedgerRow:
    enrolment: Enrolment
    tally: MistakeTally


@dataclass(frozen=True, slots=True)
class Ledger:
    rows: tuple[LedgerRow, ...]
    whole: MistakeTally
    """The whole class, with its most telling triples."""


def ledger(classroom: Classroom) -> Ledger:
    enrolments = list(classroom.enrolments.present())
    wrong = wrong_triples([each.student_id for each in enrolments])
    by_student: dict[int, list[WrongTriple]] = defaultdict(list)
    for each in wrong:
        by_student[each.student].append(each)
    rows = tuple(LedgerRow(each, tally(by_student[each.student_id])) for each in enrolments)
    return Ledger(rows, tally(wrong))


def tally(wrong: Collection[WrongTriple]) -> MistakeTally:
    counted = Counter(feature for each in wrong for feature in each.features)
    return MistakeTally({feature: counted[feature] for feature in Feature}, len(wrong), telling(wrong))


def telling(wrong: Collection[WrongTriple]) -> tuple[Telling, ...]:
    """The triples that the most students got wrong, then those with the most errors.

    Ties are ranked by fewer broken features, then by how common the broken feature is overall, then by recency.
    """
    counted = Counter(feature for each in wrong for feature in each.features)
    by_cards: dict[Indices, list[WrongTriple]] = defaultdict(list)
    for each in wrong:
        by_cards[each.cards].append(each)
    found = []
    for indices, times in by_cards.items():
        verdict = cached_verdict(indices)
        if verdict.is_set:
            continue
        students = len({each.student for each in times})
        usual = max(counted[each.feature] for each in verdict.broken)
        newest = max(each.at for each in times)
        rank = (-students, -len(times), len(verdict.broken), -usual, -newest)
        found.append((rank, Telling(verdict, len(times), students)))
    return tuple(each for _rank, each in sorted(found, key=lambda pair: pair[0])[:HOW_MANY_TELLING])


def wrong_triples(students: Collection[int]) -> list[WrongTriple]:
    """Wrong triples from exercises and from games."""
    return [*_from_exercises(students), *_from_games(students)]


def _from_exercises(students: Collection[int]) -> Iterable[WrongTriple]:
    """Leaves out SETs that were rejected: that's wrong, too, but no feature broke them."""
    rows = LearningEvent.objects.filter(user__in=students, is_right=False).exclude(kind="")
    # A large class has thousands of rows, so no model instances are created.
    for user, at, kind, *answered in rows.values_list("user", "at", "kind", "cards", "answer", "missed"):
        for cards, features in EXERCISES[ExerciseKind(kind)].mistakes(*answered):
            if features:
                yield WrongTriple(user or 0, _indices(cards), features, at.timestamp())


def _from_games(students: Collection[int]) -> Iterable[WrongTriple]:
    """Calls that failed because the three cards weren't a SET; the seat says who called.

    Leaves out matches in live lessons, whose picks are among the exercises already.
    """
    seats = Seat.objects.filter(user__in=students, match__place="")
    sitting = {(match, number): user for match, number, user in seats.values_list("match", "number", "user")}
    failed = Event.objects.filter(match__in=seats.values("match"), record__kind=CallFailed.__name__)
    for match, record in failed.order_by("match", "number").values_list("match", "record"):
        user, cards = sitting.get((match, record["seat"])), record["cards"]
        if user is not None and len(cards) == _THREE and (broken := broken_features(cards)):
            yield WrongTriple(user, _indices(cards), broken, record["at"])


def _indices(cards: Iterable[int]) -> Indices:
    return tuple(sorted(cards))
