"""Models of matches (state, seats, and the log that the state is a fold over) and of daily puzzle results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from django.db import models
from django.utils.translation import gettext_lazy as _

from core.actors import ONE_OWNER, OwnedByActor
from games.rules import state
from games.rules.opponents import STRENGTHS
from games.rules.records import match_from, match_record

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager


class Way(models.TextChoices):
    """How a match is played."""

    ALONE = "alone", _("solitaire")
    PRACTICE = "practice", _("relaxed practice")
    COMPUTER = "computer", _("against the computer")
    TOGETHER = "together", _("together")
    TABLE = "table", _("at a table of the class")
    CLASS = "class", _("with the whole class")


class Sitting(NamedTuple):
    """A seat and its player, as the hot path reads them."""

    number: int
    name: str
    strength: str
    user_id: int | None
    guest: str


class MatchDetails(NamedTuple):
    """What a call needs besides the match, read in the same query."""

    seats: tuple[Sitting, ...]
    log: tuple[dict[str, Any], ...]
    """The latest entries, oldest first."""

    def after(self, more: Sequence[dict[str, Any]], most: int) -> MatchDetails:
        return self._replace(log=(*self.log, *more)[-most:])

    @property
    def names(self) -> dict[int, str]:
        return {seat.number: seat.name for seat in self.seats}


class Match(models.Model):
    """One match. Only `games.matches.service` writes it, and only if the version is still the one it read."""

    code = models.CharField(max_length=12, unique=True)
    way = models.CharField(max_length=10, choices=Way.choices)
    is_open = models.BooleanField(default=True)
    """Whether the lobby lists it for anybody to join; otherwise players need its code."""
    place = models.CharField(max_length=40, blank=True, db_index=True)
    """The path of what it's part of, such as "session/ABCDEF"; empty for a standalone match."""
    version = models.PositiveIntegerField(default=0)
    """The number of the last event."""
    snapshot = models.JSONField()
    """The state at this version. It includes the undealt cards, so never send it to a browser."""
    start = models.JSONField()
    """The state before the first event; replaying all events from here gives the snapshot."""
    phase = models.CharField(max_length=10, choices=[(phase, phase) for phase in state.Phase], db_index=True)
    due = models.FloatField(null=True, blank=True, db_index=True)
    """When something happens by itself (a window closes, a computer calls), in seconds since the epoch."""
    opened_at = models.DateTimeField()
    touched_at = models.DateTimeField(db_index=True)

    seats: RelatedManager[Seat]
    events: RelatedManager[Event]
    details: MatchDetails | None = None
    """Only set if `games.matches.store` has read it."""

    class Meta:
        verbose_name_plural = "matches"

    def __str__(self) -> str:
        return self.code

    _read: tuple[dict[str, Any], state.MatchState] | None = None

    @property
    def state(self) -> state.MatchState:
        """The parsed snapshot, cached."""
        if self._read is None or self._read[0] is not self.snapshot:
            self._read = self.snapshot, match_from(self.snapshot)
        return self._read[1]

    @state.setter
    def state(self, now: state.MatchState) -> None:
        self.snapshot = match_record(now)
        self._read = self.snapshot, now


class Seat(OwnedByActor):
    """A seat at a match, and who sits there: a user, a guest, or a computer of some strength."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=40)
    strength = models.CharField(max_length=10, blank=True, choices=[(slug, slug) for slug in STRENGTHS])

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["match", "number"], name="a_seat_of_a_match_is_one_row"),
            models.UniqueConstraint(
                fields=["match", "user"], condition=models.Q(user__isnull=False), name="a_user_has_one_seat_at_a_match"
            ),
            models.UniqueConstraint(
                fields=["match", "guest"], condition=~models.Q(guest=""), name="a_guest_has_one_seat_at_a_match"
            ),
            models.CheckConstraint(
                name="a_seat_is_a_users_a_guests_or_a_computers",
                condition=models.Q(user__isnull=False, guest="", strength="")
                | (models.Q(user__isnull=True, strength="") & ~models.Q(guest=""))
                | (models.Q(user__isnull=True, guest="") & ~models.Q(strength="")),
            ),
        ]
        ordering: ClassVar = ["number"]

    def __str__(self) -> str:
        return self.name


class PuzzleResult(OwnedByActor):
    """What a player has found in a daily puzzle."""

    day = models.DateField()
    deck = models.CharField(max_length=4)
    found = models.JSONField(default=list)
    """The SETs in the order they were found, each as the indices of its cards."""
    wrong = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["day", "deck", "user"],
                condition=models.Q(user__isnull=False),
                name="a_user_has_one_result_a_day",
            ),
            models.UniqueConstraint(
                fields=["day", "deck", "guest"], condition=~models.Q(guest=""), name="a_guest_has_one_result_a_day"
            ),
            models.CheckConstraint(name="a_result_is_a_users_or_a_guests", condition=ONE_OWNER),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.deck}"


class Event(models.Model):
    """One entry in a match's log, numbered from one within the match. Never changed once written."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="events")
    number = models.PositiveIntegerField()
    record = models.JSONField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["match", "number"], name="an_event_has_one_number_in_its_match"),
        ]
        ordering: ClassVar = ["number"]

    def __str__(self) -> str:
        return f"{self.match_id}/{self.number} {self.record.get('kind', '?')}"
