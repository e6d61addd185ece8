"""Options and editions: what each rule sheet says, and invalid choices."""

import pytest

from games.rules import EDITIONS, Feature, Options
from games.rules.editions import CURRENT_EDITION, PaysBack, Solitaire, Votes
from games.rules.errors import BadOption, UnknownEdition


def test_a_new_match_takes_the_current_edition():
    assert Options() == Options.of(CURRENT_EDITION) == Options.of("us")
    assert (Options().laid, Options().window, Options().votes) == (12, 5.0, Votes.CHECKED)


@pytest.mark.parametrize(
    ("slug", "left_out", "laid", "window", "everyone_deals", "solitaire", "pays_back"),
    [
        ("1990s", Feature.SHADING, 12, 5.0, True, Solitaire.OWES_ONE, PaysBack.TABLE),
        ("1997", Feature.COLOR, 12, None, True, Solitaire.LOSES, PaysBack.LAST_TWELVE),
        ("1998", Feature.SHADING, 12, 5.0, False, Solitaire.OWES_ONE, PaysBack.LAST_TWELVE),
        ("uk", Feature.SHADING, 12, 5.0, False, Solitaire.OWES_ONE, PaysBack.LAST_TWELVE),
        ("us", Feature.SHADING, 12, 5.0, False, Solitaire.OWES_ONE, PaysBack.LAST_TWELVE),
        ("fr", Feature.SHADING, 9, None, False, Solitaire.OWES_ONE, PaysBack.LAST_TWELVE),
        ("es", Feature.SHADING, 9, None, False, Solitaire.OWES_ONE, PaysBack.LAST_TWELVE),
    ],
)
def test_each_edition_is_as_printed(slug, left_out, laid, window, everyone_deals, solitaire, pays_back):
    together = Options.of(slug)
    assert (together.left_out, together.laid, together.window) == (None, 12, window)
    assert (together.everyone_deals, together.solitaire) == (everyone_deals, None)
    start = Options.of(slug, easy=True)
    assert (start.left_out, start.laid, len(start.deck), start.most_cards) == (left_out, laid, 27, 12)
    alone = Options.of(slug, alone=True)
    assert (alone.solitaire, alone.pays_back, alone.everyone_deals) == (solitaire, pays_back, False)


def test_all_seven_editions_are_there():
    assert list(EDITIONS) == ["1990s", "1997", "1998", "uk", "us", "fr", "es"]
    assert all(edition.slug == slug for slug, edition in EDITIONS.items())


def test_an_edition_can_be_changed_in_part():
    assert Options.of("fr", window=8.0, votes=Votes.PAPER).window == 8.0


@pytest.mark.parametrize("make", [lambda: Options.of("2050"), lambda: Options(edition="")])
def test_an_unknown_edition_is_refused(make):
    with pytest.raises(UnknownEdition, match="1990s"):
        make()


@pytest.mark.parametrize(
    "changes",
    [
        {"laid": 9},
        {"laid": 15, "left_out": Feature.COLOR},
        {"window": 0},
        {"window": 61},
        {"window": float("nan")},
        {"votes": "maybe"},
        {"left_out": "texture"},
        {"solitaire": "penalty"},
        {"solitaire": Solitaire.LOSES, "everyone_deals": True},
        {"teams": 2},
    ],
)
def test_options_that_make_no_sense_are_refused(changes):
    with pytest.raises(BadOption):
        Options.of("us", **changes)
