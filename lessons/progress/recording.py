"""The only writer of what is learned: tries, finished steps, and the progress that follows from the tries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from core.actors import lock_actors
from core.db.chunks import delete_in_chunks
from games.players import Player
from games.rules import Feature
from lessons.models import Attempt, HelpGiven, Progress, StepDone
from lessons.progress.mastery import Try, mastery, new_states, update
from lessons.progress.tracing import SkillState
from lessons.skills import Evidence, ExerciseKind, Skill, Wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as it was put, so that it can be put again."""

    place: str
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


def record_attempt(
    player: Player, asked: Asked, answered: Answered, *, now: float, sent_as: UUID | None = None
) -> Attempt:
    """Keep a try. Only the first at a question says what the learner can; the others put it right.

    An answer that is sent again under the same name is the try that is kept already.
    """
    with lock_actors(player):
        if sent_as and (known := Attempt.objects.filter(sent_as=sent_as, **player.key).first()):
            return known
        same = Attempt.objects.filter(place=asked.place, seed=asked.seed, **player.key)
        attempt = Attempt.objects.create(
            **player.key,
            at=datetime.fromtimestamp(now, UTC),
            place=asked.place,
            kind=asked.kind or "",
            wanted=_wanted_record(asked.wanted),
            seed=asked.seed,
            cards=list(asked.cards),
            answer=answered.answer,
            is_right=answered.is_right,
            is_first=not same.exists(),
            missed=[feature.value for feature in answered.missed],
            evidence=[[each.skill.value, each.is_right] for each in answered.evidence],
            seconds=answered.seconds,
            hints=max(answered.hints, hints_given(player, asked.place, asked.seed)),
            sent_as=sent_as,
        )
        if attempt.is_first and answered.evidence:
            if counted_attempts(player).filter(at__gt=attempt.at).exists():
                # It was given without a network, and comes after what was answered later.
                _rebuild(player)
            else:
                states = skill_states(player)
                _save_states(player, states, update(states, try_of(attempt)))
    return attempt


def give_help(player: Player, place: str, seed: str, *, stages: int, now: float, holder: Player | None = None) -> int:
    """Note that the learner asks for one more stage of help with a question; how many they have had then.

    It's noted for the holder of the question as well, see `lessons.ticket_owners`.
    """
    others = [holder] if holder and holder.lock_key != player.lock_key else []
    with lock_actors(player, *others):
        hints = min(hints_given(player, place, seed) + 1, stages)
        for each in (player, *others):
            _note_help(each, place, seed, hints, datetime.fromtimestamp(now, UTC))
    return hints


def _note_help(player: Player, place: str, seed: str, hints: int, at: datetime) -> None:
    row, _is_new = HelpGiven.objects.get_or_create(
        place=place, seed=seed, **player.key, defaults={"hints": hints, "at": at}
    )
    if row.hints < hints:
        # Not `save`: a note from long ago may be forgotten at this moment.
        HelpGiven.objects.filter(pk=row.pk).update(hints=hints)


def hints_given(player: Player, place: str, seed: str) -> int:
    """How much help the learner has had with a question, whatever their ticket says."""
    found = HelpGiven.objects.filter(place=place, seed=seed, **player.key).values_list("hints", flat=True)
    return found.first() or 0


def forget_help(before: datetime) -> int:
    """Remove notes about help with questions of long ago, some at a time; how many."""
    return delete_in_chunks(HelpGiven.objects.filter(at__lt=before))


def finish_step(player: Player, unit: str, step: str, *, now: float) -> None:
    # Whoever signs in at this moment takes the same step along.
    with lock_actors(player):
        StepDone.objects.get_or_create(
            unit=unit, step=step, **player.key, defaults={"at": datetime.fromtimestamp(now, UTC)}
        )


def skill_states(player: Player | None) -> dict[Skill, SkillState]:
    """How every skill of the learner stands, as of when it was last seen."""
    states = new_states()
    if player:
        states.update(map(_state_of, Progress.objects.filter(**player.key)))
    return states


def skill_states_of(users: Iterable[Any]) -> dict[int, dict[Skill, SkillState]]:
    """The same for many users at once, by the user's key."""
    states = {user.pk: new_states() for user in users}
    for row in Progress.objects.filter(user__in=states):
        states[row.user_id].update([_state_of(row)])
    return states


