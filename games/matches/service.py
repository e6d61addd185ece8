"""The only writer of matches: opens them, and takes each command through the referee into the log.

A command is decided on the snapshot that was read and written only where the version is still that one; otherwise it
is read and decided again. What time alone has brought about (a window that closed, a computer that called) is
written first, so that no worker is needed for it to hold.
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
"""Seconds after which what is due was not missed but could not happen: the site looks every second."""
GONE = "gone"
"""How the key of a seat begins whose player is removed; a guest's key has only hexadecimal digits."""

log = logging.getLogger(__name__)


class VersionConflict(Exception):
    """Somebody else wrote the match between our reading and our writing."""


@dataclass(frozen=True, slots=True)
class Written:
    """The match as a command left it."""

    match: Match
    events: tuple[did.Event, ...]
    """What the command itself brought about."""
    due: tuple[did.Event, ...] = ()
    """What time alone had brought about before it."""

    @property
    def state(self) -> rules.MatchState:
        return self.match.state


Listener = Callable[[Written], None]
_listeners: list[Listener] = []


def on_change(listener: Listener) -> None:
    """Have a function called with what was written once it is committed."""
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
    """A new match, with its opener, the others who come along and the computer opponents seated."""
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
            opened_at=_moment(now),
            touched_at=_moment(now),
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
    """Take a command to the referee; a refused one raises `Refused`, with only what was due anyway written.

    `seen` is the version of the table that the player saw. A command that this seat has already given since then is
    the same one sent twice over a bad network, and does nothing.
    """

    return _write(code, lambda match, state, now: _judge(match, state, order, now, seen), now=now)


