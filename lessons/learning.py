"""The only writer of what is learned: tries, finished steps, and the progress that follows from the tries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from games.players import Player
from games.rules import Feature
from lessons.mastery import Try, mastery, new_states, update
from lessons.models import Attempt, Progress, StepDone
from lessons.skills import Evidence, Kind, Skill, Wanted
from lessons.tracing import SkillState


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as it was put, so that it can be put again."""

    place: str
    kind: Kind | None
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
    if sent_as is None:
        return _record_attempt(player, asked, answered, now=now)
    known = Attempt.objects.filter(sent_as=sent_as, **player.key)
    try:
        return known.first() or _record_attempt(player, asked, answered, now=now, sent_as=sent_as)
    except IntegrityError:
        # Two requests brought it at the same moment, and the other was first.
        return known.get()


def _record_attempt(
    player: Player, asked: Asked, answered: Answered, *, now: float, sent_as: UUID | None = None
) -> Attempt:
    with transaction.atomic():
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
            hints=answered.hints,
            sent_as=sent_as,
        )
        if attempt.is_first and answered.evidence:
            if counted_attempts(player).filter(at__gt=attempt.at).exists():
                # It was given without a network, and comes after what was answered later.
                rebuild(player)
            else:
                states = skill_states(player)
                _save_states(player, states, update(states, try_of(attempt)))
    return attempt


def finish_step(player: Player, unit: str, step: str, *, now: float) -> None:
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
    with transaction.atomic():
        Progress.objects.filter(**player.key).delete()
        tries = [try_of(row) for row in counted_attempts(player)]
        if tries:
            _save_states(player, new_states(), mastery(tries, max(each.at for each in tries)))


def take_along(guest: Player, user: Player) -> None:
    """Make what a guest has learned the user's own."""
    with transaction.atomic():
        Attempt.objects.filter(**guest.key).update(guest="", **user.key)
        _keep_one_first(user)
        known = StepDone.objects.filter(**user.key).values_list("unit", "step")
        for row in StepDone.objects.filter(**guest.key):
            if (row.unit, row.step) in known:
                row.delete()
        StepDone.objects.filter(**guest.key).update(guest="", **user.key)
        Progress.objects.filter(**guest.key).delete()
        rebuild(user)


def _keep_one_first(player: Player) -> None:
    """Of a question that was tried as a guest and as a user, the earlier first try is the first."""
    seen: set[tuple[str, str]] = set()
    for row in Attempt.objects.filter(is_first=True, **player.key).order_by("at", "pk"):
        if (row.place, row.seed) in seen:
            Attempt.objects.filter(pk=row.pk).update(is_first=False)
        seen.add((row.place, row.seed))


def counted_attempts(player: Player) -> Any:
    """The tries that say something about skills, in their order."""
    return Attempt.objects.filter(is_first=True, **player.key).exclude(evidence=[]).order_by("at", "pk")


def try_of(row: Attempt) -> Try:
    return Try(
        at=row.at.timestamp(),
        kind=Kind(row.kind) if row.kind else None,
        is_right=row.is_right,
        missed=tuple(Feature(feature) for feature in row.missed),
        evidence=tuple(Evidence(Skill(skill), is_right) for skill, is_right in row.evidence),
        seconds=row.seconds,
        hints=row.hints,
        wanted=wanted_from(row.wanted) if row.wanted else None,
    )


def _wanted_record(wanted: Wanted | None) -> dict[str, Any]:
    return asdict(wanted) if wanted else {}


def wanted_from(record: dict[str, Any]) -> Wanted:
    focus = record.get("focus")
    return Wanted(
        kind=Kind(record["kind"]),
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