def _state_of(row: Progress) -> tuple[Skill, SkillState]:
    skill = Skill(row.skill)
    return skill, SkillState(skill, **{**row.state, "path": tuple(row.state["path"])})


def rebuild(player: Player) -> None:
    """Throw the learner's progress away and make it anew from the tries."""
    with lock_actors(player):
        _rebuild(player)


def _rebuild(player: Player) -> None:
    Progress.objects.filter(**player.key).delete()
    tries = [try_of(row) for row in counted_attempts(player)]
    if tries:
        _save_states(player, new_states(), mastery(tries, max(each.at for each in tries)))


def merge_learning(guest: Player, user: Player, now: float) -> None:
    """Make what a guest has learned the user's own, with both of them locked."""
    _drop_sent_twice(guest, user)
    _keep_one_first(guest, user)
    Attempt.objects.of(guest).give_to(user)
    known = set(StepDone.objects.of(user).values_list("unit", "step"))
    for row in StepDone.objects.of(guest):
        if (row.unit, row.step) in known:
            row.delete()
    StepDone.objects.of(guest).give_to(user)
    _merge_help(guest, user)
    Progress.objects.of(guest).delete()
    _rebuild(user)


def _drop_sent_twice(guest: Player, user: Player) -> None:
    """An answer that the browser sent as a guest, and again after signing in, is one answer."""
    sent = Attempt.objects.filter(sent_as__isnull=False, **user.key).values("sent_as")
    Attempt.objects.filter(sent_as__in=list(sent.values_list("sent_as", flat=True)), **guest.key).delete()


def _keep_one_first(guest: Player, user: Player) -> None:
    """Of a question that was tried as a guest and as a user, the earlier first try is the first."""
    both = Attempt.objects.filter(Q(**guest.key) | Q(**user.key), is_first=True)
    seen: set[tuple[str, str]] = set()
    doubles = []
    for pk, place, seed in both.order_by("at", "pk").values_list("pk", "place", "seed"):
        if (place, seed) in seen:
            doubles.append(pk)
        seen.add((place, seed))
    Attempt.objects.filter(pk__in=doubles).update(is_first=False)


def _merge_help(guest: Player, user: Player) -> None:
    """Of a question that help was asked for as a guest and as a user, the larger count stays."""
    mine = {(row.place, row.seed): row for row in HelpGiven.objects.filter(**user.key)}
    for row in HelpGiven.objects.filter(**guest.key):
        same = mine.get((row.place, row.seed))
        if same:
            HelpGiven.objects.filter(pk=same.pk).update(hints=max(same.hints, row.hints))
            row.delete()
    HelpGiven.objects.of(guest).give_to(user)


def counted_attempts(player: Player) -> Any:
    """The tries that say something about skills, in their order."""
    return Attempt.objects.filter(is_first=True, **player.key).exclude(evidence=[]).order_by("at", "pk")


def try_of(row: Attempt) -> Try:
    return Try(
        at=row.at.timestamp(),
        kind=ExerciseKind(row.kind) if row.kind else None,
        is_right=row.is_right,
        missed=missed_from(row.missed),
        evidence=evidence_from(row.evidence),
        seconds=row.seconds,
        hints=row.hints,
        wanted=wanted_from(row.wanted) if row.wanted else None,
    )


def missed_from(record: Iterable[str]) -> tuple[Feature, ...]:
    return tuple(Feature(feature) for feature in record)


def evidence_from(record: Iterable[tuple[str, bool]]) -> tuple[Evidence, ...]:
    return tuple(Evidence(Skill(skill), is_right) for skill, is_right in record)


def _wanted_record(wanted: Wanted | None) -> dict[str, Any]:
    return asdict(wanted) if wanted else {}


def wanted_from(record: dict[str, Any]) -> Wanted:
    focus = record.get("focus")
    return Wanted(
        kind=ExerciseKind(record["kind"]),
        difficulty=record["difficulty"],
        focus=Feature(focus) if focus else None,
        easy=record["easy"],
    )


def _save_states(player: Player, before: dict[Skill, SkillState], after: dict[Skill, SkillState]) -> None:
    for skill, state in after.items():
        if state != before[skill]:
            record = {**asdict(state), "path": list(state.path)}
            del record["skill"]
            Progress.objects.update_or_create(skill=skill.value, **player.key, defaults={"state": record})
