"""A board: find every SET."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from core.numbers import whole_number
from games.rules.cards import Card
from games.rules.hints import HintStage, ranked_sets
from games.rules.triples import Triple, differing, explain, find_sets, is_set, third_card
from lessons.questions.base import Answer, DescribedAnswer, Find, Form, Mistake
from lessons.questions.boards import Board, BoardExercise, board_size, no_set
from lessons.questions.draws import Draws
from lessons.questions.exercise import (
    Findings,
    broken_features,
    broken_in,
    cards_of,
    deck_of,
    features_in_play,
)
from lessons.questions.find_one import FindOne
from lessons.questions.help import OF_HINT, Help, HelpKind
from lessons.questions.learner_model import COMPLETES_A_SET, Chances, LearnerModel, Odds, Tells
from lessons.questions.reading import AnswerFault, BadAnswer, read_triples
from lessons.questions.triples import changes, draw_set
from lessons.skills import ExerciseKind, Skill, Wanted

_SETS_TO_FIND = (2, 3, 4)
_TRIES_TO_PLANT = 12
_TRIPLE = 3
_TWELVE_CARDS_FROM = 3


class FindAll(BoardExercise):
    kind: ClassVar[ExerciseKind] = ExerciseKind.FIND_ALL
    claims_a_set: ClassVar[bool] = True
    on_sheets: ClassVar[bool] = True
    finds_sets: ClassVar[bool] = True
    learner: ClassVar[LearnerModel] = LearnerModel(
        odds=Odds(1 / 20), tells=Tells(1.0, 0.1, 0.1), needs=(Skill.ANY_SET,), overlooking=Chances(0.2, 0.45)
    )

    @classmethod
    def draw(cls, draws: Draws, wanted: Wanted) -> tuple[list[Card], tuple[Card, ...]]:
        """Two to four SETs, equally often; the hardest differs in as many features as the difficulty says."""
        count = draws.one_of(_SETS_TO_FIND)
        while True:
            board = Board(draw_set(draws, wanted))
            for _ in range(_TRIES_TO_PLANT):
                if len(board.sets) < count:
                    board = _with_another_set(draws, wanted, board, count)
            has_all = len(board.sets) == count
            if has_all and board.fill(draws.shuffled(deck_of(wanted)), board_size(wanted), no_set):
                return draws.shuffled(board.cards), ()

    @classmethod
    def for_sheet(cls, wanted: Wanted) -> Wanted:
        """A board of twelve, unless it's of the easy deck."""
        return wanted if wanted.easy else replace(wanted, difficulty=max(wanted.difficulty, _TWELVE_CARDS_FROM))

    @classmethod
    def for_offline(cls, wanted: Wanted) -> Wanted:
        """Find one SET instead, since each find needs the server."""
        return replace(wanted, kind=FindOne.kind)

    @property
    def picks(self) -> int:
        return len(find_sets(self.cards))

    @property
    def one_answer(self) -> FindOne:
        """Each SET is found on its own."""
        return FindOne(replace(self.wanted, kind=FindOne.kind), self.seed, self.cards)

    def read(self, form: Form) -> dict[str, Any]:
        cards = [whole_number(text) for text in form.getlist("cards")]
        return {"sets": [cards] if cards else []}

    def complete(self, answer: dict[str, Any], *, found: Collection[Find], seed: str) -> dict[str, Any]:
        return {"sets": [*map(list, found), *answer["sets"]]}

    def new_find(self, form: Form, found: Collection[Find]) -> Find | None:
        texts = form.getlist("cards")
        if not texts:
            raise BadAnswer(AnswerFault.FEWER_THAN_THREE)
        on_board = {str(card.index): card for card in self.cards}
        if len(set(texts)) != _TRIPLE or not set(texts) <= set(on_board):
            return None
        first, second, third = sorted(on_board[text] for text in texts)
        indices = first.index, second.index, third.index
        return indices if is_set(first, second, third) and indices not in found else None

    def findings(self, answer: Answer) -> Findings:
        picked = read_triples(answer, self.cards)
        verdicts = [explain(*triple) for triple in picked]
        wrong = [verdict for verdict in verdicts if not verdict.is_set]
        there = find_sets(self.cards)
        found = {frozenset(triple) for triple in picked}
        recognized: dict[int, bool] = {}
        for triple in there:
            number = differing(triple)
            recognized[number] = recognized.get(number, True) and frozenset(triple) in found
        seen = {feature: False for verdict in wrong for feature in broken_in(verdict)}
        return Findings(not wrong and len(found) == len(there), wrong[0] if wrong else None, seen, recognized)

    @classmethod
    def all_alike_weight(cls, is_right: bool, recognized: Mapping[int, bool]) -> float:
        return COMPLETES_A_SET.weight(any(recognized.values()))

    def help_stages(self) -> tuple[Help, ...]:
        """How many there are, then one SET after another; a page may skip those that are found already."""
        found = [triple for _, triple in ranked_sets(self.cards)]
        return (
            Help(HelpKind.HOW_MANY, count=len(found)),
            *(
                Help(OF_HINT[stage], cards=triple[: stage - 1], count=len(found))
                for triple in found
                for stage in (HintStage.ONE_CARD, HintStage.TWO_CARDS, HintStage.THE_SET)
            ),
        )

    @classmethod
    def describe(cls, answer: Answer) -> DescribedAnswer:
        return DescribedAnswer(picked=tuple(map(cards_of, answer["sets"])))

    @classmethod
    def mistakes(cls, cards: Sequence[int], answer: Answer, missed: Sequence[str]) -> Iterable[Mistake]:
        for triple in answer["sets"]:
            if broken := broken_features(triple):
                yield tuple(triple), broken


def _with_another_set(draws: Draws, wanted: Wanted, board: Board, count: int) -> Board:
    """The board with one more SET, unless that makes too many SETs or too hard ones."""
    room_for_each = (board_size(wanted) - len(board.cards)) / (count - len(board.sets))
    shares_a_card = draws.coin() or room_for_each < _TRIPLE
    first = draws.one_of(board.cards if shares_a_card else deck_of(wanted))
    more = [card for card in _draw_set_with(draws, wanted, first) if card not in board.cards]
    larger = Board([*board.cards, *more])
    is_small = len(larger.cards) <= board_size(wanted) and len(larger.sets) <= count
    return larger if is_small and max(larger.sets) <= wanted.difficulty else board


def _draw_set_with(draws: Draws, wanted: Wanted, first: Card) -> Triple:
    second = first
    for feature in draws.shuffled(features_in_play(wanted))[: 1 + draws.below(wanted.difficulty)]:
        second = draws.one_of(changes(second, feature))
    return first, second, third_card(first, second)
