"""A copy of the database contains no usable credentials without the secret key."""

from __future__ import annotations

import base64
import importlib
import time
from itertools import permutations

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from django.apps import apps
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import override_settings

from classrooms.accounts.pictures import NAMES
from classrooms.models import User
from classrooms.privacy.renewing import renew_encryption
from core.encryption import CannotDecrypt, decrypt, encrypt
from core.fields import EncryptedListField, Unreadable
from tests.classrooms.people import enrol, make_adult, make_classroom
from tests.safety.test_rotation import NEW_KEY, rotated

pytestmark = pytest.mark.django_db

SECRET = base64.b32encode(bytes(range(20))).decode()


@pytest.fixture(autouse=True)
def no_code_was_used_yet(settings):
    settings.MFA_TOTP_TOLERANCE = 1
    cache.clear()


def code_now() -> str:
    return format_hotp_value(hotp_value(SECRET, int(time.time()) // 30))


@pytest.fixture
def mia() -> User:
    return enrol(make_classroom(make_adult("Rivera")), "Mia Okafor")[0].student


def kept_pictures() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pictures FROM classrooms_user WHERE kind = 'student' ORDER BY id")
        return [kept for (kept,) in cursor.fetchall()]


def test_the_database_shows_no_picture_and_the_site_still_knows_them(mia):
    (kept,) = kept_pictures()
    assert not [name for name in NAMES if name in kept]
    assert len(User.objects.get(pk=mia.pk).pictures) == 3
    assert User.objects.get(pk=mia.pk).pictures == mia.pictures


def test_the_same_pictures_look_different_at_each_child_and_all_are_as_long():
    field = EncryptedListField(purpose="pictures")
    same = {field.get_prep_value(["sun", "moon", "star"]) for _child in range(20)}
    assert len(same) == 20
    lengths = {len(field.get_prep_value(list(each))) for each in permutations(NAMES, 3)}
    assert len(lengths) == 1


def test_a_text_for_one_purpose_is_none_for_another_and_a_changed_one_is_none():
    text = encrypt("sun", purpose="pictures")
    assert decrypt(text, purpose="pictures") == "sun"
    with pytest.raises(CannotDecrypt):
        decrypt(text, purpose="second-factor")
    middle = len(text) // 2
    changed = text[:middle] + ("A" if text[middle] != "A" else "B") + text[middle + 1 :]
    for wrong in (changed, "sun", "", "v1.", "v1.AAAA", text.removeprefix("v1.")):
        with pytest.raises(CannotDecrypt):
            decrypt(wrong, purpose="pictures")


def test_second_factors_are_kept_encrypted_and_work(mia):
    ada = make_adult("Ada")
    TOTP.activate(ada, SECRET)
    codes = RecoveryCodes.activate(ada).generate_codes()
    kept = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert SECRET not in kept
    assert not [code for code in codes if code in kept]
    app = TOTP(Authenticator.objects.get(type="totp"))
    assert app.validate_code(code_now())
    assert RecoveryCodes(Authenticator.objects.get(type="recovery_codes")).validate_code(codes[0])


def test_the_migration_encrypts_the_second_factors_that_were_in_clear():
    ada = make_adult("Ada")
    Authenticator.objects.create(user=ada, type="totp", data={"secret": SECRET})
    codes = {"seed": "ab12" * 20, "used_mask": 1, "migrated_codes": ["11111111"]}
    Authenticator.objects.create(user=ada, type="recovery_codes", data=codes)
    (name,) = [name for name in migrations_of("classrooms") if name.endswith("_encrypted_secrets")]
    importlib.import_module(f"classrooms.migrations.{name}").encrypt_second_factors(apps)
    kept = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert SECRET not in kept
    assert "ab12ab12" not in kept
    assert "11111111" not in kept
    app = TOTP(Authenticator.objects.get(type="totp"))
    assert app.validate_code(code_now())
    assert Authenticator.objects.get(type="recovery_codes").data["used_mask"] == 1


def migrations_of(app: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM django_migrations WHERE app = %s", [app])
        return [name for (name,) in cursor.fetchall()]


def test_pictures_and_second_factors_of_the_old_key_are_read_and_can_be_renewed(mia):
    ada = make_adult("Ada")
    TOTP.activate(ada, SECRET)
    code = code_now()
    before = kept_pictures()
    with rotated():
        assert User.objects.get(pk=mia.pk).pictures == mia.pictures
        assert renew_encryption() == (2, 0)
        assert renew_encryption() == (0, 0)
    assert kept_pictures() != before
    with override_settings(SECRET_KEY=NEW_KEY):
        assert User.objects.get(pk=mia.pk).pictures == mia.pictures
        assert TOTP(Authenticator.objects.get()).validate_code(code)


def test_pictures_whose_key_is_gone_open_nothing_break_no_page_and_are_not_lost(mia):
    before = kept_pictures()
    with rotated(keeps_old=False):
        found = User.objects.get(pk=mia.pk)
        assert isinstance(found.pictures, Unreadable)
        assert not found.pictures
        found.save()
        with pytest.raises(CommandError, match="1 can't be read"):
            call_command("renew_encryption")
    assert kept_pictures() == before
    assert User.objects.get(pk=mia.pk).pictures == mia.pictures
