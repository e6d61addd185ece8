"""Grades and records answers in live lessons: one function for every activity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from classrooms.live.activities.base import player_of, seed_of
from classrooms.live.errors import LessonRefusal
from classrooms.models import Activity, Answer, Attendee
from core.db.inserts import insert_unless_there
from lessons.answering import asked_of
from lessons.progress.origins import Origin, Source
from lessons.progress.recording import Answered, append_event
from lessons.questions import BadAnswer, Grade, Question
from lessons.skills import Evidence
from lessons.words import refusal

IN_LESSON = Origin(Source.LESSON)


def record_answer(
    activity: Activity,
    attendee: Attendee,
    question: Question,
    answer: Mapping[str, Any],
    now: float,
    *,
    key: str = "",
    asked_as: str = "",
    is_one_of_many: bool = False,
    origin: Origin = IN_LESSON,
    cards: Sequence[int] | None = None,
    noted: Mapping[str, Any] | None = None,
    is_evidence: Callable[[Evidence], bool] = lambda _evidence: True,
    if_unreadable: str = "",
) -> Grade:
    """Grade an answer, and save it with its learning event, as in practice, for guests too.

    `key` tells a student's answers in one round apart (with `is_one_of_many`, their cards do), and `asked_as` the
    questions; by default, each answer has its own. `cards` are those that the answer is about, if not those in it.
    `noted` is saved with the answer, but not graded. Raises `LessonRefusal` for an answer that was given before, or
    can't be graded; the latter with the words of `if_unreadable`.
    """
    try:
        graded = question.grade(answer)
    except BadAnswer as error:
        raise LessonRefusal(if_unreadable or refusal(error)) from None
    about = [card.index for card in question.cards_in(answer)] if cards is None else list(cards)
    if is_one_of_many:
        key = "-".join(map(str, sorted(about)))
    seed = "/".join(part for part in (seed_of(activity), asked_as or key) if part)
    said = Answered(
        answer={**answer, **(noted or {})},
        is_right=graded.is_right,
        missed=graded.missed,
        evidence=[each for each in graded.evidence if is_evidence(each)],
    )
    asked = asked_of(question, origin=origin, seed=seed, cards=about)
    row = Answer(
        event=append_event(player_of(attendee), asked, said, now=now),
        activity=activity,
        attendee=attendee,
        round=activity.round,
        key=key,
        cards=about,
    )
    if not insert_unless_there(row):
        raise LessonRefusal(_("You have answered already."))
    return graded
