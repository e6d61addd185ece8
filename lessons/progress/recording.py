"""The only module that writes learning data: events, finished steps, and help."""

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
    """A question as it was asked, with what's needed to ask it again."""

    origin: Origin
    kind: ExerciseKind | None
    wanted: Wanted | None = None
    seed: str = ""
    cards: Sequence[int] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The answer to a question, and its grade."""

    answer: dict[str, Any]
    is_right: bool
    missed: Sequence[Feature]
    evidence: Sequence[Evidence]
    seconds: float | None = None
    hints: int = 0


def record_event(
    player: Player, asked: Asked, answered: Answered, *, now: float, sent_as: UUID | None = None
) -> LearningEvent:
    """Append an answer. Only the first try at a question counts toward skills; later ones are corrections.

    If an answer is sent again with the same ID, return the event that exists already.
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
    """`record_event` in one statement, for callers that needn't lock the learner: a lesson holds a lock of its own."""
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
    """Record one more stage of help with a question; return how many stages the learner has now had.

    It's recorded for the holder of the question as well, see `lessons.ticket_owners`.
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
        # Not `save`, which would insert the row again if `forget_help` has just deleted it.
        HelpGiven.objects.filter(pk=row.pk).update(hints=hints)


def hints_given(player: Player, origin: Origin, seed: str) -> int:
    """How much help the learner has had with a question, whatever their ticket says."""
    found = HelpGiven.objects.filter(**origin.columns, seed=seed, **player.key).values_list("hints", flat=True)
    return found.first() or 0


def forget_help(before: datetime) -> int:
    """Delete old records of help, in chunks; return how many."""
    return delete_in_chunks(HelpGiven.objects.filter(at__lt=before))


def finish_step(player: Player, unit: str, step: str, *, now: float) -> None:
    # Locked, because a guest who's signing in may be bringing along the same step.
    with lock_actors(player):
        append_step([player], unit, step, now=now)


def append_step(players: Iterable[Player], unit: str, step: str, *, now: float) -> None:
    """`finish_step` for one or many learners in one statement, without locks, see `append_event`."""
    at = datetime.fromtimestamp(now, UTC)
    # Always in the same order, so that two lessons with the same learners don't deadlock.
    in_order = sorted(players, key=lambda each: each.lock_key)
    rows = [StepDone(unit=unit, step=step, **each.key, at=at) for each in in_order]
    StepDone.objects.bulk_create(rows, ignore_conflicts=True)


def rebuild(player: Player) -> None:
    """Rebuild the learner's progress from all their events."""
    with lock_actors(player):
        snapshots.rebuild(player)


def merge_learning(guest: Player, user: Player, now: float) -> None:
    """Transfer what a guest has learned to the user. Both must be locked."""
    _drop_sent_twice(guest, user)
    _keep_earlier_first_try(guest, user)
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
    """Drop the guest's copy of answers that the browser sent again after signing in."""
    sent = LearningEvent.objects.filter(sent_as__isnull=False, **user.key).values("sent_as")
    LearningEvent.objects.filter(sent_as__in=list(sent.values_list("sent_as", flat=True)), **guest.key).delete()


def _keep_earlier_first_try(guest: Player, user: Player) -> None:
    """If a question was tried both as guest and as user, only the earlier first try stays the first."""
    both = LearningEvent.objects.filter(Q(**guest.key) | Q(**user.key), is_first=True)
    seen: set[tuple[str, ...]] = set()
    doubles = []
    for pk, *question in both.order_by("at", "pk").values_list("pk", *QUESTION):
        if tuple(question) in seen:
            doubles.append(pk)
        seen.add(tuple(question))
    LearningEvent.objects.filter(pk__in=doubles).update(is_first=False)


def _merge_help(guest: Player, user: Player) -> None:
    """If help with a question was asked for both as guest and as user, the larger count stays."""
    mine = {row.question: row for row in HelpGiven.objects.filter(**user.key)}
    for row in HelpGiven.objects.filter(**guest.key):
        same = mine.get(row.question)
        if same:
            HelpGiven.objects.filter(pk=same.pk).update(hints=max(same.hints, row.hints))
            row.delete()
    HelpGiven.objects.of(guest).give_to(user)
