"""Open matches, and write the outcome of commands to their logs; the only module that writes matches.

A command is decided on the snapshot that was read, and written only if the version is still the same. Otherwise the
match is read and the command decided again. Changes caused by time alone (a window closed, a computer called) are
written first, so they don't depend on a worker.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from core.db.chunks import chunks, delete_in_chunks
from core.db.locks import LockLevel, lock_rows, note_lock
from games.codes import new_code
from games.matches import store as match_store
from games.models import Match, Seat, Way
from games.players import Player, friendly_name, friendly_names
from games.rules import Options, decide, new_match, replay
from games.rules import commands as ask
from games.rules import events as did
from games.rules import state as rules
from games.rules.errors import BadOption, RefusalReason, Refused
from games.rules.opponents import STRENGTHS, Strength, next_move, strength
from games.rules.records import event_record, match_record

_MOST_TRIES = 100
_MOST_FORGOTTEN = 10
_MOST_DUE = 1_000
_LONGEST_WAIT = 10.0
_LONGEST_ABSENCE = 60.0
"""If something is overdue for more seconds than this, the site was down: it checks every second."""
GONE = "gone"
"""Prefix of the guest key of a seat whose player was removed; real guest keys are hexadecimal."""

log = logging.getLogger(__name__)


class VersionConflict(Exception):
    """Another request wrote the match after we read it."""


@dataclass(frozen=True, slots=True)
class Written:
    """The match as a command left it."""

    match: Match
    events: tuple[did.Event, ...]
    """Changes caused by the command itself."""
    due: tuple[did.Event, ...] = ()
    """Changes caused by time alone, applied before the command."""

    @property
    def state(self) -> rules.MatchState:
        return self.match.state


Listener = Callable[[Written], None]
_listeners: list[Listener] = []


def on_change(listener: Listener) -> None:
    """Register a listener that's called with what was written, after the commit."""
    _listeners.append(listener)


def off_change(listener: Listener) -> None:
    _listeners.remove(listener)


def open_match(
    *,
    way: Way,
    options: Options,
    player: Player,
    now: float,
    computers: Sequence[str] = (),
    is_open: bool = False,
    seed: str | None = None,
    others: Sequence[Player] = (),
    place: str = "",
) -> Match:
    """Create a match, with its opener, the other players, and the computer opponents seated."""
    names = _computer_names()
    if len(computers) > len(names):
        raise BadOption(f"there are {len(names)} computers to play against, not {len(computers)}")
    opponents = [strength(slug) for slug in computers]
    start = new_match(options, seed=seed or secrets.token_hex(16))
    events: list[did.Event] = []
    state = start
    for _seat in range(1 + len(others) + len(opponents)):
        joined = decide(state, ask.Join(), now)
        events += joined
        state = replay(state, joined)
    with transaction.atomic():
        match = Match.objects.create(
            code=new_code(_is_taken),
            way=way,
            is_open=is_open,
            place=place,
            version=len(events),
            start=match_record(start),
            snapshot=match_record(state),
            phase=state.phase,
            opened_at=_as_datetime(now),
            touched_at=_as_datetime(now),
        )
        seats: list[Seat] = []
        for each in (player, *others):
            taken = {seat.name for seat in seats}
            seats.append(Seat(name=_name_at(way, each, taken), **each.key))
        seats += [Seat(name=name, strength=each.slug) for name, each in zip(names, opponents, strict=False)]
        for number, seat in enumerate(seats):
            seat.match, seat.number = match, number
        Seat.objects.bulk_create(seats)
        match_store.append(match, 0, [event_record(event) for event in events])
    return match


def command(code: str, order: ask.Command, *, now: float, seen: int | None = None) -> Written:
    """Have the referee decide a command, and write its events. Raises `Refused` after writing only what was due anyway.

    `seen` is the version of the table that the player saw. If this seat has already given the command since then, it
    was sent twice over a bad network, and does nothing.
    """

    return _write(code, lambda match, state, now: _judge(match, state, order, now, seen), now=now)


