"""Pages on which anyone chooses the site's appearance, sound and language."""

from __future__ import annotations

from http import HTTPStatus

from django.conf import settings
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from core.http.error_pages import error_page
from core.http.requests import Request
from games.art.palettes import PALETTES
from games.rules import Card
from setsite.appearance import AppearanceForm, appearance_of, save_in_cookie

_SAMPLE = (
    Card(1, "red", "solid", "oval"),
    Card(2, "green", "striped", "diamond"),
    Card(3, "purple", "outlined", "squiggle"),
)


@require_http_methods(["GET", "HEAD", "POST"])
def look(request: Request) -> HttpResponse:
    back = _own_address(request, request.POST.get("next") or request.GET.get("next", ""))
    if request.method != "POST":
        return _page(request, AppearanceForm.of(appearance_of(request)), back)
    form = AppearanceForm(request.POST)
    if not form.is_valid():
        return _page(request, form, back, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    response = HttpResponseRedirect(back or reverse("look"))
    if request.user.is_authenticated:
        request.user.look = form.look.written()
        request.user.save(update_fields=["look"])
    save_in_cookie(response, form.look, secure=request.is_secure())
    return response


@require_POST
def choose_language(request: Request) -> HttpResponse:
    """Store the language with the account if there is one, so that it doesn't stick to a shared device."""
    language = request.POST.get("language", "")
    if language not in dict(settings.LANGUAGES):
        return error_page(request, HTTPStatus.UNPROCESSABLE_ENTITY)
    response = HttpResponseRedirect(_own_address(request, request.POST.get("next", "")) or reverse("front"))
    if request.user.is_authenticated:
        request.user.language = language
        request.user.save(update_fields=["language"])
    else:
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            language,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
            samesite="Lax",
            secure=settings.LANGUAGE_COOKIE_SECURE,
        )
    return response


def _page(request: Request, form: AppearanceForm, back: str, *, status: int = HTTPStatus.OK) -> HttpResponse:
    context = {"form": form, "sample": _SAMPLE, "palettes": list(PALETTES), "back": back}
    return render(request, "look.html", context, status=status)


def _own_address(request: Request, address: str) -> str:
    """The URL if it's on our own site, otherwise ""."""
    is_ours = url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return address if is_ours else ""
