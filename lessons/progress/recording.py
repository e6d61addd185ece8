"""The only writer of what is learned: events, finished steps, and help."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from core.actors import lock_actors
from core.db.chunks import delete_in_chunks
from core.db.inserts import insert_unless_there
from games.players import Player
from games.rules import Feature
from lessons.models import QUESTION, HelpGiven, LearningEvent, Progress, StepDone
from lessons.progress import snapshots
from lessons.progress.origins import Origin
from lessons.progress.records import wanted_record
from lessons.skills import Evidence, ExerciseKind, Wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as it was put, so that it can be put again."""

    origin: Origin
    kind: ExerciseKind | None
    wanted: Wanted | None = None
    seed: str = ""
    cards: Sequence[int] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What came of it."""

    answer: dict[str, Any]
    is_right: bool
    missed: Sequence[Feature]
    evidence: Sequence[Evidence]
    seconds: float | None = None
    hints: int = 0


def record_event(
    player: Player, asked: Asked, answered: Answered, *, now: float, sent_as: UUID | None = None
) -> LearningEvent:
    """Append an answer. Only the first at a question says what the learner can; the others put it right.

    An answer that is sent again under the same name is the event that is there already.
    """
    with lock_actors(player):
        hints = max(answered.hints, hints_given(player, asked.origin, asked.seed))
        return append_event(player, asked, answered, now=now, hints=hints, sent_as=sent_as)


def append_event(
    player: Player,
    asked: Asked,
    answered: Answered,
    *,
    now: float,
    hints: int = 0,
    sent_as: UUID | None = None,
) -> LearningEvent:
    """The same in one statement, for those who know that the learner stays: a lesson holds its own lock."""
    event = LearningEvent(
        **player.key,
        **asked.origin.columns,
        at=datetime.fromtimestamp(now, UTC),
        kind=asked.kind or "",
        wanted=wanted_record(asked.wanted),
        seed=asked.seed,
        cards=list(asked.cards),
        answer=answered.answer,
        is_right=answered.is_right,
        is_first=True,
        missed=[feature.value for feature in answered.missed],
        evidence=[[each.skill.value, each.is_right] for each in answered.evidence],
        seconds=answered.seconds,
        hints=hints,
        sent_as=sent_as,
    )
    if insert_unless_there(event):
        return event
    event.is_first = False
    if insert_unless_there(event):
        return event
    return LearningEvent.objects.get(sent_as=sent_as, **player.key)


def give_help(
    player: Player, origin: Origin, seed: str, *, stages: int, now: float, holder: Player | None = None
) -> int:
    """Note that the learner asks for one more stage of help with a question; how many they have had then.

    It's noted for the holder of the question as well, see `lessons.ticket_owners`.
    """
    others = [holder] if holder and holder.lock_key != player.lock_key else []
    with lock_actors(player, *others):
        hints = min(hints_given(player, origin, seed) + 1, stages)
        for each in (player, *others):
            _note_help(each, origin, seed, hints, datetime.fromtimestamp(now, UTC))
    return hints


def _note_help(player: Player, origin: Origin, seed: str, hints: int, at: datetime) -> None:
    row, _is_new = HelpGiven.objects.get_or_create(
        **origin.columns, seed=seed, **player.key, defaults={"hints": hints, "at": at}
    )
    if row.hints < hints:
        # Not `save`: a note from long ago may be forgotten at this moment.
        HelpGiven.objects.filter(pk=row.pk).update(hints=hints)


def hints_given(player: Player, origin: Origin, seed: str) -> int:
    """How much help the learner has had with a question, whatever their ticket says."""
    found = HelpGiven.objects.filter(**origin.columns, seed=seed, **player.key).values_list("hints", flat=True)
    return found.first() or 0


def forget_help(before: datetime) -> int:
    """Remove notes about help with questions of long ago, some at a time; how many."""
    return delete_in_chunks(HelpGiven.objects.filter(at__lt=before))


def finish_step(player: Player, unit: str, step: str, *, now: float) -> None:
    # Whoever signs in at this moment takes the same step along.
    with lock_actors(player):
        append_step([player], unit, step, now=now)


def append_step(players: Iterable[Player], unit: str, step: str, *, now: float) -> None:
    """The same for one or many in one statement, see `append_event`."""
    at = datetime.fromtimestamp(now, UTC)
    # In one order everywhere: two lessons may do so for the same learners.
    in_order = sorted(players, key=lambda each: each.lock_key)
    rows = [StepDone(unit=unit, step=step, **each.key, at=at) for each in in_order]
    StepDone.objects.bulk_create(rows, ignore_conflicts=True)


def rebuild(player: Player) -> None:
    """Throw the learner's progress away and make it anew from the events."""
    with lock_actors(player):
        snapshots.rebuild(player)


def merge_learning(guest: Player, user: Player, now: float) -> None:
    """Make what a guest has learned the user's own, with both of them locked."""
    _drop_sent_twice(guest, user)
    _keep_one_first(guest, user)
    LearningEvent.objects.of(guest).give_to(user)
    known = set(StepDone.objects.of(user).values_list("unit", "step"))
    for row in StepDone.objects.of(guest):
        if (row.unit, row.step) in known:
            row.delete()
    StepDone.objects.of(guest).give_to(user)
    _merge_help(guest, user)
    Progress.objects.of(guest).delete()
    snapshots.rebuild(user)


def _drop_sent_twice(guest: Player, user: Player) -> None:
    """An answer that the browser sent as a guest, and again after signing in, is one answer."""
    sent = LearningEvent.objects.filter(sent_as__isnull=False, **user.key).values("sent_as")
    LearningEvent.objects.filter(sent_as__in=list(sent.values_list("sent_as", flat=True)), **guest.key).delete()


def _keep_one_first(guest: Player, user: Player) -> None:
    """Of a question that was tried as a guest and as a user, the earlier first try is the first."""
    both = LearningEvent.objects.filter(Q(**guest.key) | Q(**user.key), is_first=True)
    seen: set[tuple[str, ...]] = set()
    doubles = []
    for pk, *question in both.order_by("at", "pk").values_list("pk", *QUESTION):
        if tuple(question) in seen:
            doubles.append(pk)
        seen.add(tuple(question))
    LearningEvent.objects.filter(pk__in=doubles).update(is_first=False)


def _merge_help(guest: Player, user: Player) -> None:
    """Of a question that help was asked for as a guest and as a user, the larger count stays."""
    mine = {row.question: row for row in HelpGiven.objects.filter(**user.key)}
    for row in HelpGiven.objects.filter(**guest.key):
        same = mine.get(row.question)
        if same:
            HelpGiven.objects.filter(pk=same.pk).update(hints=max(same.hints, row.hints))
            row.delete()
    HelpGiven.objects.of(guest).give_to(user)
