"""Random draws that stay the same forever: of Python's generator, only `random()` is guaranteed not to change."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Draws:
    """The sequence of draws from a seed."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed).random

    def below(self, bound: int) -> int:
        return int(self._random() * bound)

    def coin(self) -> bool:
        return self.below(2) == 1

    def one_of(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[T]) -> list[T]:
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order
