"""Forms for what can be chosen before printing."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from core.printing.paper import Paper, usual_paper
from games.art.palettes import STANDARD
from games.words import PALETTES


class PrintForm(forms.Form):
    """The choices for every print: paper and palette."""

    paper = forms.ChoiceField(label=_("Paper"), choices=[(Paper.A4.value, "A4"), (Paper.LETTER.value, "US Letter")])
    palette = forms.ChoiceField(label=_("Colors"), choices=list(PALETTES.items()))

    usual: ClassVar[dict[str, Any]] = {"palette": STANDARD.name}
    """The preselected choices."""

    @classmethod
    def first(cls) -> dict[str, Any]:
        return {"paper": usual_paper(get_language()).value, **cls.usual}

    @property
    def asked(self) -> dict[str, Any]:
        """The choices as a job's payload."""
        return {**self.cleaned_data, "language": get_language() or ""}


class PrintDeckForm(PrintForm):
    cards = forms.ChoiceField(
        label=_("Deck"), choices=[("full", _("81 cards")), ("easy", _("27 cards, all solid: for the first games"))]
    )
    marks = forms.BooleanField(
        label=_("Marks for the colors"),
        help_text=_("A small heart, leaf or moon tells the color as well. In black and white they are always there."),
        required=False,
    )
    backs = forms.BooleanField(
        label=_("Backs"), help_text=_("For printing on both sides of the paper."), required=False
    )

    usual: ClassVar[dict[str, Any]] = {**PrintForm.usual, "cards": "full", "backs": "on"}
