"""Users, and who is whose guardian."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.fields import EncryptedListField


class AccountKind(models.TextChoices):
    ADULT = "adult", _("adult")
    STUDENT = "student", _("student")


class UserManager(BaseUserManager["User"]):
    def create_adult(self, *, email: str, display_name: str, password: str | None = None, **more: Any) -> User:
        if not email:
            raise ValueError("an adult has an address")
        user = self.model(email=email.lower(), display_name=display_name, kind=AccountKind.ADULT, **more)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> User:
        """Look up a user by email address, ignoring case."""
        return self.get(email=(username or "").lower())

    def create_student(self, *, display_name: str, **more: Any) -> User:
        user = self.model(email=None, display_name=display_name, kind=AccountKind.STUDENT, **more)
        user.set_unusable_password()
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str, **more: Any) -> User:
        """Called by `manage.py createsuperuser`."""
        name = more.pop("display_name", email.partition("@")[0])
        return self.create_adult(
            email=email, display_name=name, password=password, is_staff=True, is_superuser=True, **more
        )


class User(AbstractBaseUser, PermissionsMixin):
    """A person. Adults have an email address; for a student we store only a display name and a way to sign in."""

    kind = models.CharField(max_length=10, choices=AccountKind.choices, default=AccountKind.ADULT)
    email = models.EmailField(_("email address"), unique=True, null=True, blank=True)
    display_name = models.CharField(_("name"), max_length=40)
    language = models.CharField(_("language"), max_length=10, choices=settings.LANGUAGES, blank=True)
    """If empty, the language of the class or the browser is used."""
    look = models.CharField(max_length=120, blank=True)
    """Theme, card colors and so on, as serialized by `setsite.appearance`; empty for the defaults."""
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    joined_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True, blank=True)
    """When the account was deleted for everybody. It's purged from the database a while later."""
    declared_adult_at = models.DateTimeField(null=True, blank=True)
    """When the user said at sign-up that they're an adult; empty for accounts from before we asked."""

    wants_summary = models.BooleanField(default=True)
    """Whether a teacher gets the weekly summary."""

    is_home = models.BooleanField(default=False)
    """A guardian made this student's account, so no school may reset or delete it."""
    pictures = EncryptedListField(default=list, blank=True, purpose="pictures")
    """A student's secret: three pictures in order. They aren't hashed, because the login card shows them and a hash of
    1,320 combinations is cracked in no time. They're encrypted, so that a copy of the database doesn't reveal them."""
    card_number = models.PositiveIntegerField(default=1)
    """The number of the valid login card. A new card invalidates the old one."""

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects = UserManager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                name="an_adult_has_an_address_and_a_student_has_none",
                condition=models.Q(kind=AccountKind.ADULT, email__isnull=False)
                | models.Q(kind=AccountKind.STUDENT, email__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return self.display_name

    @property
    def is_student(self) -> bool:
        return self.kind == AccountKind.STUDENT


class Guardianship(models.Model):
    """A guardian, who may follow a child's progress."""

    guardian = models.ForeignKey(User, on_delete=models.CASCADE, related_name="children_links")
    child = models.ForeignKey(User, on_delete=models.CASCADE, related_name="guardian_links")
    made_at = models.DateTimeField(default=timezone.now)
    wants_letter = models.BooleanField(default=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["guardian", "child"], name="a_guardian_is_linked_once_to_a_child")
        ]

    def __str__(self) -> str:
        return f"{self.guardian} for {self.child}"


class GuardianCode(models.Model):
    """A paper code that links one guardian to one child, once. Only its fingerprint is stored."""

    child = models.ForeignKey(User, on_delete=models.CASCADE, related_name="guardian_codes")
    fingerprint = models.CharField(max_length=64, unique=True)
    made_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"a code for {self.child}"
