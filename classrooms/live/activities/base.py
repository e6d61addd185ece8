"""What an activity is to the three screens, and what most of them have in common."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Final, Protocol

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from classrooms.live.errors import LessonRefusal
from classrooms.models import Activity, Answer, Attendee, Stage
from core.db.inserts import insert_unless_there
from games.players import Player
from games.rules import Feature
from lessons.progress.origins import Origin, Source
from lessons.progress.recording import Answered, Asked, append_event
from lessons.skills import Evidence

Words = str | Promise
IN_LESSON: Final = Origin(Source.LESSON)


@dataclass(frozen=True, slots=True)
class Screen:
    """A fragment of a page: its template, and what that needs beside `session`, `activity` and the viewer."""

    template: str
    context: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Order:
    """A button on the remote."""

    slug: str
    words: Words
    is_main: bool = True


REVEAL = Order("reveal", _("Show the answer"))
NEXT = Order("next", _("Next"))
FINISH = Order("finish", _("Finish"), is_main=False)


class NoOptions(forms.Form):
    """Nothing to choose."""


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """A graded answer, ready to be kept."""

    cards: Sequence[int]
    answer: Mapping[str, Any]
    is_right: bool
    missed: Sequence[Feature]
    evidence: Sequence[Evidence]
    asked: Asked
    key: str = ""


class ActivityType:
    """One kind of activity. Methods that change run within the lock of the session; the caller saves the activity."""

    slug: ClassVar[str]
    title: ClassVar[Words]
    about: ClassVar[Words]
    form: ClassVar[type[forms.Form]] = NoOptions
    has_rounds: ClassVar[bool] = True
    """Whether who comes late waits for the next round."""
    keeps_parts: ClassVar[bool] = False
    """Whether a device's part changes with nothing but the version of the session and what `own` says."""
    changes_by_answers: ClassVar[bool] = True
    """Whether an answer may change the activity itself; where it can't, all that answers need was read before."""

    # What happens

    def begin(self, activity: Activity) -> dict[str, Any]:
        """The first state; the activity is not saved yet."""
        return {"seed": secrets.token_hex(8)}

    def begun(self, activity: Activity) -> None:
        """It is saved: time for what needs its row. Save again what changes."""

    def act(self, activity: Activity, attendee: Attendee, form: QueryDict, now: float) -> bool:
        """Take what a device sends; whether other devices show something else now."""
        raise NotImplementedError

    def orders(self, activity: Activity) -> list[Order]:
        """The buttons that the remote has now."""
        return [REVEAL, FINISH] if activity.stage == Stage.OPEN else [NEXT, FINISH]

    def steer(self, activity: Activity, order: str, form: QueryDict) -> None:
        """A button of the remote."""
        if order == REVEAL.slug:
            activity.stage = Stage.REVEALED
        elif order == NEXT.slug:
            self.next_round(activity)
        elif order == FINISH.slug:
            self.finish(activity)
            activity.stage, activity.ended_at = Stage.DONE, timezone.now()

    def next_round(self, activity: Activity) -> None:
        activity.round += 1
        activity.round_at = timezone.now()
        activity.stage = Stage.OPEN

    def finish(self, activity: Activity) -> None:
        """Clear away what must not go on."""

    def pause(self, activity: Activity) -> None:
        """Stop the clocks, where there are any."""

    def resume(self, activity: Activity) -> None: ...

    def attendee_changed(self, activity: Activity, attendee: Attendee) -> None:
        """Somebody came, was sent out, got more time, another team or name."""

    def came_or_went(self, activity: Activity, attendee: Attendee) -> None:
        """Somebody's device has come or gone; `is_connected` says which."""

    # What is shown

    def own(self, activity: Activity, attendees: Collection[Attendee]) -> Mapping[int, Hashable]:
        """What the screen of each device follows from, by the key of its seat; equal ones show the same.

        Where nothing else is said, that's the seat itself.
        """
        return {each.pk: each for each in attendees}

    def device(self, activity: Activity, own: Any) -> Screen:
        """What's shown to the seats that have this of their own."""
        raise NotImplementedError

    def projector(self, activity: Activity) -> Screen:
        raise NotImplementedError

    def remote(self, activity: Activity) -> Screen:
        """What the teacher sees beside the buttons; the projector's picture in small, unless there is more to say."""
        return self.projector(activity)

    def is_counting(self, activity: Activity) -> bool:
        """Whether an answer that comes changes nothing but the count on the projector."""
        return False

    def paper(self, activity: Activity) -> Screen | None:
        """What the teacher taps in for a student without a device; None where paper cannot take part."""
        return None


def keep(activity: Activity, attendee: Attendee, given: GradedAnswer, now: float) -> None:
    """Keep an answer, once, as an event like those of practice, a guest's too. A second one is refused."""
    said = Answered(answer=dict(given.answer), is_right=given.is_right, missed=given.missed, evidence=given.evidence)
    answer = Answer(
        event=append_event(player_of(attendee), given.asked, said, now=now),
        activity=activity,
        attendee=attendee,
        round=activity.round,
        key=given.key,
        cards=list(given.cards),
    )
    if not insert_unless_there(answer):
        raise LessonRefusal(str(_("You have answered already.")))


def player_of(attendee: Attendee) -> Player:
    if attendee.user:
        return Player(name=attendee.name, user=attendee.user)
    return Player(name=attendee.name, guest=attendee.guest)


def answer_of(activity: Activity, attendee: Attendee) -> Answer | None:
    """What somebody has said in the present round."""
    return activity.answers.filter(attendee=attendee, round=activity.round).first()


@dataclass(frozen=True, slots=True)
class Count:
    """How many of those who are there have answered."""

    answered: int
    there: int

    @property
    def is_everybody(self) -> bool:
        return self.there > 0 and self.answered >= self.there


def count_answers(activity: Activity) -> Count:
    """Of the present round."""
    return counted(activity, activity.session.attendees.filter(removed_at=None), answered_by(activity))


def answered_by(activity: Activity) -> set[int]:
    """The keys of the seats that have answered in the present round."""
    return set(activity.answers.filter(round=activity.round).values_list("attendee", flat=True))


class Present(Protocol):
    """Somebody who takes part, as far as they're counted."""

    @property
    def pk(self) -> int: ...
    @property
    def is_connected(self) -> bool: ...
    @property
    def joined_at(self) -> datetime: ...


def counted(activity: Activity, present: Iterable[Present], answered: Collection[int]) -> Count:
    """Who has answered and gone counts as answered, and not as somebody to wait for."""
    is_open = activity.stage == Stage.OPEN
    there = (each for each in present if each.is_connected and not (is_open and each.joined_at > activity.round_at))
    has_answered = [each.pk in answered for each in there]
    return Count(sum(has_answered), len(has_answered))


def seed_of(activity: Activity) -> str:
    """One word for each round of each activity of each lesson."""
    return f"{activity.session.code}-{activity.number}-{activity.round}"
