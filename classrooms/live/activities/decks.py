"""The deck that the teacher chooses for an activity: all 81 cards, or the 27 of the easy start."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from classrooms.models import Activity
from games.forms import DECKS
from games.rules import FULL_DECK, Card, Feature, easy_deck

EASY = "easy"


class DeckOptionsForm(forms.Form):
    deck = forms.ChoiceField(label=_("Deck"), choices=DECKS, initial="full")


def is_easy(activity: Activity) -> bool:
    return bool(activity.options["deck"] == EASY)


def deck_of(activity: Activity) -> tuple[Card, ...]:
    return easy_deck(Feature.SHADING) if is_easy(activity) else FULL_DECK
