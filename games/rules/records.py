"""Convert events, options, and matches to plain JSON values and back."""

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
    """An event as stored in a log."""
    return {"kind": type(event).__name__, **_write(event)}


def event_from(record: dict[str, Any]) -> events.Event:
    kind = _EVENTS.get(record.get("kind", ""))
    if kind is None:
        raise BadRecord(f"no event is of the kind {record.get('kind')!r}")
    return _read_object(kind, {name: value for name, value in record.items() if name != "kind"})


def match_record(match: MatchState) -> dict[str, Any]:
    """A match as stored in a snapshot. It includes the secret deck, so never send it to a browser."""
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
# Converters to and from JSON are built once per type, since every call at a table needs them.


@cache
def _writer(hint: Hashable) -> Turn:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _or_none(_writer(_non_none_type(hint)))
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
    return _unchanged


def _tuple_writer(parts: tuple[Any, ...]) -> Turn:
    if parts[-1] is Ellipsis:
        write = _writer(parts[0])
        return list if write is _unchanged else lambda value: list(map(write, value))
    writers = [_writer(part) for part in parts]
    return lambda value: [write(part) for write, part in zip(writers, value, strict=True)]


def _dataclass_writer(kind: Any) -> Turn:
    writers = {name: _writer(hint) for name, hint in get_type_hints(kind).items()}
    to_convert = _fields_to_convert(writers)

    def write(value: Any) -> dict[str, Any]:
        record = {name: getattr(value, name) for name in writers}
        for name, turn in to_convert:
            record[name] = turn(record[name])
        return record

    return write


def _fields_to_convert(turns: dict[str, Turn]) -> list[tuple[str, Turn]]:
    """The fields that differ in JSON; most don't."""
    return [(name, turn) for name, turn in turns.items() if turn is not _unchanged]


def _or_none(turn: Turn) -> Turn:
    return turn if turn is _unchanged else lambda value: None if value is None else turn(value)


def _non_none_type(hint: Hashable) -> Hashable:
    """The type X of an optional `X | None`."""
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
        return _or_none(_reader(_non_none_type(hint)))
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
    return _unchanged


def _unchanged(value: Any) -> Any:
    return value


def _tuple_reader(parts: tuple[Any, ...]) -> Turn:
    if parts[-1] is Ellipsis:
        read = _reader(parts[0])
        return lambda value: tuple(map(read, value))
    readers = [_reader(part) for part in parts]
    return lambda value: tuple(read(part) for read, part in zip(readers, value, strict=True))


def _dataclass_reader(kind: Any) -> Turn:
    to_convert = _fields_to_convert({name: _reader(hint) for name, hint in get_type_hints(kind).items()})

    def read(record: dict[str, Any]) -> Any:
        values = dict(record)
        for name, turn in to_convert:
            if name in values:
                values[name] = turn(values[name])
        return kind(**values)

    return read
