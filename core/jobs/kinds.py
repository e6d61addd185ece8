"""What kinds of work there are. An app declares its own in a module `jobs`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

from django.utils.functional import Promise
from django.utils.module_loading import autodiscover_modules


class Reporter(Protocol):
    """How work tells how far it is; it raises `Stopped` where it is no longer wanted."""

    def __call__(self, progress: float, so_far: Mapping[str, Any] | None = None) -> None: ...


class Stopped(Exception):
    """Somebody has pressed the stop button."""


class Failure(Exception):
    """It cannot be done, with the reason in words for who asked."""


@dataclass(frozen=True, slots=True)
class JobResult:
    """What came of it: data for a page, and a file where there is one."""

    data: Mapping[str, Any] = field(default_factory=dict)
    file: bytes | None = None
    name: str = ""


Work = Callable[[Mapping[str, Any], Reporter], JobResult]


@dataclass(frozen=True, slots=True)
class JobKind:
    slug: str
    title: str | Promise
    work: Work
    template: str = "jobs/_result.html"
    """Shows the result, or what there is so far."""
    seconds: float = 300.0
    """How long a run may take; past it the process is ended."""


_kinds: dict[str, JobKind] = {}


def declare(kind: JobKind) -> None:
    _kinds[kind.slug] = kind


def kind_of(slug: str) -> JobKind:
    _discover()
    return _kinds[slug]


@cache
def _discover() -> None:
    autodiscover_modules("jobs")
