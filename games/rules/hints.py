"""How hard a SET on a table is to see, and hints that come in stages.

Effort goes from about one (easiest) to about five. It rises with the number of features that differ (Taatgen), falls
when the shared values are common on the table (Jacob and Hochstein 2008: abundant values are found faster), and falls
with the number of SETs on the table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from statistics import fmean

from games.rules.cards import Card, Feature
from games.rules.errors import RulesError
from games.rules.triples import FeaturePattern, Triple, explain, find_sets

SETS_ON_A_USUAL_TABLE = 1080 * math.comb(12, 3) / math.comb(81, 3)
_WEIGHT_OF_ABUNDANCE = 0.5
_WEIGHT_OF_COMPANY = 0.4
_LEAST_EFFORT = 0.25


class HintStage(IntEnum):
    """How much a hint gives away."""

    HOW_MANY = 1
    ONE_CARD = 2
    TWO_CARDS = 3
    THE_SET = 4


class BadStage(RulesError):
    """No hint has this stage."""


@dataclass(frozen=True, slots=True)
class Hint:
    stage: HintStage
    count: int
    """How many SETs are on the table."""
    cards: tuple[Card, ...]
    """The cards given away so far, all from the same SET."""


def hint(table: Sequence[Card], stage: int) -> Hint:
    """The hint for a stage; each stage reveals what the one before did, and one thing more."""
    try:
        stage = HintStage(stage)
    except ValueError:
        raise BadStage(f"hints have the stages 1 to {max(HintStage)}, not {stage!r}") from None
    found = ranked_sets(table)
    return Hint(stage, len(found), found[0][1][: stage - 1] if found else ())


def ranked_sets(table: Sequence[Card]) -> list[tuple[float, Triple]]:
    """Every SET on the table with its effort, easiest first."""
    found = find_sets(table)
    with_effort = [(_effort(triple, table, len(found)), triple) for triple in found]
    return sorted(with_effort, key=lambda pair: pair[0])


def effort(triple: Triple, table: Sequence[Card]) -> float:
    """How hard it is to see this SET among these cards."""
    if not set(triple) <= set(table):
        raise RulesError(f"{triple!r} is not on this table")
    if not explain(*triple).is_set:
        raise RulesError(f"{triple!r} is no SET: nobody can see one")
    return _effort(triple, table, len(find_sets(table)))


def _effort(triple: Triple, table: Sequence[Card], sets_there: int) -> float:
    verdicts = explain(*triple).features
    differing = sum(verdict.kind is FeaturePattern.ALL_DIFFERENT for verdict in verdicts)
    shared = [
        _abundance(verdict.feature, triple[0], table) for verdict in verdicts if verdict.kind is FeaturePattern.ALL_SAME
    ]
    abundance = fmean(shared) if shared else 0.0
    company = math.log(sets_there / SETS_ON_A_USUAL_TABLE)
    return max(_LEAST_EFFORT, differing - _WEIGHT_OF_ABUNDANCE * abundance - _WEIGHT_OF_COMPANY * company)


def _abundance(feature: Feature, card: Card, table: Sequence[Card]) -> float:
    """How much more common the card's value is on the table than the one third expected by chance."""
    value = card.value(feature)
    return 3 * sum(other.value(feature) is value for other in table) / len(table) - 1
