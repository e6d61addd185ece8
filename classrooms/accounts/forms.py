"""Allauth's forms with our limits on guessing and mail, and without timing differences that reveal accounts."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import ResetPasswordForm, SignupForm
from allauth.core import context
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from django import forms
from django.contrib.auth.hashers import make_password
from django.http import HttpRequest

from classrooms.accounts.guessing import CODES, RESETS, HeldUp, begin_try
from classrooms.accounts.sign_up import held_up_error
from classrooms.models import User


class AdultSignupForm(SignupForm):  # type: ignore[misc]
    def try_save(self, request: HttpRequest) -> Any:
        if self.account_already_exists:
            # Creating an account hashes one password, so a taken address has to take as long.
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)


class LimitedResetPasswordForm(ResetPasswordForm):  # type: ignore[misc]
    def clean_email(self) -> str:
        email: str = super().clean_email()
        try:
            begin_try(context.request, RESETS, email=email)
        except HeldUp as error:
            raise held_up_error(error, mail=True) from error
        return email


class _LimitedCode(forms.Form):
    user: User

    def clean_code(self) -> str:
        try:
            tried = begin_try(context.request, CODES, user=self.user)
        except HeldUp as error:
            raise held_up_error(error) from error
        try:
            code: str = super().clean_code()  # type: ignore[misc]
        except forms.ValidationError:
            tried.failed()
            raise
        tried.succeeded()
        return code


class LimitedAuthenticateForm(_LimitedCode, AuthenticateForm):  # type: ignore[misc]
    """The second step at sign-in."""


class LimitedReauthenticateForm(_LimitedCode, ReauthenticateForm):  # type: ignore[misc]
    """The second step at reauthentication."""
