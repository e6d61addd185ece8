"""Lesson together: a unit of the course that the teacher steps through and everybody answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from classrooms.live import together
from classrooms.live.activities.base import (
    FINISH,
    NEXT,
    REVEAL,
    ActivityType,
    Order,
    Screen,
    count_answers,
    player_of,
)
from classrooms.live.answering import record_answer
from classrooms.live.errors import LessonRefusal
from classrooms.live.together import AskedStep
from classrooms.models import Activity, Answer, Attendee, Stage
from games.rules import Feature
from games.rules.triples import FeaturePattern, Verdict
from lessons.course.units import course
from lessons.progress.origins import Origin, Source
from lessons.progress.recording import append_step
from lessons.questions import Question
from lessons.words import choice_words

SHOW_MORE = Order(REVEAL.slug, gettext_lazy("Show what happens"))
SKIP = Order(NEXT.slug, gettext_lazy("Skip"), is_main=False)
MORE = Order("more", gettext_lazy("One more like this"), is_main=False)
LAST = Order(FINISH.slug, gettext_lazy("Finish"))


class UnitOptionsForm(forms.Form):
    unit = forms.ChoiceField(label=gettext_lazy("Unit"), choices=lambda: [(unit.slug, unit.title) for unit in course()])


@dataclass(frozen=True, slots=True)
class ChoiceBar:
    """How many gave one answer."""

    words: str
    number: int
    is_right: bool


@dataclass(frozen=True, slots=True)
class OwnCards:
    """The cards of one of somebody's answers. Whether it was right is shown only after the reveal."""

    cards: tuple[int, ...]
    is_right: bool


@dataclass(frozen=True, slots=True)
class Own:
    """One of somebody's answers, as their screen shows it."""

    answer: OwnCards
    verdict: Verdict | None
    """Why three cards that were picked or completed aren't a SET."""


