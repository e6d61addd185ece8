"""Which language a page is in: what somebody has chosen, else that of the class, else what the browser asks for."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation
from django.utils.translation.trans_real import get_supported_language_variant, parse_accept_lang_header

CLASS_LANGUAGE = "class_language"
"""Where a browser session remembers the language of the class that somebody came in by."""
_CODES = frozenset(code for code, _name in settings.LANGUAGES)
_AMERICAN, _BRITISH = "en-us", "en-gb"


def language_of(request: HttpRequest) -> str:
    user = request.user
    wishes = (
        user.language if user.is_authenticated else "",
        request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, ""),
        request.session.get(CLASS_LANGUAGE, ""),
    )
    wish = next((each for each in wishes if each in _CODES), None)
    return wish or language_of_browser(request.headers.get("Accept-Language", ""))


def speak_as_class(request: HttpRequest, language: str) -> None:
    """From here on, and on this page already, speak the language of the class, unless another was chosen."""
    request.session[CLASS_LANGUAGE] = language
    request.LANGUAGE_CODE = language_of(request)
    translation.activate(request.LANGUAGE_CODE)


def language_of_browser(header: str) -> str:
    """The first of its languages that we speak. English is spelt the American way only there."""
    for wanted, _weight in parse_accept_lang_header(header):
        if wanted == "*":
            break
        if wanted.startswith("en-"):
            return _AMERICAN if wanted.startswith(_AMERICAN) else _BRITISH
        try:
            return get_supported_language_variant(wanted)
        except LookupError:
            continue
    return str(settings.LANGUAGE_CODE)
