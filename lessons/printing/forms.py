"""The form with the options of a worksheet."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.utils.crypto import get_random_string
from django.utils.translation import gettext_lazy as _

from games.printing.forms import PrintForm
from lessons.sheets import KINDS, MOST_TASKS, SEED, Sheet
from lessons.skills import ExerciseKind, kind_skill
from lessons.words import SKILLS

_SEED_LETTERS = "bcdfghjkmnpqrstvwxz23456789"
"""No vowels, so that no seed is a word."""


class WorksheetForm(PrintForm):
    kind = forms.ChoiceField(label=_("Exercises"), choices=[(kind.value, SKILLS[kind_skill(kind)]) for kind in KINDS])
    level = forms.ChoiceField(
        label=_("How hard"),
        choices=[
            ("easy", _("first steps: solid cards only")),
            ("fair", _("on the way: all the cards")),
            ("hard", _("for experts")),
        ],
    )
    tasks = forms.IntegerField(label=_("How many"), min_value=1, max_value=MOST_TASKS)
    seed = forms.RegexField(
        rf"\A{SEED}\Z",
        label=_("Seed"),
        help_text=_("The same seed makes the same sheet. Small letters and digits."),
        error_messages={"invalid": _("Up to twelve small letters and digits.")},
    )
    key = forms.BooleanField(label=_("With the answers, on a page of their own"), required=False)

    usual: ClassVar[dict[str, Any]] = {
        **PrintForm.usual,
        "kind": ExerciseKind.IS_SET.value,
        "level": "fair",
        "tasks": 12,
        "key": "on",
    }

    @classmethod
    def first(cls) -> dict[str, Any]:
        return {**super().first(), "seed": get_random_string(5, _SEED_LETTERS)}

    @property
    def sheet(self) -> Sheet:
        data = self.cleaned_data
        return Sheet(kind=ExerciseKind(data["kind"]), seed=data["seed"], tasks=data["tasks"], level=data["level"])

    @property
    def asked(self) -> dict[str, Any]:
        return {**super().asked, "code": self.sheet.code}
