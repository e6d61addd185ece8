"""Cards, verdicts and refusals in words."""

import pytest
from django.utils import translation

from games.forms import FORMS
from games.models import Way
from games.rules import FULL_DECK, Card, Feature, explain
from games.rules.errors import RefusalReason
from games.words import REFUSALS, VerdictLine, card_name, grouped, verdict_line, verdict_words


def lines(*cards: Card) -> dict[str, VerdictLine]:
    return {str(verdict.feature): verdict_line(verdict) for verdict in explain(*cards).features}


# Cards


def test_a_card_is_spoken_in_full():
    assert card_name(Card(2, "red", "striped", "oval")) == "two striped red ovals"
    assert card_name(Card(1, "purple", "outlined", "diamond")) == "one outlined purple diamond"


def test_no_two_cards_have_the_same_name():
    assert len({card_name(card) for card in FULL_DECK}) == 81


def test_the_names_are_those_that_the_rules_give_in_english():
    assert [card_name(card) for card in FULL_DECK] == [str(card) for card in FULL_DECK]


# Verdicts


def test_a_verdict_has_a_line_for_each_feature():
    a, b, c = FULL_DECK[:3]
    assert [verdict_line(verdict).feature for verdict in explain(a, b, c).features] == [
        "number",
        "color",
        "shading",
        "shape",
    ]


def test_what_is_alike_or_different_on_all_three_is_fine():
    said = lines(
        Card(1, "red", "solid", "oval"), Card(2, "red", "striped", "oval"), Card(3, "red", "outlined", "diamond")
    )
    assert said["number"] == VerdictLine("number", "all different", is_broken=False)
    assert said["color"] == VerdictLine("color", "all the same", is_broken=False)
    assert said["shading"] == VerdictLine("shading", "all different", is_broken=False)
    assert said["shape"] == VerdictLine("shape", "two are ovals and one is a diamond", is_broken=True)


@pytest.mark.parametrize(
    ("feature", "values", "text"),
    [
        (Feature.NUMBER, (1, 1, 2), "two show one symbol and one shows two"),
        (Feature.NUMBER, (3, 2, 2), "two show two symbols and one shows three"),
        (Feature.NUMBER, (3, 1, 3), "two show three symbols and one shows one"),
        (Feature.COLOR, ("red", "red", "green"), "two are red and one is green"),
        (Feature.COLOR, ("purple", "green", "green"), "two are green and one is purple"),
        (Feature.SHADING, ("solid", "striped", "solid"), "two are solid and one is striped"),
        (Feature.SHADING, ("outlined", "outlined", "solid"), "two are outlined and one is solid"),
        (Feature.SHAPE, ("squiggle", "oval", "squiggle"), "two are squiggles and one is an oval"),
        (Feature.SHAPE, ("squiggle", "diamond", "diamond"), "two are diamonds and one is a squiggle"),
    ],
)
def test_where_two_are_alike_the_line_names_them_and_the_odd_one(feature, values, text):
    # Make the cards differ in one more feature, so that they're three different cards.
    rest = {"number": (1, 2, 3), "color": ("red",) * 3, "shading": ("solid",) * 3, "shape": ("oval",) * 3}
    if feature is Feature.NUMBER:
        rest["color"] = ("red", "green", "purple")
    rest[str(feature)] = values
    cards = [Card(*each) for each in zip(rest["number"], rest["color"], rest["shading"], rest["shape"], strict=True)]
    said = lines(*cards)
    assert said[str(feature)] == VerdictLine(str(feature), text, is_broken=True)
    assert [name for name, line in said.items() if line.is_broken] == [str(feature)]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en-us", "color: two are red and one is green; shape: all the same"),
        ("fr", "couleur\u00a0: deux sont rouges et une est verte\u00a0; forme\u00a0: toutes pareilles"),
        ("es", "color: dos son rojas y una es verde; símbolo: todas iguales"),
    ],
)
def test_several_features_are_said_in_one_breath_as_the_language_writes_it(language, said):
    verdict = explain(
        Card(1, "red", "solid", "oval"), Card(2, "red", "striped", "oval"), Card(3, "green", "outlined", "oval")
    )
    with translation.override(language):
        assert verdict_words([verdict[Feature.COLOR], verdict[Feature.SHAPE]]) == said


# Numbers


@pytest.mark.parametrize(
    ("language", "written"), [("en-us", "2,000,000"), ("en-gb", "2,000,000"), ("fr", "2\u00a0000\u00a0000")]
)
def test_a_large_number_is_written_as_in_the_language(language, written):
    with translation.override(language):
        assert grouped(2_000_000) == written


@pytest.mark.parametrize(("language", "said"), [("en-us", "10 seconds"), ("fr", "10 secondes"), ("es", "10 segundos")])
def test_the_lengths_of_time_to_choose_are_in_the_language_of_who_reads(language, said):
    with translation.override(language):
        assert ("10", said) in list(FORMS[Way.TOGETHER]().fields["window"].choices)


# Refusals


def test_every_refusal_has_a_text_of_its_own():
    assert set(REFUSALS) == set(RefusalReason)
    texts = [str(text) for text in REFUSALS.values()]
    assert all(text.endswith(".") for text in texts)
    assert len(set(texts)) == len(texts)
