"""The tabs of the site, for the header and the bar at the bottom of a phone."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _


@dataclass(frozen=True, slots=True)
class Tab:
    label: str
    url: str
    icon: str
    is_here: bool
    """Whether the page belongs to this tab."""
    is_home: bool
    """Whether the page is the one the tab leads to."""


def tabs_for(request: HttpRequest) -> list[Tab]:
    """What the visitor may go to: a guest can join, a student has a page of their own, an adult can teach."""
    user = getattr(request, "user", None)
    learn, play = (_("Learn"), "learn:home", "learn"), (_("Play"), "play:lobby", "play")
    if user is None or not user.is_authenticated:
        return _tabs(request, learn, play, (_("Join"), "join:home", "join"))
    if user.is_student:
        return _tabs(request, learn, play, (_("My page"), "learn:me", "me"))
    return _tabs(request, learn, play, (_("Teach"), "teach:home", "teach"), (_("Family"), "family:home", "family"))


def _tabs(request: HttpRequest, *places: tuple[str, str, str]) -> list[Tab]:
    urls = [reverse(name) for _label, name, _icon in places]
    # A page within another tab's belongs to the inner one.
    here = max((url for url in urls if request.path.startswith(url)), key=len, default="")
    return [
        Tab(label, url, icon, is_here=url == here, is_home=url == request.path)
        for (label, _name, icon), url in zip(places, urls, strict=True)
    ]
