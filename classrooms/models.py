"""People and the groups they learn in: users, classes, enrolments, guardians."""

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.utils.translation import gettext_lazy as _

from games.rules import EDITIONS


class Kind(models.TextChoices):
    ADULT = "adult", _("adult")
    STUDENT = "student", _("student")


class UserManager(BaseUserManager["User"]):
    def create_adult(self, *, email: str, display_name: str, password: str | None = None, **more: Any) -> "User":
        if not email:
            raise ValueError("an adult has an address")
        user = self.model(email=email.lower(), display_name=display_name, kind=Kind.ADULT, **more)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> "User":
        """Who signs in with this address, however it is capitalised."""
        return self.get(email=(username or "").lower())

    def create_student(self, *, display_name: str) -> "User":
        user = self.model(email=None, display_name=display_name, kind=Kind.STUDENT)
        user.set_unusable_password()
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str, **more: Any) -> "User":
        """What `manage.py createsuperuser` calls."""
        name = more.pop("display_name", email.partition("@")[0])
        return self.create_adult(
            email=email, display_name=name, password=password, is_staff=True, is_superuser=True, **more
        )


class User(AbstractBaseUser, PermissionsMixin):
    """One person. Adults have an address; of a student we keep a display name and nothing else."""

    kind = models.CharField(max_length=10, choices=Kind.choices)
    email = models.EmailField(unique=True, null=True, blank=True)
    display_name = models.CharField(max_length=40)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects = UserManager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                name="an_adult_has_an_address_and_a_student_has_none",
                condition=models.Q(kind=Kind.ADULT, email__isnull=False)
                | models.Q(kind=Kind.STUDENT, email__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return self.display_name


class Classroom(models.Model):
    name = models.CharField(max_length=60)
    code = models.CharField(max_length=8, unique=True)
    edition = models.CharField(max_length=20, choices=[(slug, slug) for slug in EDITIONS])
    teachers = models.ManyToManyField(User, related_name="classrooms_taught")
    students = models.ManyToManyField(User, through="Enrolment", related_name="classrooms_joined")

    def __str__(self) -> str:
        return self.name


class Enrolment(models.Model):
    """A student in a class. The real name belongs here, where only the class's teachers look."""

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="enrolments")
    student = models.ForeignKey(User, on_delete=models.CASCADE, related_name="enrolments")
    real_name = models.CharField(max_length=80, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["classroom", "student"], name="a_student_is_once_in_a_class")
        ]

    def __str__(self) -> str:
        return f"{self.student} in {self.classroom}"


class Guardianship(models.Model):
    """Who may follow the progress of a child."""

    guardian = models.ForeignKey(User, on_delete=models.CASCADE, related_name="children_links")
    child = models.ForeignKey(User, on_delete=models.CASCADE, related_name="guardian_links")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["guardian", "child"], name="a_guardian_is_linked_once_to_a_child")
        ]

    def __str__(self) -> str:
        return f"{self.guardian} for {self.child}"
