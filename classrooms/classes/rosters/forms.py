"""Forms for the students of a class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from classrooms.accounts.names import LONGEST, clean, is_unfit
from classrooms.classes.rosters.row_form import LONGEST_GROUP, LONGEST_NAME
from classrooms.classes.students import names_in
from classrooms.models import Classroom, Enrolment, User
from games.codes import TooMany, plain

SHOWN = [("first", _("First names")), ("generated", _("Made-up names, such as “Brave Badger”"))]


class _NewStudentsForm(forms.Form):
    """What all ways to add students have in common."""

    shown = forms.ChoiceField(
        label=_("Names that the class sees"), choices=SHOWN, initial="first", widget=forms.RadioSelect
    )

    @property
    def is_generated(self) -> bool:
        return bool(self.cleaned_data["shown"] == "generated")


class PasteForm(_NewStudentsForm):
    names = forms.CharField(
        label=_("Names"),
        help_text=_("One student a line, “Sam Lee” or “Lee, Sam”."),
        widget=forms.Textarea(attrs={"rows": 6, "autocomplete": "off", "spellcheck": "false"}),
        max_length=200_000,
        strip=False,
    )
    field_order = ("names", "shown")


class UploadForm(_NewStudentsForm):
    """The files aren't a field: the view reads them from the request, because there may be three of them."""


class ChooseForm(_NewStudentsForm):
    listed = forms.ChoiceField(label=_("Class in the file"), widget=forms.RadioSelect)
    field_order = ("listed", "shown")

    def __init__(self, *args: Any, listed: list[tuple[str, str]], **more: Any) -> None:
        super().__init__(*args, **more)
        self.fields["listed"].choices = listed  # type: ignore[attr-defined]


class StudentForm(forms.Form):
    real_name = forms.CharField(
        label=_("Real name"), help_text=_("Only the teachers of this class see it."), max_length=LONGEST_NAME
    )
    display_name = forms.CharField(
        label=_("Display name"), help_text=_("The class and the student see it."), max_length=LONGEST
    )
    group = forms.CharField(
        label=_("Group"),
        help_text=_("Choose one or write a new one; empty for none."),
        max_length=LONGEST_GROUP,
        required=False,
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, enrolment: Enrolment) -> None:
        self.enrolment = enrolment
        initial = {
            "real_name": enrolment.real_name,
            "display_name": enrolment.student.display_name,
            "group": enrolment.group.name if enrolment.group else "",
        }
        super().__init__(data, initial=initial)
        self.fields["group"].widget.attrs.update(list="groups", autocomplete="off")
        if enrolment.student.is_home:
            self.fields["display_name"].disabled = True
            self.fields["display_name"].help_text = _("A guardian made this account and keeps its name.")

    def clean_real_name(self) -> str:
        return _some_name(self.cleaned_data["real_name"])

    def clean_display_name(self) -> str:
        name = _some_name(self.cleaned_data["display_name"])
        if name == self.enrolment.student.display_name:
            return name
        if is_unfit(name):
            raise forms.ValidationError(gettext("“%(name)s” is not a name to show to a class.") % {"name": name})
        if name.casefold() in {taken.casefold() for taken in names_in(self.enrolment.classroom)} - {
            self.enrolment.student.display_name.casefold()
        }:
            raise forms.ValidationError(gettext("Somebody else in the class is called “%(name)s”.") % {"name": name})
        return name

    def clean_group(self) -> str:
        return clean(self.cleaned_data["group"])


def _some_name(text: str) -> str:
    name = clean(text)
    if not name:
        raise forms.ValidationError(gettext("Write a name."))
    return name


class OnCode(Protocol):
    def __call__(self, *, found: bool) -> None: ...


class MoveForm(forms.Form):
    """Move a student to another class of the teacher, or by code to a colleague's class."""

    to = forms.ModelChoiceField(
        label=_("A class of mine"), queryset=Classroom.objects.none(), required=False, empty_label=_("Choose a class")
    )
    code = forms.CharField(
        label=_("Or the code of a colleague's class"),
        max_length=20,
        required=False,
        widget=forms.TextInput(attrs={"class": "code-input", "autocomplete": "off", "autocapitalize": "characters"}),
    )

    def __init__(
        self, *args: Any, teacher: User, classroom: Classroom, on_code: OnCode | None = None, **more: Any
    ) -> None:
        """`on_code` is called for each code tried, with whether a class has it. It may raise `TooMany`."""
        super().__init__(*args, **more)
        self.on_code = on_code
        self.open_classes = Classroom.objects.not_deleted().filter(archived_at=None).exclude(pk=classroom.pk)
        own = self.open_classes.filter(teachers=teacher).order_by("name")
        self.fields["to"].queryset = own  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if self.errors:
            return data
        if bool(data["to"]) == bool(data["code"]):
            raise forms.ValidationError(gettext("Choose a class, or write the code of one."))
        if data["code"]:
            data["to"] = self._class_by_code(data["code"])
        return data

    def _class_by_code(self, code: str) -> Classroom | None:
        found = self.open_classes.filter(code=plain(code)).first()
        try:
            if self.on_code:
                self.on_code(found=found is not None)
        except TooMany:
            # Past the limit, a right code must look the same as a wrong one.
            self.add_error("code", gettext("Those were many codes. Wait ten minutes, then try again."))
            return None
        if found is None:
            self.add_error("code", gettext("No other class has this code. Ask your colleague for it."))
        return found
