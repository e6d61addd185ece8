"""Errors of the rules, with refusal reasons that a page can put into words."""

from enum import StrEnum


class RulesError(ValueError):
    """Base class of every error in `games.rules`."""


class BadCard(RulesError):
    """A card, or a card's value, that the deck doesn't have."""


class SameCardTwice(RulesError):
    """The same card given twice where distinct cards are needed."""


class BadOption(RulesError):
    """A match option that's out of range, or two that conflict."""


class UnknownEdition(BadOption):
    """No printed edition has this name."""


class BadRecord(RulesError):
    """A stored event or state that can't be parsed."""


class RefusalReason(StrEnum):
    """Why a command was refused."""

    NO_SUCH_SEAT = "no-such-seat"
    SEAT_LEFT = "seat-left"
    TABLE_FULL = "table-full"
    NOT_STARTED = "not-started"
    ALREADY_STARTED = "already-started"
    MATCH_OVER = "match-over"
    BOARD_HELD = "board-held"
    NOT_YOUR_CONTROL = "not-your-control"
    CALL_FIRST = "call-first"
    WINDOW_OVER = "window-over"
    FEWER_THAN_THREE = "fewer-than-three"
    MORE_THAN_THREE = "more-than-three"
    SAME_CARD_TWICE = "same-card-twice"
    NOT_ON_TABLE = "not-on-table"
    TAKEN = "taken"
    ALWAYS_A_SET = "always-a-set"
    DECK_USED_UP = "deck-used-up"
    PAUSED = "paused"
    UNSEEN_VERSION = "unseen-version"


class Refused(RulesError):
    """The referee refused a command; nothing changed."""

    def __init__(self, reason: RefusalReason) -> None:
        super().__init__(reason.value)
        self.reason = reason