def act(code: str, player: Player, order: Callable[[int], ask.Command], *, now: float, seen: int) -> Written:
    """Have the referee decide a command from the player's own seat; `order` makes it from the seat's number.

    In a whole-class match players act through the host, so nobody acts from a seat.
    """

    def judge(match: Match, state: rules.MatchState, now: float) -> tuple[did.Event, ...]:
        seat = next((each.number for each in match_store.match_details(match).seats if player.owns(each)), None)
        if seat is None or match.way == Way.CLASS:
            raise Refused(RefusalReason.NO_SUCH_SEAT)
        return _judge(match, state, order(seat), now, seen)

    return _write(code, judge, now=now)


def _judge(
    match: Match, state: rules.MatchState, order: ask.Command, now: float, seen: int | None
) -> tuple[did.Event, ...]:
    if seen is not None and seen > match.version:
        raise Refused(RefusalReason.UNSEEN_VERSION)
    if seen is not None and seen < match.version and _was_given(match, order, seen):
        return ()
    return decide(state, order, now)


def _was_given(match: Match, order: ask.Command, seen: int) -> bool:
    kinds = {
        ask.Call: ["Called"],
        ask.Pick: ["SetTaken", "CallFailed"],
        ask.Withdraw: ["CallFailed"],
        ask.AgreeNoSet: ["Agreed", "GaveUp"],
    }
    since = match.events.filter(number__gt=seen, record__kind__in=kinds.get(type(order), []))
    same_seat = [row.record for row in since if row.record["seat"] == getattr(order, "seat", None)]
    if isinstance(order, ask.Pick):
        wanted = {card.index for card in order.cards}
        return any(set(record["cards"]) == wanted for record in same_seat)
    return bool(same_seat)


def catch_up(code: str, *, now: float) -> Written:
    """Write the changes caused by time alone."""
    return command(code, ask.Tick(), now=now)


def catch_up_all(*, now: float) -> int:
    """Catch up every match where something is due; return how many there were."""
    clock_was_set_back = Q(due__isnull=False, touched_at__gt=_as_datetime(now + _LONGEST_WAIT))
    codes = list(Match.objects.filter(Q(due__lte=now) | clock_was_set_back).values_list("code", flat=True))
    for code in codes:
        try:
            catch_up(code, now=now)
        except Exception:
            # One broken match mustn't stop the others.
            log.exception("match.deadline_not_applied")
    return len(codes)


def merge_guest(guest: Player, user: Player, now: float) -> None:
    """Give a guest's seats to the user, who continues running games in the same seat.

    Where the user already has a seat, they keep that one; the guest leaves theirs, and its moves become anonymous.
    """
    mine = Match.objects.filter(pk__in=Seat.objects.of(guest).values("match"))
    # Lock them in one order before writing any, and so that nobody sits down there in the meantime.
    tables = list(lock_rows(mine.only("code", "way", "phase"), LockLevel.MATCH))
    seats = Seat.objects.of(guest).filter(match__in=tables)
    for seat in seats.filter(match__in=Seat.objects.of(user).values("match")).select_related("match"):
        _vacate(seat, now)
    seats.give_to(user)
    for match in tables:
        # Tables that anybody may watch don't show real names.
        if match.way != Way.TOGETHER and match.phase != rules.Phase.OVER:
            with suppress(Refused):
                rename(match.code, user, now=now)


def _vacate(seat: Seat, now: float) -> None:
    with suppress(Refused):
        command(seat.match.code, ask.Leave(seat.number), now=now)
    _forget_players(Seat.objects.filter(pk=seat.pk))


def forget_players(seats: QuerySet[Seat]) -> None:
    """Make the players of these seats anonymous, and delete matches that nobody else played in.

    In chunks of a few matches, because a deleted one takes its whole log with it.
    """
    for keys in chunks(list(seats.order_by("pk").values_list("pk", flat=True)), _MOST_FORGOTTEN):
        with transaction.atomic():
            _forget_players(seats.filter(pk__in=keys))


