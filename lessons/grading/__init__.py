"""Exercise and answer -> grade, and help before it. Pure: no Django, no clock, no shared random."""

from lessons.grading.answers import AnswerFault, BadAnswer
from lessons.grading.grades import Grade, Solution, grade, solve
from lessons.grading.help import Help, HelpKind, help_stages

__all__ = ["AnswerFault", "BadAnswer", "Grade", "Help", "HelpKind", "Solution", "grade", "help_stages", "solve"]
