"""The pages of learning for every eye, ear and screen: axe finds nothing, nothing scrolls sideways, words are spoken."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from games.players import Player
from lessons.exercises import make_exercise
from lessons.grading import grade
from lessons.learning import Answered, Asked, record_attempt
from lessons.skills import Kind, Wanted
from lessons.views import practice
from tests.browser.players import forget_refusals, sign_in
from tests.browser.test_course import Pupil

# One step for each kind of question.
STEPS = {
    "look": "same-or-different/not-a-set",
    "name-value": "cards/color-green",
    "what-changed": "cards/number-changed",
    "pick-all": "cards/shape-squiggle",
    "is-set": "five-examples/fourth-decide",
    "which-breaks": "magic-rule/say-it",
    "explain": "five-examples/fifth-tell",
    "third-card": "third-card/first-try",
    "find-one": "easy-start/with-hints",
    "find-all": "full-deck/find-all",
    "any-set": "full-deck/any-set",
    "scene": "the-play/pick",
    "experiment": "odds/twelve-cards",
    "no-set-builder": "beyond/sixteen-of-81",
    "magic-square": "beyond/magic-square",
}
# Nothing can be wrong about these.
NEVER_WRONG = {"look", "experiment", "no-set-builder"}
NARROW, WIDE = {"width": 360, "height": 740}, {"width": 1280, "height": 800}
SMALLEST = {"width": 320, "height": 568}


class Inspector:
    """Looks at a page in light and dark, on a narrow and a wide screen, and keeps what is wrong for the end."""

    def __init__(self) -> None:
        self.axe = Axe()
        self.complaints: list[str] = []
        self.turn = 0

    def look(self, page: Page, what: str) -> None:
        """In light and dark; the sizes take turns, so that two looks at a kind of page see it in all four ways."""
        self.turn += 1
        for scheme, size in zip(("light", "dark"), (NARROW, WIDE) if self.turn % 2 else (WIDE, NARROW), strict=True):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size(size)
            results = self.axe.run(page)
            if results.violations_count:
                self.complaints.append(f"{what}, {scheme}, {size['width']} wide: {results.generate_report()}")
        page.set_viewport_size(SMALLEST)
        needed = page.evaluate("document.documentElement.scrollWidth")
        if needed > SMALLEST["width"]:
            self.complaints.append(f"{what}: {needed} pixels on a screen of {SMALLEST['width']}")


@pytest.fixture
def inspector() -> Iterator[Inspector]:
    inspector = Inspector()
    yield inspector
    assert not inspector.complaints, "\n\n".join(inspector.complaints)


def learn_a_little(player: Player, *, now: float) -> None:
    """Boards found slowly and fast, and a feature that is missed."""
    for turn, kind in enumerate(Kind):
        for seed in ("one", "two"):
            exercise = make_exercise(Wanted(kind), seed)
            is_board = kind in {Kind.FIND_ONE, Kind.FIND_ALL, Kind.ANY_SET}
            graded = grade(exercise, right_answer(exercise)) if is_board else grade(exercise, some_answer(exercise))
            record_attempt(
                player,
                Asked(place="practice", kind=kind, wanted=exercise.wanted, seed=seed, cards=[c.index for c in exercise.cards]),
                Answered(
                    answer={},
                    is_right=graded.is_right,
                    missed=graded.missed,
                    evidence=graded.evidence,
                    seconds=10.0 + turn,
                ),
                now=now,
            )


def right_answer(exercise) -> dict:
    pass
