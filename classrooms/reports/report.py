"""The reports on a class and on a student: the numbers that the screen, the print view and the exports all show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext as _

from classrooms.classes.assignments import Standing, standings
from classrooms.models import Classroom, Enrolment, User
from classrooms.reports.activity import PERIOD_DAYS, StudentActivity, activity_of
from classrooms.reports.ledger import MistakeTally, tally, wrong_triples
from games.players import Player
from games.rules import Feature
from games.words import FEATURES, THE_FEATURES
from lessons.models import LearningEvent
from lessons.progress.mastery import Level, Status, Try, most_missed, statuses
from lessons.progress.misconceptions import Idea, Misconception, misconceptions
from lessons.progress.snapshots import skill_states_of
from lessons.queries import UnitOnPath, latest_tries_of, path
from lessons.questions import EXERCISES
from lessons.skills import ExerciseKind, Skill, kind_skill
from lessons.words import SKILLS

LATEST: Final = 60
"""How many tries of the last four weeks are considered."""
LATELY: Final = 20
"""How many of these decide who needs help now."""
OFTEN: Final = 3
"""Fewer misses than this are put down to chance."""
MISSED_SHARE: Final = 0.4
WEEKS: Final = 8
PER_PAGE: Final = 20
STUDENTS_PER_PAGE: Final = 60
"""Any ordinary class fits on one page."""

FEATURE_SKILLS: Final = tuple(Skill(feature.value) for feature in Feature)
KIND_SKILLS: Final = tuple(kind_skill(kind) for kind in ExerciseKind)
DIFFERING_SKILLS: Final = tuple(skill for skill in Skill if skill.value.startswith("differs-"))


@dataclass(frozen=True, slots=True)
class Need:
    """What a student needs help with: a feature, or a kind of exercise."""

    about: Feature | ExerciseKind
    missed: int
    of: int
    is_two_and_one: bool = False
    """Whether most misses were an overlooked "two and one"."""

    @property
    def words(self) -> str:
        name = FEATURES[self.about] if isinstance(self.about, Feature) else SKILLS[kind_skill(self.about)]
        if isinstance(self.about, ExerciseKind):
            text = _("“%(what)s”: missed %(missed)s of %(of)s")
        elif self.is_two_and_one:
            text = _("%(what)s: two and one missed %(missed)s of %(of)s")
        else:
            text = _("%(what)s: missed %(missed)s of %(of)s")
        return text % {"what": name, "missed": self.missed, "of": self.of}


def needs_of(tries: Sequence[Try]) -> tuple[Need, ...]:
    """What was missed at least three times lately and at least four times in ten, most often missed first.

    Kinds of exercises are only named if no feature explains the misses.
    """
    late = tries[-LATELY:]
    features = [Need(*each, _overlooked(each[0], late) * 2 > each[1]) for each in most_missed(late)]
    asked = Counter(each.kind for each in late if each.kind)
    wrong = Counter(each.kind for each in late if each.kind and not each.is_right)
    kinds = [Need(kind, count, asked[kind]) for kind, count in wrong.most_common()]
    return tuple(filter(_is_grave, features)) or tuple(filter(_is_grave, kinds))


def _is_grave(need: Need) -> bool:
    return need.missed >= OFTEN and need.missed >= MISSED_SHARE * need.of


def _overlooked(feature: Feature, tries: Iterable[Try]) -> int:
    """How often the learner took three cards for a SET although this feature breaks them, or didn't name it."""
    return sum(
        feature in each.missed and (_claims_a_set(each) or bool(each.wanted and each.wanted.focus is feature))
        for each in tries
    )


def _claims_a_set(try_: Try) -> bool:
    return try_.kind is not None and EXERCISES[try_.kind].claims_a_set


def belief_words(belief: Misconception) -> str:
    if belief.idea is Idea.OVERLOOKS and belief.feature:
        return _("seems not to look at %(feature)s") % {"feature": THE_FEATURES[belief.feature]}
    return _("seems to think that everything must be alike")


@dataclass(frozen=True, slots=True)
class HelpRow:
    """A student, and what they need help with."""

    enrolment: Enrolment
    needs: tuple[Need, ...]
    beliefs: tuple[Misconception, ...]
    """What they seem to believe wrongly."""

    @property
    def help_words(self) -> list[str]:
        """What they need help with now; empty if nothing."""
        return [*map(belief_words, self.beliefs), *(need.words for need in self.needs)]

    @property
    def urgency(self) -> float:
        return len(self.beliefs) + max((need.missed / need.of for need in self.needs), default=0.0)


def most_urgent(rows: Iterable[HelpRow]) -> list[Any]:
    """Those who need help now, the most urgent first."""
    return sorted((row for row in rows if row.urgency), key=lambda row: -row.urgency)


@dataclass(frozen=True, slots=True)
class StudentRow(HelpRow):
    """One student in the class report."""

    skills: tuple[Status, ...]
    """All skills, in the order of `Skill`."""
    activity: StudentActivity
    open_tasks: int
    late_tasks: int

    @property
    def days(self) -> int:
        return len(self.activity.days)

    @property
    def minutes(self) -> int:
        return round(self.activity.seconds / 60)


