"""The report on a child for its guardians: in plain words, without grades, ranks or comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from classrooms.models import Classroom, User
from classrooms.reports.activity import PERIOD_DAYS, StudentActivity, activity_of
from games.rules import Card, Feature, explain, third_card
from games.rules.triples import Triple, Verdict
from lessons.progress.mastery import Level, Status, Try, most_missed, statuses
from lessons.progress.snapshots import skill_states_of
from lessons.queries import latest_tries_of
from lessons.questions import make_exercise
from lessons.skills import ExerciseKind, Skill, Wanted, feature_skill

WEEK: Final = 7
_LATEST: Final = 200
_MOST_SHOWN: Final = 4

CAN: Final[Mapping[Skill, Promise]] = {
    Skill.NUMBER: gettext_lazy("sees whether the numbers of symbols fit together"),
    Skill.COLOR: gettext_lazy("sees whether the colors fit together"),
    Skill.SHADING: gettext_lazy("sees whether full, striped and empty symbols fit together"),
    Skill.SHAPE: gettext_lazy("sees whether the shapes fit together"),
    Skill.IS_SET: gettext_lazy("can tell whether three cards are a SET"),
    Skill.WHICH_BREAKS: gettext_lazy("can say what is wrong with three cards that are no SET"),
    Skill.EXPLAIN: gettext_lazy("can explain three cards, one thing after the other"),
    Skill.THIRD_CARD: gettext_lazy("knows which third card two cards need"),
    Skill.FIND_ONE: gettext_lazy("finds a SET among many cards"),
    Skill.FIND_ALL: gettext_lazy("finds every SET on a table"),
    Skill.ANY_SET: gettext_lazy("can tell when there is no SET on a table"),
    Skill.DIFFERS_1: gettext_lazy("recognizes SETs where only one thing differs"),
    Skill.DIFFERS_2: gettext_lazy("recognizes SETs where two things differ"),
    Skill.DIFFERS_3: gettext_lazy("recognizes SETs where three things differ"),
    Skill.DIFFERS_4: gettext_lazy("recognizes the hardest SETs, where everything differs"),
}
"""Descriptions of a child who has a skill; after the child's name, they form a sentence."""

LEARNING: Final[Mapping[Skill, Promise]] = {
    Skill.NUMBER: gettext_lazy("to watch how many symbols there are"),
    Skill.COLOR: gettext_lazy("to watch the colors"),
    Skill.SHADING: gettext_lazy("to watch whether symbols are full, striped or empty"),
    Skill.SHAPE: gettext_lazy("to watch the shapes"),
    Skill.IS_SET: gettext_lazy("to tell whether three cards are a SET"),
    Skill.WHICH_BREAKS: gettext_lazy("to say what is wrong with three cards that are no SET"),
    Skill.EXPLAIN: gettext_lazy("to explain three cards, one thing after the other"),
    Skill.THIRD_CARD: gettext_lazy("to find the third card that two cards need"),
    Skill.FIND_ONE: gettext_lazy("to find a SET among many cards"),
    Skill.FIND_ALL: gettext_lazy("to find every SET on a table"),
    Skill.ANY_SET: gettext_lazy("to tell when there is no SET on a table"),
    Skill.DIFFERS_1: gettext_lazy("to recognize SETs where only one thing differs"),
    Skill.DIFFERS_2: gettext_lazy("to recognize SETs where two things differ"),
    Skill.DIFFERS_3: gettext_lazy("to recognize SETs where three things differ"),
    Skill.DIFFERS_4: gettext_lazy("to recognize the hardest SETs, where everything differs"),
}
"""What a child is working on; after "is learning", it forms a sentence."""


@dataclass(frozen=True, slots=True)
class Together:
    """Words for what to do with a child at the kitchen table about one feature."""

    title: Promise
    before: Promise
    """A warm-up without cards."""
    ask: Promise


TOGETHER: Final[Mapping[Feature, Together]] = {
    Feature.NUMBER: Together(
        gettext_lazy("Count together"),
        gettext_lazy("Take turns: one lays one, two or three spoons on the table, the other says the number at once."),
        gettext_lazy("Look only at how many symbols are on each card. All the same, all different, or two and one?"),
    ),
    Feature.COLOR: Together(
        gettext_lazy("Colors together"),
        gettext_lazy("Take turns: name three things in the kitchen of one color, then three of three colors."),
        gettext_lazy("Look only at the colors. All the same, all different, or two and one?"),
    ),
    Feature.SHADING: Together(
        gettext_lazy("Full, striped, empty"),
        gettext_lazy("Take turns: find something in the kitchen that is full, something striped, something empty."),
        gettext_lazy("Look only at how the symbols are filled. All the same, all different, or two and one?"),
    ),
    Feature.SHAPE: Together(
        gettext_lazy("Shapes together"),
        gettext_lazy("Take turns: draw an oval, a diamond or a wavy squiggle in the air, the other says which."),
        gettext_lazy("Look only at the shapes. All the same, all different, or two and one?"),
    ),
}


@dataclass(frozen=True, slots=True)
class KitchenTable:
    """Three minutes together: three cards that one feature breaks, and the card that would make them a SET."""

    feature: Feature
    words: Together
    cards: Triple
    verdict: Verdict
    odd: Card
    mended: Card
    """The card to take instead of the odd one."""


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    is_practiced: bool


