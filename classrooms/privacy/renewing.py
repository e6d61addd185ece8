"""Re-encrypts data after the secret key has changed, so that the old key can be discarded."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from django.db import connection, transaction

from classrooms.accounts.second_factors import PURPOSE, change_secrets, secrets_in
from classrooms.models import User
from core.db.locks import LockLevel, lock_rows
from core.encryption import CannotDecrypt, decrypt, encrypt, is_of_present_key
from core.fields import EncryptedListField, Unreadable

_MANY = 200


def renew_encryption() -> tuple[int, int]:
    """Re-encrypt pictures and second factors that use an older key; return how many, and how many are unreadable."""
    pictures, second_factors = _renew_pictures(), _renew_second_factors()
    return pictures[0] + second_factors[0], pictures[1] + second_factors[1]


def _renew_pictures() -> tuple[int, int]:
    field = User._meta.get_field("pictures")
    assert isinstance(field, EncryptedListField)  # noqa: S101 (for the type checker)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id, {field.column} FROM {User._meta.db_table} WHERE {field.column} <> ''")  # noqa: S608
        old = [pk for pk, kept in cursor.fetchall() if not field.is_renewed(kept)]
    renewed = unreadable = 0
    for start in range(0, len(old), _MANY):
        with transaction.atomic():
            # Locked, so that pictures that a teacher is renewing right now aren't overwritten with the old ones.
            some = User.objects.filter(pk__in=old[start : start + _MANY]).only("pictures")
            for user in lock_rows(some, LockLevel.PERSON):
                if isinstance(user.pictures, Unreadable):
                    unreadable += 1
                else:
                    user.save(update_fields=["pictures"])
                    renewed += 1
    return renewed, unreadable


def _renew_second_factors() -> tuple[int, int]:
    renewed = unreadable = 0
    for pk in list(Authenticator.objects.values_list("pk", flat=True)):
        try:
            renewed += _renew_second_factor(pk)
        except CannotDecrypt:
            unreadable += 1
    return renewed, unreadable


def _renew_second_factor(pk: int) -> bool:
    with transaction.atomic():
        each = Authenticator.objects.select_for_update().filter(pk=pk).first()
        if each is None or all(is_of_present_key(text, purpose=PURPOSE) for text in secrets_in(each.data)):
            return False
        each.data = change_secrets(each.data, _reencrypt)
        each.save(update_fields=["data"])
    return True


def _reencrypt(text: str) -> str:
    return encrypt(decrypt(text, purpose=PURPOSE), purpose=PURPOSE)
