"""Forms for classes."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from classrooms.accounts.names import clean
from classrooms.consents import SCHOOL, TEXTS
from games.forms import EDITION_TITLES
from games.rules.editions import CURRENT_EDITION


class ClassForm(forms.Form):
    name = forms.CharField(label=_("Name of the class"), max_length=60)
    language = forms.ChoiceField(label=_("Language"), choices=settings.LANGUAGES, initial=settings.LANGUAGE_CODE)
    edition = forms.ChoiceField(label=_("Rules"), choices=EDITION_TITLES, initial=CURRENT_EDITION)
    authorised_by = forms.CharField(
        label=_("Who has allowed the class to use this site"),
        help_text=_("For example the head of school, or the parents' consent of this year. It is kept with the class."),
        max_length=120,
    )

    def clean_name(self) -> str:
        return clean(self.cleaned_data["name"])

    def clean_authorised_by(self) -> str:
        return clean(self.cleaned_data["authorised_by"])


class NewClassForm(ClassForm):
    """A new class, with the teacher's statement that the school allows it."""

    has_authority = forms.BooleanField(label=TEXTS[SCHOOL])


class InvitationForm(forms.Form):
    email = forms.EmailField(label=_("Email address of the colleague"))
