"""The base class of activities, with what it shows on the three screens, and helpers that most activities share."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Protocol

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from classrooms.models import Activity, Attendee, Stage
from games.players import Player

Words = str | Promise


@dataclass(frozen=True, slots=True)
class Screen:
    """A fragment of a page: its template and context, apart from `session`, `activity` and the viewer."""

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
    """An empty form, for an activity without options."""


class ActivityType:
    """One kind of activity. Methods that change it run with the session locked, and the caller saves the activity."""

    slug: ClassVar[str]
    title: ClassVar[Words]
    about: ClassVar[Words]
    form: ClassVar[type[forms.Form]] = NoOptions
    has_rounds: ClassVar[bool] = True
    """Whether latecomers wait for the next round."""
    keeps_parts: ClassVar[bool] = False
    """Whether a device's part depends only on the session's version and on `own`, so that it can be cached."""
    changes_by_answers: ClassVar[bool] = True
    """Whether an answer may change the activity. If not, it needn't be read again under the lock or saved."""
    answers_reach_devices: ClassVar[bool] = False
    """Whether other devices may show something else after an answer."""

    # What happens

    def begin(self, activity: Activity) -> dict[str, Any]:
        """The initial state. The activity isn't saved yet."""
        return {"seed": secrets.token_hex(8)}

    def begun(self, activity: Activity) -> None:
        """Called after the activity is saved, for what needs its row. Save any further changes here."""

    def act(self, activity: Activity, attendee: Attendee, form: QueryDict, now: float) -> None:
        """Handle what a device sends."""
        raise NotImplementedError

    def orders(self, activity: Activity) -> list[Order]:
        """The remote's buttons at the moment."""
        return [REVEAL, FINISH] if activity.stage == Stage.OPEN else [NEXT, FINISH]

    def steer(self, activity: Activity, order: str, form: QueryDict) -> None:
        """Apply a button of the remote."""
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
        """Stop what mustn't go on after the activity."""

    def pause(self, activity: Activity) -> None:
        """Stop the clocks, if there are any."""

    def resume(self, activity: Activity) -> None: ...

    def attendee_changed(self, activity: Activity, attendee: Attendee) -> None:
        """Called when somebody joins, is taken out, or gets more time, another team or another name."""

    def came_or_went(self, activity: Activity, attendee: Attendee) -> None:
        """Called when somebody's device connects or disconnects; `is_connected` says which."""

    # What is shown

    def own(self, activity: Activity, attendees: Collection[Attendee]) -> Mapping[int, Hashable]:
        """What determines each device's screen, by its seat's primary key. Devices with equal values show the same.

        By default that's the seat itself.
        """
        return {each.pk: each for each in attendees}

    def device(self, activity: Activity, own: Any) -> Screen:
        """What seats with this value of `own` show."""
        raise NotImplementedError

    def projector(self, activity: Activity) -> Screen:
        raise NotImplementedError

    def remote(self, activity: Activity) -> Screen:
        """What the teacher sees beside the buttons; by default a small copy of the projector's picture."""
        return self.projector(activity)

    def is_counting(self, activity: Activity) -> bool:
        """Whether a new answer changes nothing but the count on the projector."""
        return False

    def paper(self, activity: Activity) -> Screen | None:
        """Where the teacher taps in a paper student's answer; None if the activity doesn't work on paper."""
        return None


def player_of(attendee: Attendee) -> Player:
    if attendee.user:
        return Player(name=attendee.name, user=attendee.user)
    return Player(name=attendee.name, guest=attendee.guest)


@dataclass(frozen=True, slots=True)
class Count:
    """How many of the connected attendees have answered."""

    answered: int
    there: int

    @property
    def is_everybody(self) -> bool:
        return self.there > 0 and self.answered >= self.there


def count_answers(activity: Activity) -> Count:
    """The count for the present round."""
    return counted(activity, activity.session.attendees.filter(removed_at=None), answered_by(activity))


def answered_by(activity: Activity) -> set[int]:
    """Primary keys of the seats that have answered in the present round."""
    return set(activity.answers.filter(round=activity.round).values_list("attendee", flat=True))


class Present(Protocol):
    """What `counted` needs to know about an attendee."""

    @property
    def pk(self) -> int: ...
    @property
    def is_connected(self) -> bool: ...
    @property
    def joined_at(self) -> datetime: ...


def counted(activity: Activity, present: Iterable[Present], answered: Collection[int]) -> Count:
    """Count connected attendees, and while the round is open only those who take part in it."""
    is_open = activity.stage == Stage.OPEN
    there = (each for each in present if each.is_connected and not (is_open and each.joined_at > activity.round_at))
    has_answered = [each.pk in answered for each in there]
    return Count(sum(has_answered), len(has_answered))


def seed_of(activity: Activity) -> str:
    """A seed that's unique to each round of each activity of each lesson."""
    return f"{activity.session.code}-{activity.number}-{activity.round}"
