"""How adults sign up and where everybody lands; the rest of signing in is django-allauth's."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from classrooms.models import User
from classrooms.names import clean


class SignUpForm(forms.Form):
    """What we ask of an adult besides the address and the password."""

    display_name = forms.CharField(
        label=_("Your name, as your class or family knows you"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    field_order = ("display_name", "email", "password1")

    def clean_display_name(self) -> str:
        return clean(self.cleaned_data["display_name"])

    def signup(self, request: HttpRequest, user: User) -> None:
        user.display_name = self.cleaned_data["display_name"]
        user.save(update_fields=["display_name"])


class Adapter(DefaultAccountAdapter):  # type: ignore[misc]
    def populate_username(self, request: HttpRequest, user: User) -> None:
        """Nobody has a user name here."""


def name_of(user: User) -> str:
    return user.display_name


def vouch_for(user: User) -> None:
    """Take the user's address as confirmed, where we know it is."""
    EmailAddress.objects.get_or_create(user=user, email=user.email, defaults={"verified": True, "primary": True})


def landing(user: Any) -> str:
    """The name of the page that shows what to do next."""
    if user.is_student:
        return "learn:home"
    if user.classrooms_taught.kept().exists():
        return "teach:home"
    return "family:home" if user.children_links.exists() else "account"
