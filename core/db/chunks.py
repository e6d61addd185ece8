"""Long writes in short transactions, so that nobody who plays has to wait for one to end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import QuerySet

ROWS = 100
"""How many rows one transaction of a long write touches, more or less."""
_Thing = TypeVar("_Thing")


def chunks(things: Iterable[_Thing], size: int = ROWS) -> Iterator[list[_Thing]]:
    """The things in lists of at most so many."""
    rest = iter(things)
    while some := list(islice(rest, size)):
        yield some


def delete_in_chunks(rows: QuerySet[Any], size: int = ROWS, *, lock: Callable[[], object] | None = None) -> int:
    """Delete the rows, and what hangs on them, some at a time; how many there were. May break off and run again.

    `lock` is called first in each transaction, to lock what others lock before they write such rows.
    """
    count = 0
    while keys := _first_keys(rows, size):
        with transaction.atomic():
            if lock:
                lock()
            # By the conditions again, and locked: a row may have changed since we looked, or be about to.
            still = rows.order_by("pk").select_for_update(of=("self",)).filter(pk__in=keys)
            found = rows.model._default_manager.filter(pk__in=list(still.values_list("pk", flat=True)))
            count += found.delete()[1].get(rows.model._meta.label, 0)
    return count


def _first_keys(rows: QuerySet[Any], size: int) -> Sequence[Any]:
    return list(rows.order_by("pk").values_list("pk", flat=True)[:size])
