"""Forms for opening a match."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from games.models import Way
from games.rules import EDITIONS, Options
from games.rules.editions import CURRENT_EDITION, Votes
from games.rules.errors import BadOption
from games.rules.opponents import STRENGTHS

EDITION_TITLES = [
    ("us", _("Current rules (US)")),
    ("fr", _("Current rules (French)")),
    ("es", _("Current rules (Spanish)")),
    ("uk", _("UK rules")),
    ("1998", _("1998 rules")),
    ("1997", _("1997 rules from the web")),
    ("1990s", _("Rules of the 1990s")),
]
STRENGTH_TITLES = {
    "slow": _("Slow and patient"),
    "newcomer": _("Newcomer"),
    "learner": _("Learner"),
    "player": _("Player"),
    "expert": _("Expert"),
}
DECKS = [("full", _("All 81 cards")), ("easy", _("Easy start: 27 cards"))]
VOTES = [(Votes.CHECKED, _("Checked: told when there is a SET")), (Votes.PAPER, _("As on paper: taken at its word"))]


def windows(*lengths: int) -> list[tuple[str, Promise | str]]:
    """Choices for the time to pick after a call. Called for each form, to use its reader's language."""
    timed = [
        (str(each), ngettext("%(seconds)s second", "%(seconds)s seconds", each) % {"seconds": each}) for each in lengths
    ]
    return [*timed, ("none", _("No limit"))]


def _windows_of_rules() -> list[tuple[str, Promise | str]]:
    return [("", _("As in the rules")), *windows(3, 5, 8, 10, 15)]


class OpenForm(forms.Form):
    """Fields shared by all ways to play."""

    way: Way
    edition = forms.ChoiceField(label=_("Rules"), choices=EDITION_TITLES, initial=CURRENT_EDITION)
    deck = forms.ChoiceField(label=_("Deck"), choices=DECKS, initial="full")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.errors:
            try:
                data["options"] = self.make_options(data)
            except BadOption as error:
                self.add_error(None, str(error))
        return data

    def make_options(self, data: dict[str, Any]) -> Options:
        return Options.of(data["edition"], easy=data["deck"] == "easy")

    @property
    def computers(self) -> list[str]:
        return []

    @property
    def is_open(self) -> bool:
        return False


class AloneForm(OpenForm):
    way = Way.ALONE

    def make_options(self, data: dict[str, Any]) -> Options:
        # Nobody else needs to hear a call, so picking three cards is enough.
        return Options.of(data["edition"], easy=data["deck"] == "easy", alone=True, window=None, quick=True)


class PracticeForm(OpenForm):
    way = Way.PRACTICE
    edition = forms.ChoiceField(choices=EDITION_TITLES, initial=CURRENT_EDITION, required=False)

    def clean_edition(self) -> str:
        return self.cleaned_data["edition"] or CURRENT_EDITION

    def make_options(self, data: dict[str, Any]) -> Options:
        easy = data["deck"] == "easy"
        return Options.of(data["edition"], easy=easy, window=None, quick=True, relaxed=True, everyone_deals=False)


class WindowForm(OpenForm):
    """Base form for ways to play where a call has a window."""

    window = forms.ChoiceField(label=_("Time to pick after a call"), choices=_windows_of_rules, required=False)
    quick = forms.BooleanField(label=_("Quick play: the third card is the call"), required=False)

    def make_options(self, data: dict[str, Any]) -> Options:
        changes: dict[str, Any] = {"quick": data["quick"]}
        if data["window"]:
            changes["window"] = None if data["window"] == "none" else float(data["window"])
        return Options.of(data["edition"], easy=data["deck"] == "easy", **{**changes, **self.changes(data)})

    def changes(self, data: dict[str, Any]) -> dict[str, Any]:
        return {}


class ComputerForm(WindowForm):
    way = Way.COMPUTER
    opponents = forms.TypedChoiceField(
        label=_("Opponents"), coerce=int, choices=[(1, _("One")), (2, _("Two")), (3, _("Three"))], initial=1
    )
    strength = forms.ChoiceField(
        label=_("How strong"), choices=[(slug, STRENGTH_TITLES[slug]) for slug in STRENGTHS], initial="newcomer"
    )

    def changes(self, data: dict[str, Any]) -> dict[str, Any]:
        return {"everyone_deals": False}

    @property
    def computers(self) -> list[str]:
        return [self.cleaned_data["strength"]] * self.cleaned_data["opponents"]


class TogetherForm(WindowForm):
    way = Way.TOGETHER
    votes = forms.ChoiceField(label=_("When all say there is no SET"), choices=VOTES, initial=Votes.CHECKED)
    longer = forms.BooleanField(label=_("Longer game: everybody deals once"), required=False)
    listed = forms.BooleanField(label=_("Open: anybody may find this table"), required=False)

    def changes(self, data: dict[str, Any]) -> dict[str, Any]:
        printed = EDITIONS[data["edition"]].everyone_deals
        return {"votes": Votes(data["votes"]), "everyone_deals": data["longer"] or printed}

    @property
    def is_open(self) -> bool:
        return bool(self.cleaned_data["listed"])


FORMS: dict[str, type[OpenForm]] = {
    form.way.value: form for form in (AloneForm, PracticeForm, ComputerForm, TogetherForm)
}
