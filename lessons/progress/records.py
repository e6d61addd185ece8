"""Converts what an event says about skills to and from database values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any, Final

from django.db.models import TextField
from django.db.models.functions import Cast

from games.rules import Feature
from lessons.models import LearningEvent
from lessons.progress.mastery import Try
from lessons.progress.tracing import SkillState
from lessons.skills import Evidence, ExerciseKind, Skill, Wanted

_CACHED = 2_048
TRY_COLUMNS: Final[tuple[str | Cast, ...]] = (
    *("at", "kind", "is_right", "seconds", "hints"),
    *(Cast(name, TextField()) for name in ("missed", "evidence", "wanted")),
)
"""What `try_from` reads. One page may need thousands of rows, so no model instances are created for them."""


def try_of(event: LearningEvent) -> Try:
    return Try(
        at=event.at.timestamp(),
        kind=ExerciseKind(event.kind) if event.kind else None,
        is_right=event.is_right,
        missed=missed_from(event.missed),
        evidence=evidence_from(event.evidence),
        seconds=event.seconds,
        hints=event.hints,
        wanted=wanted_from(event.wanted) if event.wanted else None,
    )


def try_from(values: Sequence[Any]) -> Try:
    """The try with these values of `TRY_COLUMNS`. Parsed JSON is cached, because the same texts recur."""
    at, kind, is_right, seconds, hints, missed, evidence, wanted = values
    return Try(
        at=at.timestamp(),
        kind=ExerciseKind(kind) if kind else None,
        is_right=is_right,
        missed=_missed(missed),
        evidence=_evidence(evidence),
        seconds=seconds,
        hints=hints,
        wanted=_wanted(wanted),
    )


@lru_cache(_CACHED)
def _missed(text: str) -> tuple[Feature, ...]:
    return missed_from(json.loads(text))


@lru_cache(_CACHED)
def _evidence(text: str) -> tuple[Evidence, ...]:
    return evidence_from(json.loads(text))


@lru_cache(_CACHED)
def _wanted(text: str) -> Wanted | None:
    record = json.loads(text)
    return wanted_from(record) if record else None


def missed_from(record: Iterable[str]) -> tuple[Feature, ...]:
    return tuple(Feature(feature) for feature in record)


def evidence_from(record: Iterable[tuple[str, bool]]) -> tuple[Evidence, ...]:
    return tuple(Evidence(Skill(skill), is_right) for skill, is_right in record)


def wanted_from(record: dict[str, Any]) -> Wanted:
    focus = record.get("focus")
    return Wanted(
        kind=ExerciseKind(record["kind"]),
        difficulty=record["difficulty"],
        focus=Feature(focus) if focus else None,
        easy=record["easy"],
    )


def wanted_record(wanted: Wanted | None) -> dict[str, Any]:
    return asdict(wanted) if wanted else {}


def state_from(skill: str, record: dict[str, Any]) -> SkillState:
    return SkillState(Skill(skill), **{**record, "path": tuple(record["path"])})


def state_record(state: SkillState) -> dict[str, Any]:
    record = {**asdict(state), "path": list(state.path)}
    del record["skill"]
    return record
