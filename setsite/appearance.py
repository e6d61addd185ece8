"""A visitor's choice of look, motion and sound, stored in a cookie and, for users, with the account."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from urllib.parse import parse_qsl, urlencode

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from games.art.palettes import STANDARD
from games.words import PALETTES

COOKIE = "look"
_YEAR = 365 * 86_400

THEMES = {
    "": _("As my device has it"),
    "light": _("Light"),
    "dark": _("Dark"),
    "contrast": _("High contrast"),
}


@dataclass(frozen=True, slots=True)
class Appearance:
    """Appearance settings; empty means the default. Each becomes a data attribute that the style sheets use."""

    theme: str = ""
    palette: str = ""
    marks: str = ""
    motion: str = ""
    sound: str = ""

    @property
    def attributes(self) -> SafeString:
        return format_html_join("", ' data-{}="{}"', ((name, value) for name, value in asdict(self).items() if value))

    @property
    def has_sound(self) -> bool:
        return bool(self.sound)

    def written(self) -> str:
        return urlencode({name: value for name, value in asdict(self).items() if value})


class AppearanceForm(forms.Form):
    theme = forms.ChoiceField(label=_("Page"), choices=list(THEMES.items()), required=False, widget=forms.RadioSelect)
    palette = forms.ChoiceField(
        label=_("Colors of the cards"), choices=list(PALETTES.items()), widget=forms.RadioSelect
    )
    marks = forms.BooleanField(
        label=_("Tell the color by a small mark: heart for red, leaf for green, moon for purple"), required=False
    )
    motion = forms.BooleanField(label=_("Move as little as possible"), required=False)
    sound = forms.BooleanField(label=_("Play small sounds"), required=False)

    @classmethod
    def of(cls, look: Appearance) -> AppearanceForm:
        return cls(initial={**asdict(look), "palette": look.palette or STANDARD.name})

    @property
    def look(self) -> Appearance:
        """The chosen appearance, once the form is valid."""
        said = self.cleaned_data
        return Appearance(
            theme=said["theme"],
            palette="" if said["palette"] == STANDARD.name else said["palette"],
            marks="on" if said["marks"] else "",
            motion="less" if said["motion"] else "",
            sound="on" if said["sound"] else "",
        )


_ALLOWED = {
    "theme": frozenset(THEMES),
    "palette": frozenset(PALETTES),
    "marks": frozenset({"on"}),
    "motion": frozenset({"less"}),
    "sound": frozenset({"on"}),
}


def read_appearance(text: str) -> Appearance:
    """Parse a stored appearance; invalid values fall back to the default."""
    said = dict(parse_qsl(text[:200]))
    names = [field.name for field in fields(Appearance)]
    return Appearance(**{name: said[name] for name in names if said.get(name) in _ALLOWED[name]})


def appearance_of(request: HttpRequest) -> Appearance:
    # There's no user yet if the request is refused early, for example because of a wrong host.
    user = getattr(request, "user", None)
    return read_appearance((user and user.is_authenticated and user.look) or request.COOKIES.get(COOKIE, ""))


def save_in_cookie(response: HttpResponse, look: Appearance, *, secure: bool) -> None:
    """Store the appearance in a cookie."""
    if written := look.written():
        response.set_cookie(COOKIE, written, max_age=_YEAR, httponly=True, samesite="Lax", secure=secure)
    else:
        response.delete_cookie(COOKIE, samesite="Lax")
