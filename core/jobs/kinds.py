"""The kinds of jobs. An app declares its own in a module named `jobs`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

from django.utils.functional import Promise
from django.utils.module_loading import autodiscover_modules


class Reporter(Protocol):
    """Called by the work to report progress; raises `Stopped` if the job is no longer wanted."""

    def __call__(self, progress: float, partial_result: Mapping[str, Any] | None = None) -> None: ...


class Stopped(Exception):
    """The job was cancelled, or its run was ended."""


class Failure(Exception):
    """The job can't be done; the message tells its owner why."""


@dataclass(frozen=True, slots=True)
class JobResult:
    """A job's result: data for its page, and a file if there is one."""

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
    """Renders the result, or the partial result so far."""
    seconds: float = 300.0
    """How long a run may take before its process is ended."""


_kinds: dict[str, JobKind] = {}


def declare(kind: JobKind) -> None:
    _kinds[kind.slug] = kind


def kind_of(slug: str) -> JobKind:
    _discover()
    return _kinds[slug]


@cache
def _discover() -> None:
    autodiscover_modules("jobs")
