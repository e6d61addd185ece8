"""Exercise and answer -> grade, and help before it. Pure: no Django, no clock, no shared random."""

from lessons.grading.answers import BadAnswer, Reason
from lessons.grading.grades import Grade, Solution, grade, solve
from lessons.grading.help import Help, HelpKind, help_stages

__all__ = ["BadAnswer", "Grade", "Help", "HelpKind", "Reason", "Solution", "grade", "help_stages", "solve"]