def act(code: str, player: Player, order: Callable[[int], ask.Command], *, now: float, seen: int) -> Written:
    """Take to the referee what a player asks from the seat that is theirs.

    At the table of a whole class the host takes what players do, and nobody acts from a seat.
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
    """Write what time alone has brought about."""
    return command(code, ask.Tick(), now=now)


def catch_up_all(*, now: float) -> int:
    """Write what is due in any match; how many there were."""
    clock_was_set_back = Q(due__isnull=False, touched_at__gt=_moment(now + _LONGEST_WAIT))
    codes = list(Match.objects.filter(Q(due__lte=now) | clock_was_set_back).values_list("code", flat=True))
    for code in codes:
        try:
            catch_up(code, now=now)
        except Exception:
            # One match that is broken does not stop the time of the others.
            log.exception("match.deadline_not_applied")
    return len(codes)


def merge_guest(guest: Player, user: Player, now: float) -> None:
    """Make a guest's seats the user's: a running game goes on in the same seat.

    Where the user has a seat already, that one stays theirs. The guest's gets up, and its moves are nobody's.
    """
    mine = Match.objects.filter(pk__in=Seat.objects.of(guest).values("match"))
    # In one order before any of them is written, and so that nobody sits down there meanwhile.
    tables = list(lock_rows(mine.only("code", "way", "phase"), LockLevel.MATCH))
    seats = Seat.objects.of(guest).filter(match__in=tables)
    for seat in seats.filter(match__in=Seat.objects.of(user).values("match")).select_related("match"):
        _give_up(seat, now)
    seats.give_to(user)
    for match in tables:
        # Where anybody may watch, nobody is under their own name.
        if match.way != Way.TOGETHER and match.phase != rules.Phase.OVER:
            with suppress(Refused):
                rename(match.code, user, now=now)


def _give_up(seat: Seat, now: float) -> None:
    with suppress(Refused):
        command(seat.match.code, ask.Leave(seat.number), now=now)
    _forget_players(Seat.objects.filter(pk=seat.pk))


def forget_players(seats: QuerySet[Seat]) -> None:
    """Nobody's name stays at a table; where others played too the moves stay, without whose they were.

    A few tables at a time: one that nobody else played at goes with its whole log.
    """
    for keys in chunks(list(seats.order_by("pk").values_list("pk", flat=True)), _MOST_FORGOTTEN):
        with transaction.atomic():
            _forget_players(seats.filter(pk__in=keys))


def _forget_players(seats: QuerySet[Seat]) -> None:
    # Locked, so that nobody sits down at a table that is being removed.
    tables = lock_rows(Match.objects.filter(pk__in=seats.values("match")), LockLevel.MATCH)
    locked = list(tables.prefetch_related("seats").defer("snapshot", "start"))
    # By the conditions again: a guest who signs in takes their seat along.
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
        # A seat is somebody's: from now on of a guest whom no session knows.
        seat.user, seat.guest = None, f"{GONE}{secrets.token_hex(14)}"
        seat.name = _("Player %(number)s") % {"number": seat.number + 1}
    Seat.objects.bulk_update(left, ["user", "guest", "name"])


def forget_abandoned(before: datetime) -> int:
    """Remove matches that were begun and that nobody has touched since; how many. What was finished stays."""
    left = Match.objects.filter(touched_at__lt=before).exclude(phase=rules.Phase.OVER)
    # With each goes its whole log.
    return delete_in_chunks(left, _MOST_FORGOTTEN)


def join(code: str, player: Player, *, now: float) -> Seat:
    """Seat a player, or bring the player back to the seat that is already theirs."""

    def sit(match: Match, state: rules.MatchState, now: float) -> tuple[did.Event, ...]:
        own = Seat.objects.filter(match=match, **player.key).first()
        if own and own.number >= len(state.seats):
            # Our other tab has sat down since the match was read.
            raise VersionConflict(match.code)
        return decide(state, ask.Join(own.number if own else None), now)

    def keep(match: Match, events: Sequence[did.Event]) -> None:
        for event in events:
            if isinstance(event, did.Joined):
                names = set(match.seats.values_list("name", flat=True))
                defaults = {"name": _name_at(Way(match.way), player, names), **player.key}
                try:
                    Seat.objects.get_or_create(match=match, number=event.seat, defaults=defaults)
                except IntegrityError:
                    # Since the match was read, the guest that they were has brought them a seat here.
                    raise VersionConflict(match.code) from None

    written = _write(code, sit, now=now, keep=keep)
    return Seat.objects.get(match=written.match, **player.key)


def rename(code: str, player: Player, *, now: float) -> None:
    """Call a player at a table by the name that they have now; all its screens show it."""
    own = Seat.objects.filter(match__code=code, **player.key).first()
    if own is None or own.name == player.name:
        return
    number = own.number

    def keep(match: Match, events: Sequence[did.Event]) -> None:
        others = set(match.seats.exclude(number=number).values_list("name", flat=True))
        match.seats.filter(number=number).update(name=_own_name(player.name, others))

    _write(code, lambda match, state, now: decide(state, ask.Rename(number), now), now=now, keep=keep)


def _name_at(way: Way, player: Player, taken: set[str]) -> str:
    """What a player is called at a table.

    Anybody can watch a table where people play together, from the lobby or by its code. So nobody with an account is
    there under their own name: they get a new friendly one at each table, which says nothing about who they are.
    """
    if way == Way.TOGETHER and player.user:
        free = [name for name in friendly_names() if name not in taken]
        return secrets.choice(free) if free else _own_name(friendly_name(), taken)
    return _own_name(player.name, taken)


def _own_name(name: str, taken: set[str]) -> str:
    """The name, or the name with a number where somebody at the table has it already."""
    others = (f"{name} {number}" for number in count(2))
    return name if name not in taken else next(each for each in others if each not in taken)


Decision = Callable[[Match, rules.MatchState, float], tuple[did.Event, ...]]
Keeping = Callable[[Match, Sequence[did.Event]], None]


def _write(code: str, decision: Decision, *, now: float, keep: Keeping | None = None) -> Written:
    for _try in range(_MOST_TRIES):
        try:
            return _try_to_write(code, decision, now, keep)
        except VersionConflict:
            continue
    raise VersionConflict(f"{code} was written by others {_MOST_TRIES} times while we wanted to")


def _try_to_write(code: str, decision: Decision, now: float, keep: Keeping | None) -> Written:
    refused: Refused | None = None
    # Where one statement writes match and log, and nothing else is kept, there is nothing to hold together.
    together = nullcontext() if match_store.writes_at_once() and keep is None else transaction.atomic()
    with together:
        note_lock(LockLevel.MATCH)
        match = match_store.match_of(code)
        now = _not_before(match, now)
        opponents = _opponents(match)
        state, stood = _stand_still(match, match.state, now)
        state, caught_up = _catch_up(state, opponents, now)
        due = (*stood, *caught_up)
        own: tuple[did.Event, ...] = ()
        try:
            own = decision(match, state, now)
        except Refused as error:
            if error.reason is RefusalReason.NO_SUCH_SEAT:
                # What somebody asks who has no seat here changes nothing, not even what is due.
                raise
            refused = error
        state = replay(state, own)
        if due or own:
            _save(match, state, [*due, *own], opponents, now)
            if keep:
                # Only now is the version ours: before, another's seat could be in the way.
                keep(match, own)
                match.around = None
    written = Written(match, own, due)
    if due or own:
        # After the commit, so that a listener may write; and whatever it does, the command is done.
        transaction.on_commit(lambda: _tell(written), robust=True)
    if refused:
        raise refused
    return written


def _not_before(match: Match, now: float) -> float:
    """The moment, or that of the last write where it came while we waited for our turn: a log goes forward.

    A clock that has jumped by more than any waiting is taken as it is.
    """
    last = match.touched_at.timestamp()
    return last if 0 < last - now < _LONGEST_WAIT else now


def _stand_still(match: Match, state: rules.MatchState, now: float) -> tuple[rules.MatchState, tuple[did.Event, ...]]:
    """A pause for the time in which nobody could play: the site was away, its machine slept, or its clock was set.

    Nobody is late for that, no computer plays on by itself, and no window is open for an hour.
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
    """What happened by itself until now, each thing at its own moment."""
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
    # Computers do not play on among themselves when nobody is there.
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
    match.touched_at = _moment(now)
    if not match_store.save(match, read, [event_record(event) for event in events]):
        raise VersionConflict(match.code)


def _tell(written: Written) -> None:
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


def _moment(now: float) -> datetime:
    return datetime.fromtimestamp(now, UTC)
