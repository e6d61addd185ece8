"""Test people: a class with its teacher, students and a guardian, created the way the site does it."""

from __future__ import annotations

import time
from itertools import count

from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client

from classrooms.accounts.sign_up import vouch_for
from classrooms.classes.service import make_class
from classrooms.classes.students import NewStudent, add_students
from classrooms.models import Classroom, Enrolment, User

_numbers = count(1)


def make_adult(name: str = "Ada") -> User:
    """An adult with a confirmed email address, as required for signing in."""
    user = User.objects.create_adult(email=f"{name.lower()}{next(_numbers)}@people.example", display_name=name)
    vouch_for(user)
    return user


def make_classroom(teacher: User, name: str = "Class 2B") -> Classroom:
    return make_class(name=name, language="en-us", edition="us", authorised_by="The head of school", by=teacher)


def enrol(classroom: Classroom, *real_names: str) -> list[Enrolment]:
    teacher = classroom.teachers.all()[0]
    return add_students(classroom, [NewStudent(real_name=name) for name in real_names], by=teacher)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def make_operator(name: str = "Operator") -> User:
    """A superuser who has set up a second factor."""
    user = make_adult(name)
    user.is_staff = user.is_superuser = True
    user.save()
    TOTP.activate(user, generate_totp_secret())
    return user


def prove_second_factor(client: Client, user: User, *, seconds_ago: float = 0) -> None:
    """Mark the session as if a code had been entered. `test_admin.py` really enters one."""
    factor = Authenticator.objects.get(user=user, type=Authenticator.Type.TOTP)
    session = client.session
    session["account_authentication_methods"] = [
        {"method": "mfa", "at": time.time() - seconds_ago, "id": factor.pk, "type": factor.type}
    ]
    session["account_authentication_methods_user"] = str(user.pk)
    session.save()


def operating(user: User) -> Client:
    """A browser in which an operator has signed in with both factors."""
    client = signed_in(user)
    prove_second_factor(client, user)
    return client
