"""Tickets carry a question through a form, and an exercise's ticket is encrypted.

What an exercise asks for gives away its answer (the focus is the feature that breaks it), so signing isn't enough.
Encryption also proves that the question being answered is one of ours.
"""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.utils.crypto import salted_hmac

from core.keys import all_keys
from lessons.course.units import Step, Unit, find_step
from lessons.progress.origins import Origin, Source
from lessons.progress.records import wanted_from
from lessons.questions import BadWanted, Question, make_exercise
from lessons.skills import Wanted

_SALT = "lessons.tickets"
_SECONDS = 2 * 86_400


class BadTicket(ValueError):
    """The ticket isn't one of ours, or it has expired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    origin: Origin
    wanted: Wanted | None
    """None for a course-only question, which needs no encryption because the page's URL already names it."""
    seed: str
    """Empty for a question that's written out in the course."""
    shown_at: float
    hints: int = 0
    """How much help the page shows. `lessons.progress.recording` keeps its own count for grading."""
    found: tuple[tuple[int, int, int], ...] = ()
    """The SETs found so far, if all of them are to be found."""
    is_ahead: bool = False
    """Handed out for offline use, so it's unknown when it was shown."""
    owner: str = ""
    """Who was asked, see `lessons.ticket_owners`."""

    def sealed(self) -> str:
        return _fernet(*all_keys()).encrypt(json.dumps(asdict(self) | {"origin": self.origin.place}).encode()).decode()

    @property
    def key(self) -> tuple[Origin, str]:
        """The origin and seed under which answers and help are stored."""
        return self.origin, self.seed or self.origin.place

    @property
    def is_timed(self) -> bool:
        return self.wanted is not None and not self.is_ahead

    def with_found(self, cards: tuple[int, int, int]) -> Ticket:
        return replace(self, found=(*self.found, cards))

    @property
    def question(self) -> Question:
        if self.seed and self.wanted:
            return make_exercise(self.wanted, self.seed)
        found = find_step(self.origin.unit, self.origin.step)
        written = found[1].question.written if found else None
        if written is None or (written.kind is None) is not (self.wanted is None):
            raise BadTicket("the course has no such question")
        return written


def ticket_for_step(unit: Unit, step: Step, *, wanted: Wanted | None = None, seed: str = "", now: float) -> Ticket:
    """A ticket for a step of the course. The seed only matters if the step generates its exercises."""
    is_written = step.question.written is not None
    origin = Origin(Source.COURSE, unit.slug, step.slug)
    return Ticket(origin=origin, wanted=wanted, seed="" if is_written else seed, shown_at=now)


def read_ticket(text: str) -> Ticket:
    try:
        data: dict[str, Any] = json.loads(_fernet(*all_keys()).decrypt(text.encode(), ttl=_SECONDS))
    except InvalidToken as error:
        raise BadTicket("not sealed by us, or too long ago") from error
    wanted = wanted_from(data.pop("wanted"))
    found = tuple((a, b, c) for a, b, c in data.pop("found"))
    # Until November 2026, the field was called "place".
    origin = Origin.of_place(data.pop("origin", None) or data.pop("place"))
    ticket = Ticket(origin=origin, wanted=wanted, found=found, **data)
    try:
        # The course may have changed since the ticket was sealed.
        _ = ticket.question
    except BadWanted as error:
        raise BadTicket(str(error)) from error
    return ticket


@cache
def _fernet(*keys: str) -> MultiFernet:
    digests = [salted_hmac(_SALT, "", secret=each, algorithm="sha256").digest() for each in keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])