class LessonTogether(ActivityType):
    slug = "unit"
    keeps_parts = True
    title = gettext_lazy("Lesson together")
    about = gettext_lazy("A unit of the course, step by step. You decide when it goes on; everybody answers.")
    form = UnitOptionsForm
    changes_by_answers = False

    def asked_step(self, activity: Activity) -> AskedStep:
        """The step that's on now."""
        state = activity.state
        return together.asked_step(activity.options["unit"], state["step"], state["seed"], state["turn"])

    # What happens

    def begin(self, activity: Activity) -> dict[str, Any]:
        return {**super().begin(activity), "step": 0, "turn": 0}

    def orders(self, activity: Activity) -> list[Order]:
        asked = self.asked_step(activity)
        go_on = [LAST] if asked.is_last else [NEXT]
        leave = [] if asked.is_last else [FINISH]
        if activity.stage == Stage.OPEN and asked.question.has_more_to_show:
            show = REVEAL if asked.question.is_asked else SHOW_MORE
            return [show, *([FINISH] if asked.is_last else [SKIP, FINISH])]
        return [*go_on, *([MORE] if asked.step.question.is_drill else []), *leave]

    def steer(self, activity: Activity, order: str, form: QueryDict) -> None:
        asked = self.asked_step(activity)
        has_more = activity.stage == Stage.OPEN and asked.question.has_more_to_show
        is_seen = not asked.question.is_asked and not has_more
        if is_seen and order in {NEXT.slug, FINISH.slug}:
            self._record_step_seen(activity, asked)
        if order == MORE.slug:
            self.next_round(activity)
            activity.state["turn"] += 1
        else:
            super().steer(activity, order, form)
            if order == NEXT.slug:
                activity.state |= {"step": activity.state["step"] + 1, "turn": 0}

    def _record_step_seen(self, activity: Activity, asked: AskedStep) -> None:
        """Record a step that asks nothing as done by everybody who was there."""
        now = timezone.now().timestamp()
        there = activity.session.attendees.filter(removed_at=None, is_connected=True).exclude(user=None)
        append_step(map(player_of, there.select_related("user")), asked.unit.slug, asked.step.slug, now=now)

    def act(self, activity: Activity, attendee: Attendee, form: QueryDict, now: float) -> None:
        asked = self.asked_step(activity)
        question = asked.question
        if not question.is_asked:
            raise LessonRefusal(_("Look at the board."))
        if activity.stage != Stage.OPEN:
            raise LessonRefusal(_("The answer is there already. Look at the board."))
        is_one_of_many = question.picks > 1
        # For a question with a single answer, a unique constraint already rejects a second one.
        before = self._own_answers(activity, attendee) if is_one_of_many else []
        if len(before) >= question.picks:
            raise LessonRefusal(_("You have answered already."))
        answer = question.one_answer.read(form)
        graded = record_answer(
            activity,
            attendee,
            question.one_answer,
            answer,
            now,
            is_one_of_many=is_one_of_many,
            origin=Origin(Source.LESSON, asked.unit.slug, asked.step.slug),
            noted={"picked": True} if question.is_pick else None,
        )
        rights = sum(each.is_right for each in before) + graded.is_right
        if rights >= question.picks and attendee.user:
            append_step([player_of(attendee)], asked.unit.slug, asked.step.slug, now=now)

    def _own_answers(self, activity: Activity, attendee: Attendee) -> list[Answer]:
        return list(activity.answers.filter(attendee=attendee, round=activity.round))

    # What is shown

    def own(self, activity: Activity, attendees: Collection[Attendee]) -> Mapping[int, tuple[OwnCards, ...]]:
        given: dict[int, list[OwnCards]] = {each.pk: [] for each in attendees}
        for each in activity.answers.filter(round=activity.round, attendee__in=list(given)):
            given[each.attendee_id].append(OwnCards(tuple(each.cards), each.is_right))
        return {pk: tuple(cards) for pk, cards in given.items()}

    def device(self, activity: Activity, own: tuple[OwnCards, ...]) -> Screen:
        asked = self.asked_step(activity)
        question = asked.question
        if not question.is_asked:
            return Screen("session/unit/look.html", {"step": asked.step})
        context = self._shared_context(activity, asked)
        context |= {
            "own": [Own(each, together.verdict_on(question, list(each.cards))) for each in own],
            "left": question.picks - len(own),
            "is_right": sum(each.is_right for each in own) >= question.picks,
        }
        return Screen("session/unit/device.html", context)

    def projector(self, activity: Activity) -> Screen:
        asked = self.asked_step(activity)
        context = self._shared_context(activity, asked)
        if asked.question.is_asked:
            context["count"] = count_answers(activity)
            if activity.stage != Stage.OPEN:
                bars = self._bars(activity, asked.question)
                context |= {"bars": bars, "most": max(1, *(bar.number for bar in bars))}
        return Screen("session/unit/projector.html", context)

    def is_counting(self, activity: Activity) -> bool:
        return activity.stage == Stage.OPEN and self.asked_step(activity).question.is_asked

    def paper(self, activity: Activity) -> Screen | None:
        question = self.asked_step(activity).question
        taps = question.choices_with_one_tap() if activity.stage == Stage.OPEN else ()
        return Screen("session/unit/paper.html", {"choices": taps}) if taps else None

    def _shared_context(self, activity: Activity, asked: AskedStep) -> dict[str, Any]:
        """The context of all screens. The solution is in it only after the teacher has shown it."""
        question = asked.question
        context: dict[str, Any] = {
            "asked": asked,
            "unit": asked.unit,
            "step": asked.step,
            "question": question,
            "features": list(Feature),
            "verdict_kinds": list(FeaturePattern),
            "sets_there": question.picks,
            **question.context(),
        }
        if activity.stage != Stage.OPEN and question.has_more_to_show:
            context["solution"] = question.shown_solution(f"{asked.unit.slug}/{asked.step.slug}")
        return context

    def _bars(self, activity: Activity, question: Question) -> list[ChoiceBar]:
        """How many gave each answer or, where answers can't be listed, how many were right."""
        given = list(activity.answers.filter(round=activity.round).values_list("event__answer", "event__is_right"))
        taps = question.choices_with_one_tap()
        if taps:
            said = [(each, sum(each.was_said(answer) for answer, _right in given)) for each in taps]
            return [ChoiceBar(choice_words(each), number, each.is_right) for each, number in said]
        rights = sum(is_right for _answer, is_right in given)
        return [
            ChoiceBar(pgettext("so many answers", "right"), rights, True),
            ChoiceBar(_("not yet"), len(given) - rights, False),
        ]


KIND = LessonTogether()
