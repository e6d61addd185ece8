"""Events, options and matches as plain JSON values, and back."""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from games.rules import events
from games.rules.cards import Card
from games.rules.editions import Options
from games.rules.errors import BadRecord
from games.rules.state import Match

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


def match_record(match: Match) -> dict[str, Any]:
    """A match as a snapshot keeps it: with the secret deck, so never for a browser."""
    record: dict[str, Any] = _write(match)
    return record


def match_from(record: dict[str, Any]) -> Match:
    return _read_object(Match, record)


def options_record(options: Options) -> dict[str, Any]:
    record: dict[str, Any] = _write(options)
    return record


def options_from(record: dict[str, Any]) -> Options:
    return _read_object(Options, record)


def _write(value: Any) -> Any:
    kind: Any = type(value)
    return _writer(kind)(value)


@cache
def _writer(kind: Any) -> Callable[[Any], Any]:
    """What turns a value of the type into a JSON value; made once a type, since every call at a table needs it."""
    if kind is Card:
        return attrgetter("index")
    if issubclass(kind, Enum):
        return attrgetter("value")
    if issubclass(kind, frozenset):
        return lambda value: sorted(map(_write, value))
    if issubclass(kind, tuple):
        return lambda value: list(map(_write, value))
    if is_dataclass(kind):
        names = [field.name for field in fields(kind)]
        return lambda value: {name: _write(getattr(value, name)) for name in names}
    return _as_it_is


Reader = Callable[[Any], Any]


def _read_object(kind: Callable[..., T], record: dict[str, Any]) -> T:
    try:
        value: T = _reader(kind)(record)
    except BadRecord:
        raise
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadRecord(f"this is no {kind.__name__}: {error!r}") from error
    return value


@cache
def _reader(hint: Hashable) -> Reader:
    """What turns a JSON value into a value of the type; made once a type, since every call at a table needs it."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        (kind,) = (choice for choice in get_args(hint) if choice is not type(None))
        read = _reader(kind)
        return lambda value: None if value is None else read(value)
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


def _tuple_reader(parts: tuple[Any, ...]) -> Reader:
    if parts[-1] is Ellipsis:
        read = _reader(parts[0])
        return lambda value: tuple(map(read, value))
    readers = [_reader(part) for part in parts]
    return lambda value: tuple(read(part) for read, part in zip(readers, value, strict=True))


def _dataclass_reader(kind: Any) -> Reader:
    readers = {name: _reader(hint) for name, hint in get_type_hints(kind).items()}
    return lambda record: kind(**{name: readers[name](value) for name, value in record.items()})