def _forget_players(seats: QuerySet[Seat]) -> None:
    # Lock, so that nobody sits down at a table that's being deleted.
    tables = lock_rows(Match.objects.filter(pk__in=seats.values("match")), LockLevel.MATCH)
    locked = list(tables.prefetch_related("seats").defer("snapshot", "start"))
    # Query again after locking: a guest who signed in took their seat along.
    mine = set(seats.values_list("pk", flat=True))
    alone, left = [], []
    for match in locked:
        people = [seat for seat in match.seats.all() if not seat.strength and not seat.guest.startswith(GONE)]
        if mine.issuperset(seat.pk for seat in people):
            alone.append(match.pk)
        else:
            left += [seat for seat in people if seat.pk in mine]
    Match.objects.filter(pk__in=alone).delete()
    for seat in left:
        # Every seat needs an owner: give it to a guest that no session knows.
        seat.user, seat.guest = None, f"{GONE}{secrets.token_hex(14)}"
        seat.name = _("Player %(number)s") % {"number": seat.number + 1}
    Seat.objects.bulk_update(left, ["user", "guest", "name"])


def forget_abandoned(before: datetime) -> int:
    """Delete unfinished matches that nobody has touched since `before`; return how many. Finished ones stay."""
    left = Match.objects.filter(touched_at__lt=before).exclude(phase=rules.Phase.OVER)
    # In small chunks, because each match takes its whole log with it.
    return delete_in_chunks(left, _MOST_FORGOTTEN)


def join(code: str, player: Player, *, now: float) -> Seat:
    """Seat a player, or bring them back to the seat they already have."""

    def sit(match: Match, state: rules.MatchState, now: float) -> tuple[did.Event, ...]:
        own = Seat.objects.filter(match=match, **player.key).first()
        if own and own.number >= len(state.seats):
            # The player sat down in another tab after the match was read.
            raise VersionConflict(match.code)
        return decide(state, ask.Join(own.number if own else None), now)

    def save_seats(match: Match, events: Sequence[did.Event]) -> None:
        for event in events:
            if isinstance(event, did.Joined):
                names = set(match.seats.values_list("name", flat=True))
                defaults = {"name": _name_at(Way(match.way), player, names), **player.key}
                try:
                    Seat.objects.get_or_create(match=match, number=event.seat, defaults=defaults)
                except IntegrityError:
                    # After the match was read, the player signed in and brought along a seat they had here as a guest.
                    raise VersionConflict(match.code) from None

    written = _write(code, sit, now=now, also_write=save_seats)
    return Seat.objects.get(match=written.match, **player.key)


def rename(code: str, player: Player, *, now: float) -> None:
    """Update a player's name at a table to their current one, on all screens."""
    own = Seat.objects.filter(match__code=code, **player.key).first()
    if own is None or own.name == player.name:
        return
    number = own.number

    def save_seats(match: Match, events: Sequence[did.Event]) -> None:
        others = set(match.seats.exclude(number=number).values_list("name", flat=True))
        match.seats.filter(number=number).update(name=_own_name(player.name, others))

    _write(code, lambda match, state, now: decide(state, ask.Rename(number), now), now=now, also_write=save_seats)


def _name_at(way: Way, player: Player, taken: set[str]) -> str:
    """A player's name at a table.

    Anybody can watch a table where people play together, from the lobby or by its code. So users don't appear there
    under their own name: they get a new friendly one at each table, which doesn't reveal who they are.
    """
    if way == Way.TOGETHER and player.user:
        free = [name for name in friendly_names() if name not in taken]
        return secrets.choice(free) if free else _own_name(friendly_name(), taken)
    return _own_name(player.name, taken)


def _own_name(name: str, taken: set[str]) -> str:
    """The name, with a number added if somebody at the table already has it."""
    others = (f"{name} {number}" for number in count(2))
    return name if name not in taken else next(each for each in others if each not in taken)


Decision = Callable[[Match, rules.MatchState, float], tuple[did.Event, ...]]
AlsoWrite = Callable[[Match, Sequence[did.Event]], None]


def _write(code: str, decision: Decision, *, now: float, also_write: AlsoWrite | None = None) -> Written:
    for _try in range(_MOST_TRIES):
        try:
            return _try_to_write(code, decision, now, also_write)
        except VersionConflict:
            continue
    raise VersionConflict(f"{code} was written by others {_MOST_TRIES} times while we wanted to")