@dataclass(frozen=True, slots=True)
class ClassReport:
    classroom: Classroom
    made_at: datetime
    rows: tuple[StudentRow, ...]
    standings: tuple[Standing, ...]

    @property
    def in_need(self) -> list[StudentRow]:
        return most_urgent(self.rows)

    @property
    def sure(self) -> list[int]:
        """For each skill, how many students are at least sure of it."""
        return [sum(row.skills[place].level >= Level.SURE for row in self.rows) for place in range(len(Skill))]

    @property
    def open_standings(self) -> list[Standing]:
        return [each for each in self.standings if not each.is_done]


def class_report(classroom: Classroom, *, now: float) -> ClassReport:
    """The report on the whole class. Its cost grows with the class, so never call it in the fast lane."""
    enrolments = list(classroom.enrolments.present())
    return _report(classroom, enrolments, enrolments, now)


def report_page(classroom: Classroom, *, now: float, page: int | str = 1) -> tuple[ClassReport, Page[Enrolment]]:
    """The report on one page of students, and that page. Assignments cover the whole class."""
    enrolments = list(classroom.enrolments.present())
    shown = Paginator(enrolments, STUDENTS_PER_PAGE).get_page(page)
    return _report(classroom, enrolments, list(shown), now), shown


def _report(
    classroom: Classroom, enrolments: Sequence[Enrolment], shown: Sequence[Enrolment], now: float
) -> ClassReport:
    asked = standings(classroom, enrolments, now=now)
    return ClassReport(classroom, _moment(now), _rows(shown, asked, now), tuple(asked))


def in_need_of(classrooms: Sequence[Classroom], *, now: float) -> dict[int, list[HelpRow]]:
    """Students who need help now, by the class's key. Takes as many queries for ten classes as for one."""
    enrolments = list(Enrolment.objects.present().filter(classroom__in=classrooms))
    tries = _latest_tries([each.student for each in enrolments], now)
    rows: dict[int, list[HelpRow]] = {each.pk: [] for each in classrooms}
    for each in enrolments:
        own = tries[each.student_id]
        rows[each.classroom_id].append(HelpRow(each, needs_of(own), tuple(misconceptions(own))))
    return {pk: most_urgent(found) for pk, found in rows.items()}


def _latest_tries(students: Sequence[User], now: float) -> dict[int | None, list[Try]]:
    return latest_tries_of(students, since=_moment(now) - timedelta(days=PERIOD_DAYS), latest=LATEST)


def _rows(enrolments: Sequence[Enrolment], asked: Sequence[Standing], now: float) -> tuple[StudentRow, ...]:
    students = [each.student for each in enrolments]
    states = skill_states_of(students)
    tries = _latest_tries(students, now)
    activity = activity_of(students, now=_moment(now))
    open_tasks, late_tasks = _open_tasks(asked)
    return tuple(
        StudentRow(
            enrolment=each,
            skills=tuple(statuses(states[each.student_id], now)),
            needs=needs_of(tries[each.student_id]),
            beliefs=tuple(misconceptions(tries[each.student_id])),
            activity=activity[each.student_id],
            open_tasks=open_tasks[each.pk],
            late_tasks=late_tasks[each.pk],
        )
        for each in enrolments
    )


def _open_tasks(asked: Iterable[Standing]) -> tuple[Counter[int], Counter[int]]:
    """How many assignments each student still has to do, and how many of these are late, by the enrolment's key."""
    left = [(each.is_late, part.enrolment.pk) for each in asked for part in each.parts if not part.is_done]
    return Counter(pk for _late, pk in left), Counter(pk for is_late, pk in left if is_late)


@dataclass(frozen=True, slots=True)
class Week:
    """The first tries of a week, and how many of them were right."""

    monday: date
    tries: int
    rights: int


def weeks_of(enrolment: Enrolment, *, now: float) -> tuple[Week, ...]:
    """The last eight weeks, oldest first."""
    today = datetime.fromtimestamp(now, UTC).date()
    monday = today - timedelta(days=today.weekday())
    mondays = [monday - timedelta(weeks=back) for back in reversed(range(WEEKS))]
    since = datetime.combine(mondays[0], datetime.min.time(), UTC)
    tries: Counter[date] = Counter()
    rights: Counter[date] = Counter()
    events = LearningEvent.objects.tries().filter(user=enrolment.student, is_first=True)
    for at, is_right in events.filter(at__gte=since, at__lte=_moment(now)).values_list("at", "is_right"):
        first_day = at.date() - timedelta(days=at.weekday())
        tries[first_day] += 1
        rights[first_day] += is_right
    return tuple(Week(each, tries[each], rights[each]) for each in mondays)


def _moment(now: float) -> datetime:
    return datetime.fromtimestamp(now, UTC)


@dataclass(frozen=True, slots=True)
class StudentReport:
    """The teacher's report on one student."""

    row: StudentRow
    path: list[UnitOnPath]
    tally: MistakeTally
    """The student's part of the ledger."""
    weeks: tuple[Week, ...]
    tries: Page[LearningEvent]
    standings: tuple[Standing, ...]


def student_report(enrolment: Enrolment, *, now: float, page: int | str = 1) -> StudentReport:
    student = enrolment.student
    asked = [each for each in standings(enrolment.classroom, [enrolment], now=now) if each.parts]
    (row,) = _rows([enrolment], asked, now)
    tries = LearningEvent.objects.tries().filter(user=student).order_by("-at", "-pk")
    return StudentReport(
        row=row,
        path=path(Player(name=student.display_name, user=student)),
        tally=tally(wrong_triples([student.pk])),
        weeks=weeks_of(enrolment, now=now),
        tries=Paginator(tries, PER_PAGE).get_page(page),
        standings=tuple(asked),
    )
