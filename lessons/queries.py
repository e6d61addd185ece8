"""Queries for the learning pages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, Min, OuterRef, QuerySet, Window
from django.db.models.functions import RowNumber

from core.numbers import MOST_KEY, whole_number
from games.players import Player
from games.rules import Card, Feature
from lessons.course.units import Step, Unit, course
from lessons.models import QUESTION, LearningEvent, StepDone
from lessons.progress.mastery import Level, Status, Try, most_missed, statuses
from lessons.progress.origins import Origin
from lessons.progress.records import TRY_COLUMNS, try_from, try_of, wanted_from
from lessons.progress.snapshots import skill_states
from lessons.questions import BOARDS, Exercise, make_exercise
from lessons.skills import Skill, Wanted

_LATEST = 200
_SLOWEST = 3


@dataclass(frozen=True, slots=True)
class UnitOnPath:
    """A unit with the learner's progress in it."""

    number: int
    unit: Unit
    done: int
    next_step: Step
    is_current: bool

    @property
    def is_done(self) -> bool:
        return self.done == len(self.unit.steps)


def path(player: Player | None) -> list[UnitOnPath]:
    """The course as a path; the current unit is the first one that isn't done."""
    done = done_steps(player)
    rows: list[UnitOnPath] = []
    for number, unit in enumerate(course(), 1):
        finished = [step for step in unit.steps if (unit.slug, step.slug) in done]
        left = [step for step in unit.steps if step not in finished]
        is_current = bool(left) and all(row.is_done for row in rows)
        rows.append(UnitOnPath(number, unit, len(finished), left[0] if left else unit.steps[0], is_current))
    return rows


def done_steps(player: Player | None) -> set[tuple[str, str]]:
    if player is None:
        return set()
    return set(StepDone.objects.filter(**player.key).values_list("unit", "step"))


def rights_at(player: Player | None, origin: Origin) -> list[Wanted]:
    """The `Wanted` of each exercise at this origin that the learner has got right, each exercise once."""
    if player is None:
        return []
    rights = LearningEvent.objects.filter(**origin.columns, is_right=True, **player.key).order_by("at", "pk")
    records = dict(rights.values_list("seed", "wanted"))
    return [wanted_from(record) for record in records.values() if record]


def right_seeds(player: Player | None, origin: Origin, seeds: Iterable[str]) -> set[str]:
    """The seeds of those exercises that the learner has got right."""
    if player is None:
        return set()
    rights = LearningEvent.objects.filter(**origin.columns, seed__in=list(seeds), is_right=True, **player.key)
    return set(rights.values_list("seed", flat=True))


def latest_tries(player: Player | None) -> list[Try]:
    """The latest tries that count, oldest first: enough to choose what to do next."""
    if player is None:
        return []
    rows = list(LearningEvent.objects.filter(**player.key).counted().order_by("-at", "-pk")[:_LATEST])
    return [try_of(row) for row in reversed(rows)]


def latest_tries_of(users: Iterable[Any], *, since: datetime, latest: int) -> dict[int | None, list[Try]]:
    """The latest tries that count, for many users at once: up to `latest` each, none before `since`, oldest first."""
    tries: dict[int | None, list[Try]] = {user.pk: [] for user in users}
    counted = LearningEvent.objects.filter(user__in=tries, at__gte=since).counted()
    rank = Window(RowNumber(), partition_by="user", order_by=["-at", "-pk"])
    newest = counted.annotate(rank=rank).filter(rank__lte=latest).order_by("at", "pk")
    for user, *values in newest.values_list("user", *TRY_COLUMNS):
        tries[user].append(try_from(values))
    return tries


def last_asked(player: Player | None, origin: Origin) -> Exercise | None:
    """The exercise that the learner answered last at this origin."""
    if player is None:
        return None
    row = LearningEvent.objects.filter(**origin.columns, **player.key).order_by("-at", "-pk").first()
    return make_exercise(wanted_from(row.wanted), row.seed) if row and row.wanted else None


def own_exercise(player: Player | None, event: str) -> Exercise | None:
    """An exercise that the learner has answered before, to try it again."""
    key = whole_number(event, most=MOST_KEY)
    if player is None or key is None:
        return None
    row = LearningEvent.objects.filter(pk=key, **player.key).first()
    return make_exercise(wanted_from(row.wanted), row.seed) if row and row.wanted and "/" not in row.seed else None


@dataclass(frozen=True, slots=True)
class SlowBoard:
    event: int
    cards: tuple[Card, ...]
    seconds: int
    kind: str


# What the easy start teaches. With these levels, the full deck is fun rather than frustrating.
_READY = {Skill.FIND_ONE: Level.SURE, Skill.DIFFERS_1: Level.GROWING, Skill.DIFFERS_2: Level.GROWING}


def is_ready_for_full_deck(skills: list[Status]) -> bool:
    """Whether the learner has mastered enough of the easy start, by measured levels and not by asking them."""
    levels = {status.skill: status.level for status in skills}
    return all(levels[skill] >= least for skill, least in _READY.items())


@dataclass(frozen=True, slots=True)
class AboutMe:
    """What the learner's own page shows."""

    path: list[UnitOnPath]
    skills: list[Status]
    missed: list[tuple[Feature, int, int]]
    slowest: list[SlowBoard]
    fastest: dict[str, float]
    tries: int
    rights: int

    @property
    def has_mastered(self) -> bool:
        """Whether there's a mastered skill to print on a certificate."""
        return any(status.level is Level.MASTERED for status in self.skills)

    @property
    def is_ready_for_full_deck(self) -> bool:
        return is_ready_for_full_deck(self.skills)


def _newest_of_each(events: QuerySet[LearningEvent]) -> QuerySet[LearningEvent]:
    """Only the newest try at each board, so that a board solved faster the second time no longer counts as slow."""
    newest = Window(RowNumber(), partition_by=[*QUESTION], order_by=["-at", "-pk"])
    return events.annotate(newest=newest).filter(newest=1)


def _slow_board(row: LearningEvent) -> SlowBoard:
    return SlowBoard(row.pk, tuple(map(Card.from_index, row.cards)), round(row.seconds or 0), row.kind)


def about_me(player: Player | None, *, now: float) -> AboutMe:
    tries = latest_tries(player)
    boards = []
    best: dict[str, float] = {}
    if player:
        rights = LearningEvent.objects.filter(kind__in=BOARDS, is_right=True, seconds__isnull=False, **player.key)
        firsts = rights.filter(is_first=True)
        again = rights.filter(Exists(firsts.filter(**{name: OuterRef(name) for name in QUESTION})))
        boards = [_slow_board(row) for row in _newest_of_each(again).order_by("-seconds")[:_SLOWEST]]
        best = dict(firsts.filter(hints=0).values_list("kind").annotate(Min("seconds")).order_by("kind"))
    return AboutMe(
        path=path(player),
        skills=statuses(skill_states(player), now),
        missed=most_missed(tries),
        slowest=boards,
        fastest=best,
        tries=len(tries),
        rights=sum(each.is_right for each in tries),
    )