def _try_to_write(code: str, decision: Decision, now: float, also_write: AlsoWrite | None) -> Written:
    refused: Refused | None = None
    # If a single statement writes match and log, and nothing else is written, no transaction is needed.
    transaction_if_needed = (
        nullcontext() if match_store.writes_at_once() and also_write is None else transaction.atomic()
    )
    with transaction_if_needed:
        note_lock(LockLevel.MATCH)
        match = match_store.match_of(code)
        now = _not_before(match, now)
        opponents = _opponents(match)
        state, paused = _pause_for_downtime(match, match.state, now)
        state, caught_up = _catch_up(state, opponents, now)
        due = (*paused, *caught_up)
        own: tuple[did.Event, ...] = ()
        try:
            own = decision(match, state, now)
        except Refused as error:
            if error.reason is RefusalReason.NO_SUCH_SEAT:
                # A request from somebody without a seat changes nothing, not even what's due.
                raise
            refused = error
        state = replay(state, own)
        if due or own:
            _save(match, state, [*due, *own], opponents, now)
            if also_write:
                # Only now is the version ours: before, another request's seat could be in the way.
                also_write(match, own)
                match.details = None
    written = Written(match, own, due)
    if due or own:
        # After the commit, so that a listener may write, and its failure can't undo the command.
        transaction.on_commit(lambda: _notify_listeners(written), robust=True)
    if refused:
        raise refused
    return written


def _not_before(match: Match, now: float) -> float:
    """`now`, or the time of the last write if that came while we waited our turn: a log's times never go back.

    A clock that was set back by more than the longest wait is taken as it is.
    """
    last = match.touched_at.timestamp()
    return last if 0 < last - now < _LONGEST_WAIT else now


def _pause_for_downtime(
    match: Match, state: rules.MatchState, now: float
) -> tuple[rules.MatchState, tuple[did.Event, ...]]:
    """Add a pause for time in which nobody could play: the site was down, its machine slept, or its clock was set.

    So nobody is late because of it, no computer plays on alone, and no window stays open for an hour.
    """
    last = match.touched_at.timestamp()
    if match.due is None or (last <= now and now - match.due <= _LONGEST_ABSENCE):
        return state, ()
    paused = decide(state, ask.Pause(), last)
    state = replay(state, paused)
    resumed = decide(state, ask.Resume(), now)
    return replay(state, resumed), paused + resumed


def _catch_up(
    state: rules.MatchState, opponents: Mapping[int, Strength], now: float
) -> tuple[rules.MatchState, list[did.Event]]:
    """Apply everything that was due by now, each at its own time."""
    events: list[did.Event] = []
    for _step in range(_MOST_DUE):
        due = _next_due(state, opponents)
        if due is None or due[0] > now:
            break
        moment, order = due
        happened = decide(state, order, moment)
        state = replay(state, happened)
        events += happened
    return state, events


def _next_due(state: rules.MatchState, opponents: Mapping[int, Strength]) -> tuple[float, ask.Command] | None:
    if state.paused_at is not None:
        return None
    due: list[tuple[float, ask.Command]] = []
    if state.control and state.control.deadline is not None:
        due.append((state.control.deadline, ask.Tick()))
    # Computers don't play on among themselves when no human is connected.
    if any(seat.is_connected and seat.number not in opponents for seat in state.seats):
        move = next_move(state, opponents)
        if move:
            due.append(move)
    return min(due, key=lambda each: each[0], default=None)


def _save(
    match: Match, state: rules.MatchState, events: list[did.Event], opponents: Mapping[int, Strength], now: float
) -> None:
    read = match.version
    due = _next_due(state, opponents)
    match.version = read + len(events)
    match.state = state
    match.phase = state.phase
    match.due = due[0] if due else None
    match.touched_at = _as_datetime(now)
    if not match_store.save(match, read, [event_record(event) for event in events]):
        raise VersionConflict(match.code)


def _notify_listeners(written: Written) -> None:
    for listener in _listeners:
        listener(written)


def _opponents(match: Match) -> dict[int, Strength]:
    if match.way != Way.COMPUTER:
        return {}
    return {seat.number: STRENGTHS[seat.strength] for seat in match_store.match_details(match).seats if seat.strength}


def _computer_names() -> tuple[str, str, str]:
    return _("Ada (computer)"), _("Blaise (computer)"), _("Emmy (computer)")


def _is_taken(code: str) -> bool:
    return Match.objects.filter(code=code).exists()


def _as_datetime(now: float) -> datetime:
    return datetime.fromtimestamp(now, UTC)
