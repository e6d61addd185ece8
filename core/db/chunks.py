"""Split long writes into short transactions, so that games in progress never wait for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import CASCADE, ForeignObjectRel, Model, QuerySet

ROWS = 100
"""About how many rows of a long write go into one transaction."""
_Thing = TypeVar("_Thing")


def chunks(things: Iterable[_Thing], size: int = ROWS) -> Iterator[list[_Thing]]:
    """Split things into lists of at most `size`."""
    rest = iter(things)
    while some := list(islice(rest, size)):
        yield some


def delete_in_chunks(rows: QuerySet[Any], size: int = ROWS, *, lock: Callable[[], object] | None = None) -> int:
    """Delete the rows, and whatever cascades, in chunks. Returns how many there were. Safe to interrupt and run again.

    `lock` is called first in each transaction, to take the lock that other writers of these rows take.
    """
    count = 0
    while keys := _first_keys(rows, size):
        with transaction.atomic():
            if lock:
                lock()
            # Apply the conditions again, under a lock: a row may have changed since we looked.
            still = rows.order_by("pk").select_for_update(of=("self",)).filter(pk__in=keys)
            found = rows.model._default_manager.filter(pk__in=list(still.values_list("pk", flat=True)))
            count += found.delete()[1].get(rows.model._meta.label, 0)
    return count


def cascading(row: Model) -> Iterator[QuerySet[Any]]:
    """All rows that go with this one when it's deleted, those that other rows point at last."""
    for model, path in _dependents(type(row)):
        yield model._base_manager.filter(**{path: row.pk})


def _dependents(model: type[Model], path: str = "") -> Iterator[tuple[type[Model], str]]:
    for relation in model._meta.get_fields(include_hidden=True):
        if isinstance(relation, ForeignObjectRel) and relation.on_delete is CASCADE:
            longer = f"{relation.field.name}__{path}" if path else relation.field.name
            yield from _dependents(relation.related_model, longer)
            yield relation.related_model, longer


def _first_keys(rows: QuerySet[Any], size: int) -> Sequence[Any]:
    return list(rows.order_by("pk").values_list("pk", flat=True)[:size])
