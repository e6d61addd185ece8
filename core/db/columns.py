"""The columns of a model for handwritten SQL, and their values read back as a query would return them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Model

_M = TypeVar("_M", bound=Model)
Converter = Callable[[Any], Any]


class Columns(Generic[_M]):
    """A model's columns, or some of them, under the alias that a statement gives the table."""

    def __init__(self, model: type[_M], alias: str, names: Iterable[str] = ()) -> None:
        wanted = set(names)
        self.model = model
        self.fields = [each for each in model._meta.concrete_fields if not wanted or each.attname in wanted]
        self.names = [each.attname for each in self.fields]
        self.sql = ", ".join(f"{alias}.{each.column}" for each in self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def values(self, row: Sequence[Any]) -> list[Any]:
        """The values of a row's columns, converted as the database and the fields require."""
        values = list(row)
        for place, convert in self._converters:
            values[place] = convert(values[place])
        return values

    def instance(self, row: Sequence[Any]) -> _M:
        return self.model.from_db(connection.alias, self.names, self.values(row))

    @cached_property
    def _converters(self) -> list[tuple[int, Converter]]:
        return [(place, each) for place, field in enumerate(self.fields) for each in _converters_of(field)]


def _converters_of(field: Any) -> list[Converter]:
    column = field.get_col(field.model._meta.db_table)
    found = [*connection.ops.get_db_converters(column), *column.get_db_converters(connection)]
    return [partial(_convert, each, column) for each in found]


def _convert(converter: Callable[[Any, Any, Any], Any], column: Any, value: Any) -> Any:
    return converter(value, column, connection)
