"""Why the rules did not accept something, as values that a page can put into words."""

from enum import StrEnum


class RulesError(ValueError):
    """Anything that the core refuses; every error of `games.rules` is one."""


class BadCard(RulesError):
    """A card, or a value of a card, that the deck does not have."""


class SameCardTwice(RulesError):
    """One card given more than once where distinct cards are needed."""


class BadOption(RulesError):
    """An option of a match out of its range, or two that do not go together."""


class UnknownEdition(BadOption):
    """The name of an edition that nobody has printed."""


class BadRecord(RulesError):
    """A stored event or state that cannot be read back."""


class RefusalReason(StrEnum):
    """The rule that a refused command ran into."""

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
    """A command that the referee turned down; nothing has changed."""

    def __init__(self, reason: RefusalReason) -> None:
        super().__init__(reason.value)
        self.reason = reason
