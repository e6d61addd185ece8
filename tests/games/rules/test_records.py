"""Stored records can be read back, and unreadable ones raise an error."""

import pytest

from games.rules import Options
from games.rules.errors import BadRecord
from games.rules.records import event_from, event_record, match_from, match_record, options_from
from tests.games.rules.tables import Table


def test_a_card_is_stored_by_its_index():
    table = Table()
    cards = table.a_set()
    (taken,) = table.take(0, cards)
    record = event_record(taken)
    assert record["kind"] == "SetTaken"
    assert record["cards"] == [card.index for card in cards]


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"kind": "Exploded"},
        {"kind": "Joined", "at": 1.0},
        {"kind": "Joined", "at": 1.0, "seat": 0, "hat": "red"},
        {"kind": "SetTaken", "at": 1.0, "seat": 0, "cards": [1, 2], "laid": []},
        {"kind": "SetTaken", "at": 1.0, "seat": 0, "cards": [1, 2, 81], "laid": []},
        {"kind": "DealEnded", "at": 1.0, "why": "tea"},
    ],
)
def test_an_event_that_makes_no_sense_is_refused(record):
    with pytest.raises(BadRecord):
        event_from(record)


def test_a_match_that_makes_no_sense_is_refused():
    record = match_record(Table().match)
    with pytest.raises(BadRecord):
        match_from({**record, "phase": "tea"})
    with pytest.raises(BadRecord):
        match_from({**record, "table": None})


def test_options_of_an_unknown_edition_cannot_be_read():
    with pytest.raises(BadRecord, match="2050"):
        options_from({"edition": "2050"})
    assert options_from({}) == Options()
