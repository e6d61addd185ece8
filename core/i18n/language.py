"""The language of a page: the one chosen, else the class's, else the one the browser asks for."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation
from django.utils.translation.trans_real import get_supported_language_variant, parse_accept_lang_header

CLASS_LANGUAGE = "class_language"
"""The session key for the language of the class that the visitor joined."""
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


def use_class_language(request: HttpRequest, language: str) -> None:
    """Use the class's language from now on, this page included, unless another was chosen."""
    request.session[CLASS_LANGUAGE] = language
    request.LANGUAGE_CODE = language_of(request)
    translation.activate(request.LANGUAGE_CODE)


def language_of_browser(header: str) -> str:
    """The first language in Accept-Language that we support. Any regional English but en-US gets British spelling."""
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
