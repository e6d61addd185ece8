"""Model fields for every app."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

from django.db import models

from core.encryption import CannotDecrypt, decrypt, encrypt, is_of_present_key

if TYPE_CHECKING:
    _TextField = models.TextField[Any, Any]
else:
    _TextField = models.TextField

log = logging.getLogger(__name__)

NOTHING = ""
"""How an empty value is stored: emptiness is no secret, and this costs nothing to read."""


class Unreadable(list[Any]):
    """A value whose key is gone. It reads as an empty list, so it unlocks nothing; saving it keeps the original."""

    def __init__(self, stored: str) -> None:
        super().__init__()
        self.stored = stored


class EncryptedListField(_TextField):
    """A list stored encrypted, so it can't be queried. `purpose` selects the key."""

    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def __init__(self, *args: Any, purpose: str, **more: Any) -> None:
        self.purpose = purpose
        super().__init__(*args, **more)

    def deconstruct(self) -> tuple[str, str, Any, dict[str, Any]]:
        name, path, args, more = super().deconstruct()
        return name, path, args, {**more, "purpose": self.purpose}

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> list[Any]:
        # None if an outer join found no row: a guest's seat has no user.
        if value is None or value == NOTHING:
            return []
        try:
            return list(json.loads(decrypt(value, purpose=self.purpose)))
        except CannotDecrypt as error:
            # A page about many people mustn't fail because one secret's key is gone.
            log.warning("encryption.unreadable", extra={"field": self.name, "reason": str(error)})
            return Unreadable(value)

    def get_prep_value(self, value: Any) -> str:
        if isinstance(value, Unreadable):
            return value.stored
        if not value:
            return NOTHING
        return encrypt(json.dumps(list(value), separators=(",", ":")), purpose=self.purpose)

    def to_python(self, value: Any) -> Any:
        """Decrypt what a fixture holds, which is encrypted too."""
        return self.from_db_value(value, None, None) if isinstance(value, str) else value

    def value_to_string(self, obj: models.Model) -> str:
        return self.get_prep_value(self.value_from_object(obj))

    def is_renewed(self, stored: str) -> bool:
        """Whether the stored value is encrypted with the current key."""
        return stored == NOTHING or is_of_present_key(stored, purpose=self.purpose)
