"""Forms on the guardian's pages."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from classrooms.accounts.names import LONGEST, clean, is_unfit
from classrooms.consents import HOME, TEXTS


class CodeForm(forms.Form):
    code = forms.CharField(label=gettext_lazy("Code on the paper"), max_length=40)


class ChildForm(forms.Form):
    display_name = forms.CharField(
        label=gettext_lazy("What your child is called here"),
        help_text=gettext_lazy("A first name or a nickname is enough."),
        max_length=LONGEST,
    )
    consent = forms.BooleanField(label=TEXTS[HOME])

    def clean_display_name(self) -> str:
        name = clean(self.cleaned_data["display_name"])
        if not name:
            raise forms.ValidationError(_("Please use letters in the name."))
        if is_unfit(name):
            raise forms.ValidationError(_("Other players see this name. Please choose a friendly one."))
        return name
