"""Events, options and matches as plain JSON values, and back."""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from games.rules import events
from games.rules.cards import Card
from games.rules.editions import Options
from games.rules.errors import BadRecord
from games.rules.state import MatchState

T = TypeVar("T")

_EVENTS: dict[str, Callable[..., events.Event]] = {kind.__name__: kind for kind in get_args(events.Event)}


def event_record(event: events.Event) -> dict[str, Any]:
    """An event as it is kept in a log."""
    return {"kind": type(event).__name__, **_write(event)}


def event_from(record: dict[str, Any]) -> events.Event:
    kind = _EVENTS.get(record.get("kind", ""))
    if kind is None:
        raise BadRecord(f"no event is of the kind {record.get('kind')!r}")
    return _read_object(kind, {name: value for name, value in record.items() if name != "kind"})


def match_record(match: MatchState) -> dict[str, Any]:
    """A match as a snapshot keeps it: with the secret deck, so never for a browser."""
    record: dict[str, Any] = _write(match)
    return record


def match_from(record: dict[str, Any]) -> MatchState:
    return _read_object(MatchState, record)


def options_record(options: Options) -> dict[str, Any]:
    record: dict[str, Any] = _write(options)
    return record


def options_from(record: dict[str, Any]) -> Options:
    return _read_object(Options, record)


def _write(value: Any) -> Any:
    kind: Any = type(value)
    return _writer(kind)(value)


Turn = Callable[[Any], Any]
# What turns values of a type into JSON values and back is made once a type, since every call at a table needs it.


@cache
def _writer(hint: Hashable) -> Turn:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _unless_none(_writer(_choice(hint)))
    if origin is frozenset:
        return sorted
    if origin is tuple:
        return _tuple_writer(get_args(hint))
    if hint is Card:
        return attrgetter("index")
    if is_dataclass(hint):
        return _dataclass_writer(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return attrgetter("value")
    return _as_it_is


def _tuple_writer(parts: tuple[Any, ...]) -> Turn:
    if parts[-1] is Ellipsis:
        write = _writer(parts[0])
        return list if write is _as_it_is else lambda value: list(map(write, value))
    writers = [_writer(part) for part in parts]
    return lambda value: [write(part) for write, part in zip(writers, value, strict=True)]


def _dataclass_writer(kind: Any) -> Turn:
    writers = {name: _writer(hint) for name, hint in get_type_hints(kind).items()}
    turned = _turned(writers)

    def write(value: Any) -> dict[str, Any]:
        record = {name: getattr(value, name) for name in writers}
        for name, turn in turned:
            record[name] = turn(record[name])
        return record

    return write


def _turned(turns: dict[str, Turn]) -> list[tuple[str, Turn]]:
    """The fields that are something else in JSON; most are not."""
    return [(name, turn) for name, turn in turns.items() if turn is not _as_it_is]


def _unless_none(turn: Turn) -> Turn:
    return turn if turn is _as_it_is else lambda value: None if value is None else turn(value)


def _choice(hint: Hashable) -> Hashable:
    """The type of what may also be None."""
    (kind,) = (choice for choice in get_args(hint) if choice is not type(None))
    return cast("Hashable", kind)


def _read_object(kind: Callable[..., T], record: dict[str, Any]) -> T:
    try:
        value: T = _reader(kind)(record)
    except BadRecord:
        raise
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadRecord(f"this is no {kind.__name__}: {error!r}") from error
    return value


@cache
def _reader(hint: Hashable) -> Turn:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _unless_none(_reader(_choice(hint)))
    if origin is tuple:
        return _tuple_reader(get_args(hint))
    if origin is frozenset:
        return frozenset
    if hint is Card:
        return Card.from_index
    if is_dataclass(hint):
        return _dataclass_reader(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    return _as_it_is


def _as_it_is(value: Any) -> Any:
    return value


def _tuple_reader(parts: tuple[Any, ...]) -> Turn:
    if parts[-1] is Ellipsis:
        read = _reader(parts[0])
        return lambda value: tuple(map(read, value))
    readers = [_reader(part) for part in parts]
    return lambda value: tuple(read(part) for read, part in zip(readers, value, strict=True))


def _dataclass_reader(kind: Any) -> Turn:
    turned = _turned({name: _reader(hint) for name, hint in get_type_hints(kind).items()})

    def read(record: dict[str, Any]) -> Any:
        values = dict(record)
        for name, turn in turned:
            if name in values:
                values[name] = turn(values[name])
        return kind(**values)

    return read
