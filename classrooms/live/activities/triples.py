"""Is it a SET? The projector shows three cards, and every device answers yes or which feature breaks it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from classrooms.live.activities.base import ActivityType, Screen, count_answers
from classrooms.live.answering import record_answer
from classrooms.live.errors import LessonRefusal
from classrooms.models import Activity, Attendee, Stage
from games.rules import Feature, explain
from lessons.course import hand
from lessons.course.five_examples import EXAMPLES
from lessons.questions import Exercise, exercise_of, make_exercise
from lessons.skills import ExerciseKind, Wanted

HARDEST = 4


@dataclass(frozen=True, slots=True)
class FeatureBar:
    """How many gave one answer."""

    feature: Feature | None
    """None for "yes, it's a SET"."""
    number: int
    is_right: bool


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """Somebody's answer in this round."""

    is_right: bool


class Triples(ActivityType):
    slug = "triples"
    keeps_parts = True
    title = gettext_lazy("Is it a SET?")
    about = gettext_lazy("Three cards on the projector; everybody says yes, or which feature breaks it. No hurry.")
    changes_by_answers = False

    def exercise(self, activity: Activity) -> Exercise:
        """The five examples from the rule sheets first, then new exercises that get harder."""
        if activity.round <= len(EXAMPLES):
            cards = hand(*EXAMPLES[activity.round - 1][1])
            return exercise_of(Wanted(ExerciseKind.IS_SET), seed="", cards=cards)
        difficulty = min(HARDEST, 1 + (activity.round - len(EXAMPLES) - 1) // 2)
        return make_exercise(Wanted(ExerciseKind.IS_SET, difficulty), f"{activity.state['seed']}/{activity.round}")

    def act(self, activity: Activity, attendee: Attendee, form: QueryDict, now: float) -> None:
        if activity.stage != Stage.OPEN:
            raise LessonRefusal(_("The answer is there already. Look at the board."))
        answer: dict[str, object] = {"yes": "yes" in form}
        if "yes" not in form:
            if form.get("breaks") not in set(Feature):
                raise LessonRefusal(_("Say yes, or which feature breaks it."))
            answer["breaks"] = form["breaks"]
        record_answer(activity, attendee, self.exercise(activity), answer, now)

    def own(self, activity: Activity, attendees: Collection[Attendee]) -> Mapping[int, OwnAnswer | None]:
        given = activity.answers.filter(round=activity.round, attendee__in=[each.pk for each in attendees])
        is_right = dict(given.values_list("attendee", "event__is_right"))
        return {each.pk: OwnAnswer(is_right[each.pk]) if each.pk in is_right else None for each in attendees}

    def device(self, activity: Activity, own: OwnAnswer | None) -> Screen:
        exercise = self.exercise(activity)
        context = {"exercise": exercise, "features": list(Feature), "own": own}
        return Screen("session/triples/device.html", context | self._revealed(activity, exercise))

    def projector(self, activity: Activity) -> Screen:
        exercise = self.exercise(activity)
        context = {"exercise": exercise, "count": count_answers(activity)}
        return Screen("session/triples/projector.html", context | self._revealed(activity, exercise))

    def is_counting(self, activity: Activity) -> bool:
        return activity.stage == Stage.OPEN

    def paper(self, activity: Activity) -> Screen | None:
        exercise = self.exercise(activity)
        return Screen("session/triples/paper.html", {"exercise": exercise, "features": list(Feature)})

    def _revealed(self, activity: Activity, exercise: Exercise) -> dict[str, object]:
        """The context that's hidden until the teacher shows the answer."""
        if activity.stage == Stage.OPEN:
            return {}
        first, second, third = exercise.cards
        verdict = explain(first, second, third)
        answers = activity.answers.filter(round=activity.round).values_list("event__answer", flat=True)
        said = Counter("yes" if answer["yes"] else answer["breaks"] for answer in answers)
        broken = {each.feature for each in verdict.broken}
        bars = [FeatureBar(None, said["yes"], verdict.is_set)]
        bars += [FeatureBar(feature, said[feature.value], feature in broken) for feature in Feature]
        return {"verdict": verdict, "bars": bars, "most": max(1, *said.values()) if said else 1}


KIND = Triples()
