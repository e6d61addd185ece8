"""What answers to one kind of exercise say about a learner; `lessons.progress` reads these parameters. Pure.

They come from the literature and from the form of the questions; how good they are is measured with the bench's
simulated learners.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from lessons.skills import Skill


@dataclass(frozen=True, slots=True)
class Odds:
    """How likely the form of a question makes being right without the skill (guess) and wrong with it (slip)."""

    guess: float
    slip: float = 0.05


@dataclass(frozen=True, slots=True)
class Tells:
    """How often an answer says something about SETs of its difficulty, about its focus, and about other features."""

    differing: float
    focus: float
    others: float


@dataclass(frozen=True, slots=True)
class Chances:
    """The probability of a right answer with a wrong idea, and for an ordinary learner who's still learning."""

    with_it: float
    without: float = 0.8

    def weight(self, is_right: bool) -> float:
        """Positive if the answer is evidence for the idea."""
        if is_right:
            return math.log(self.with_it / self.without)
        return math.log((1 - self.with_it) / (1 - self.without))


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerModel:
    odds: Odds
    tells: Tells
    needs: tuple[Skill, ...]
    """The skills to build on."""
    features_needed: int = 3
    """How many features must be growing. Never all of them, so that one blind spot doesn't hold up everything."""
    overlooking: Chances | None = None
    """For a feature that's overlooked; None if answers say nothing about that."""
    odds_of_feature: Odds | None = None
    """For a kind that asks about each feature on its own."""


COMPLETES_A_SET: Final = Chances(0.15, 0.35)
"""For learners who believe that everything in a SET must be alike."""