@dataclass(frozen=True, slots=True)
class ChildReport:
    child: User
    can: tuple[Promise, ...]
    learning: tuple[Promise, ...]
    weeks: tuple[tuple[Day, ...], ...]
    """This week and the three before it, each starting on Monday, without future days."""
    last_practiced: datetime | None
    table: KitchenTable

    @property
    def practiced_days(self) -> list[date]:
        return [each.day for week in self.weeks for each in week if each.is_practiced]

    @property
    def in_a_sentence(self) -> str:
        """A one-sentence summary."""
        name = self.child.display_name
        if self.last_practiced is None:
            return _("%(name)s has not started yet.") % {"name": name}
        if self.learning:
            return _("%(name)s is learning %(what)s.") % {"name": name, "what": self.learning[0]}
        if self.can:
            return _("%(name)s %(what)s.") % {"name": name, "what": self.can[0]}
        return _("%(name)s has begun.") % {"name": name}

    def days_in_words(self, first: date, last: date) -> str:
        """A sentence that says on how many days of a span the child practiced."""
        days = sum(first <= day <= last for day in self.practiced_days)
        text = ngettext("%(name)s practiced on %(count)s day.", "%(name)s practiced on %(count)s days.", days)
        return text % {"name": self.child.display_name, "count": days}


def child_report(child: User, now: datetime) -> ChildReport:
    return child_reports([child], now)[0]


def child_reports(children: Sequence[User], now: datetime) -> list[ChildReport]:
    """One report per child. Takes as many queries for ten children as for one."""
    states = skill_states_of(children)
    tries = latest_tries_of(children, since=now - timedelta(days=PERIOD_DAYS), latest=_LATEST)
    activity = activity_of(children, now=now)
    return [
        _report(child, statuses(states[child.pk], now.timestamp()), tries[child.pk], activity[child.pk], now)
        for child in children
    ]


def _report(
    child: User, skills: list[Status], tries: list[Try], activity: StudentActivity, now: datetime
) -> ChildReport:
    held = sorted((each for each in skills if each.level >= Level.SURE), key=_importance, reverse=True)
    begun = [each for each in skills if Level.NEW < each.level < Level.SURE]
    begun.sort(key=lambda each: each.last_seen or 0.0, reverse=True)
    return ChildReport(
        child=child,
        can=tuple(CAN[each.skill] for each in held),
        learning=tuple(LEARNING[each.skill] for each in begun[:_MOST_SHOWN]),
        weeks=_weeks(activity.days, timezone.localdate(now)),
        last_practiced=activity.last_seen,
        table=kitchen_table(child, weakest_feature(skills, tries), now),
    )


def _importance(status: Status) -> tuple[int, int]:
    """Sort key: the level, then the place in the list, since later skills use earlier ones."""
    return int(status.level), list(Skill).index(status.skill)


def _weeks(practiced: frozenset[date], today: date) -> tuple[tuple[Day, ...], ...]:
    monday = today - timedelta(days=today.weekday() + PERIOD_DAYS - WEEK)
    days = [monday + timedelta(days=number) for number in range((today - monday).days + 1)]
    marked = [Day(day, day in practiced) for day in days]
    return tuple(tuple(marked[start : start + WEEK]) for start in range(0, len(marked), WEEK))


def weakest_feature(skills: Sequence[Status], tries: Sequence[Try]) -> Feature:
    """The feature missed most often lately; if none was missed, the one least likely to be held."""
    missed = most_missed(tries)
    if missed:
        return missed[0][0]
    held = {each.skill: each.probability for each in skills}
    return min(Feature, key=lambda feature: held[feature_skill(feature)])


def kitchen_table(child: User, feature: Feature, now: datetime) -> KitchenTable:
    """The cards stay the same all week, and change in the next."""
    year, week, _day = timezone.localdate(now).isocalendar()
    seed = f"family/{child.pk}/{year}/{week}"
    a, b, c = make_exercise(Wanted(ExerciseKind.WHICH_BREAKS, difficulty=1, focus=feature), seed).cards
    verdict = explain(a, b, c)
    odd = verdict[feature].odd_card or c
    first, second = (card for card in (a, b, c) if card is not odd)
    return KitchenTable(feature, TOGETHER[feature], (a, b, c), verdict, odd, third_card(first, second))


@dataclass(frozen=True, slots=True)
class Follower:
    """Somebody who can see how a child is doing, and why."""

    name: str
    why: str

    def __str__(self) -> str:
        return f"{self.name} ({self.why})"


def who_can_see(student: User) -> list[Follower]:
    """Guardians and the teachers of the student's classes: nobody else can."""
    guardians = User.objects.filter(children_links__child=student, deleted_at=None).order_by("display_name")
    found = [Follower(guardian.display_name, _("guardian")) for guardian in guardians]
    classes = (
        Classroom.objects.not_deleted()
        .filter(enrolments__student=student)
        .prefetch_related("teachers")
        .order_by("name")
    )
    for classroom in classes:
        why = _("teaches %(name)s") % {"name": classroom.name}
        teachers = sorted(classroom.teachers.all(), key=str)
        found += [Follower(teacher.display_name, why) for teacher in teachers if teacher.deleted_at is None]
    return found
