"""How adults sign up, and where users land after signing in. The rest of adults' sign-in is django-allauth."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.core import context
from django import forms
from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from classrooms.accounts.guessing import PASSWORDS, HeldUp, begin_try
from classrooms.accounts.names import clean, is_unfit
from classrooms.models import User
from core.limits import wait_text
from core.links import absolute_url
from games.access import rights_changed


class SignUpForm(forms.Form):
    """What we ask an adult besides email address and password."""

    display_name = forms.CharField(
        label=_("Your name, as your class or family knows you"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    is_adult = forms.ChoiceField(
        label=_("Are you an adult?"),
        help_text=_("We ask because only an adult can agree to what we keep about them or about a child."),
        choices=[("yes", _("Yes")), ("no", _("No"))],
        widget=forms.RadioSelect,
    )
    field_order = ("is_adult", "display_name", "email", "password1")
    is_child = False
    """Set if somebody said that they aren't an adult. They see what children can do instead of the form."""

    def clean_is_adult(self) -> bool:
        if self.cleaned_data["is_adult"] != "yes":
            self.is_child = True
            raise forms.ValidationError(_("Accounts with an email address are for adults."))
        return True

    def clean_display_name(self) -> str:
        return fit_name(self.cleaned_data["display_name"])

    def signup(self, request: HttpRequest, user: User) -> None:
        user.display_name = self.cleaned_data["display_name"]
        user.declared_adult_at = timezone.now()
        user.save(update_fields=["display_name", "declared_adult_at"])


def fit_name(text: str) -> str:
    """Clean an adult's name, which a class may see. Raises `ValidationError` if it isn't fit for children."""
    name = clean(text)
    if not name:
        raise forms.ValidationError(_("Please use letters in the name."))
    if is_unfit(name):
        raise forms.ValidationError(_("Children will see this name. Please choose another."))
    return name


def held_up_error(error: HeldUp, *, mail: bool = False) -> forms.ValidationError:
    """The error for too many tries: how long to wait, and what the account's owner can do instead."""
    text = str(_("Too many tries.")) + " " + wait_text(error.retry_after)
    if error.is_strange and not mail:
        text += " " + str(_("A browser where you've signed in before still works, and you can reset your password."))
    return forms.ValidationError(text, code="too_many_login_attempts")


SIGNED_IN_AT = "signed_in_at"
"""Session key for the time of sign-in."""
_SITE = SimpleNamespace(name="Setsite", domain=urlsplit(settings.SITE_URL).netloc)


class Adapter(DefaultAccountAdapter):  # type: ignore[misc]
    def populate_username(self, request: HttpRequest, user: User) -> None:
        """Do nothing, because accounts have no user names."""

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Replace allauth's own rate limit, with which anybody could lock an account's owner out."""
        try:
            self._tried = begin_try(request, PASSWORDS, email=str(credentials.get("email", "")))
        except HeldUp as error:
            raise held_up_error(error) from error

    def authenticate(self, request: HttpRequest, **credentials: Any) -> Any:
        user = super().authenticate(request, **credentials)
        if user:
            self._tried.succeeded()
        return user

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        self._tried.failed()

    def set_password(self, user: User, password: str) -> None:
        """Set a new password. That signs the owner out of all other browsers and ends their open streams."""
        super().set_password(user, password)
        rights_changed(user.pk)

    def is_reauthentication_required(self, *, app: str, **more: Any) -> bool:
        """Accept a recent sign-in, too; allauth counts only explicit reauthentication."""
        if not super().is_reauthentication_required(app=app, **more):
            return False
        signed_in = context.request.session.get(SIGNED_IN_AT, 0.0)
        return not 0 <= time.time() - signed_in < settings.ACCOUNT_REAUTHENTICATION_TIMEOUT

    def send_notification_mail(
        self, template_prefix: str, user: User, context: dict[str, Any] | None = None, email: str | None = None
    ) -> None:
        """Tell the owner about a change and how to undo it. A removed address is told about its removal, too."""
        words = {**(context or {}), "password_reset_url": absolute_url("account_reset_password")}
        super().send_notification_mail(template_prefix, user, words, email)
        if removed := words.get("deleted_email"):
            super().send_notification_mail(template_prefix, user, words, removed)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Point the links in allauth's mails at the configured site, whatever the request's host header says."""
        links = {"signup_url": "account_signup", "password_reset_url": "account_reset_password"}
        ours = {key: absolute_url(name) for key, name in links.items() if key in context}
        self.render_mail(template_prefix, email, {**context, **ours, "email": email, "current_site": _SITE}).send()


def note_time(sender: object, request: HttpRequest | None, user: User, **more: Any) -> None:
    """Note the time of sign-in. Receiver of Django's `user_logged_in`."""
    if request is not None:
        request.session[SIGNED_IN_AT] = time.time()


def tell_of_new_address(request: HttpRequest, user: User, email_address: EmailAddress, **more: Any) -> None:
    """Tell the account's other addresses about a new one. Receiver of allauth's `email_added`."""
    others = EmailAddress.objects.filter(user=user, verified=True).exclude(email=email_address.email)
    for other in others:
        words = {"added_email": email_address.email}
        Adapter(request).send_notification_mail("account/email/email_added", user, words, other.email)


def name_of(user: User) -> str:
    return user.display_name


def vouch_for(user: User) -> None:
    """Mark the user's address as verified, for callers who know that it is."""
    EmailAddress.objects.get_or_create(user=user, email=user.email, defaults={"verified": True, "primary": True})


def landing(user: Any) -> str:
    """The URL name of the page where a user lands after signing in."""
    if user.is_student:
        return "learn:home"
    if user.classrooms_taught.not_deleted().exists():
        return "teach:home"
    return "family:home" if user.children_links.exists() else "account"
