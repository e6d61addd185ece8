"""Questions: one class per kind knows everything about it. Pure, except for course-only questions.

`EXERCISES` has the kinds that are generated from a seed, and `course` has what a step of the course asks.
"""

from lessons.questions.base import Answer, Cards, Choice, DescribedAnswer, Form, Grade, Question, ShownSolution
from lessons.questions.exercise import (
    BadWanted,
    Exercise,
    Solution,
    broken_features,
    cached_verdict,
    cards_of,
    features_in_play,
)
from lessons.questions.help import Help, HelpKind
from lessons.questions.reading import AnswerFault, BadAnswer
from lessons.questions.registry import BOARDS, EXERCISES, exercise_of, fresh_exercise, make_exercise

__all__ = [
    "BOARDS",
    "EXERCISES",
    "Answer",
    "AnswerFault",
    "BadAnswer",
    "BadWanted",
    "Cards",
    "Choice",
    "DescribedAnswer",
    "Exercise",
    "Form",
    "Grade",
    "Help",
    "HelpKind",
    "Question",
    "ShownSolution",
    "Solution",
    "broken_features",
    "cached_verdict",
    "cards_of",
    "exercise_of",
    "features_in_play",
    "fresh_exercise",
    "make_exercise",
]
