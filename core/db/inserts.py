"""Insert a row that another request may have inserted already, in one statement."""

from __future__ import annotations

from django.db.models import Model
from django.db.models.constants import OnConflict


def insert_unless_there(row: Model) -> bool:
    """Insert the row and set its primary key. Returns False if a unique constraint says it already exists.

    After a conflict `save` would need a savepoint to continue the transaction, and `bulk_create` returns no key.
    """
    options = row._meta
    fields = [field for field in options.concrete_fields if not field.primary_key]
    for field in fields:
        field.pre_save(row, add=True)
    key = options.pk
    inserted = options.base_manager.get_queryset()._insert(  # type: ignore[attr-defined]
        [row], fields=fields, returning_fields=[key], on_conflict=OnConflict.IGNORE
    )
    found = inserted[0] if inserted else None
    if found is None:
        return False
    row.pk = found[0]
    row._state.adding, row._state.db = False, options.base_manager.db
    return True
