"""Error pages: what went wrong and what to do next, in kind words, for each status a visitor can meet."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.limits import wait_text

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Words:
    title: Promise
    text: Promise | str


_WORDS: dict[int, Words] = {
    HTTPStatus.BAD_REQUEST: Words(
        _("That did not arrive whole"), _("Something was missing or mixed up on the way. Go back and try it once more.")
    ),
    HTTPStatus.FORBIDDEN: Words(
        _("This door is closed"), _("This page belongs to somebody else. Perhaps you have to sign in first.")
    ),
    HTTPStatus.NOT_FOUND: Words(
        _("Nothing lies here"), _("The address may be mistyped, or the game may be long over.")
    ),
    HTTPStatus.METHOD_NOT_ALLOWED: Words(
        _("There is nothing to see here"),
        _("This address only takes answers of a page. Go back and press the button there."),
    ),
    HTTPStatus.GONE: Words(_("It was here once"), _("What lay at this address is over and gone.")),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: Words(
        _("That is too big"), _("What you sent is larger than we take. Send a smaller file, or fewer lines at once.")
    ),
    HTTPStatus.UNPROCESSABLE_ENTITY: Words(
        _("We could not read that"), _("Something in what you sent makes no sense to us. Go back and look at it again.")
    ),
    HTTPStatus.INTERNAL_SERVER_ERROR: Words(
        _("We made a mistake"), _("It is ours, not yours, and nothing is lost. Please try again in a moment.")
    ),
    HTTPStatus.SERVICE_UNAVAILABLE: Words(
        _("We're busy"), _("A lot is going on here right now. Wait a moment, then try again.")
    ),
}
_A_MOMENT, _A_MINUTE = 15, 60
_OLD_PAGE = Words(
    _("This page was open for too long"), _("Load the page you came from again, and send it once more from there.")
)


def words_for(status: int, retry_after: int = 0) -> Words:
    """The words for a status; one without its own gets those of 400 or 500.

    `retry_after` is how many seconds to wait after too many tries, or 0 if unknown.
    """
    if status == HTTPStatus.TOO_MANY_REQUESTS and 0 < retry_after <= _A_MOMENT:
        return Words(_("That was very fast"), _("Wait a moment."))
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return Words(_("Too many tries"), wait_text(retry_after or _A_MINUTE))
    usual = HTTPStatus.INTERNAL_SERVER_ERROR if status >= HTTPStatus.INTERNAL_SERVER_ERROR else HTTPStatus.BAD_REQUEST
    return _WORDS.get(status) or _WORDS[usual]


def error_page(request: HttpRequest, status: int, words: Words | None = None) -> HttpResponse:
    context = {"status": status, "words": words or words_for(status)}
    try:
        return HttpResponse(loader.render_to_string("error.html", context, request), status=status)
    except Exception:
        if status < HTTPStatus.INTERNAL_SERVER_ERROR:
            raise
        # Whatever broke the page (the database is down, say) breaks the base template too, so do without it.
        log.exception("error_page.not_rendered", extra={"status": status})
        return HttpResponse(loader.render_to_string("error_bare.html", context), status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    status = getattr(exception, "status_code", HTTPStatus.BAD_REQUEST)
    return error_page(request, status)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(request, HTTPStatus.FORBIDDEN)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(request, HTTPStatus.NOT_FOUND)


def bare(status: HTTPStatus, retry_after: int = 0) -> HttpResponse:
    """An empty response, which the `error_pages` middleware turns into a page for clients that accept HTML."""
    return HttpResponse(status=status, headers={"Retry-After": str(retry_after)} if retry_after else None)


def too_many(request: HttpRequest, retry_after: int = 0) -> HttpResponse:
    """What the client gets past a rate limit: a page, or for htmx a notice above the page that's there."""
    status = HTTPStatus.TOO_MANY_REQUESTS
    response = bare(status, retry_after)
    if request.headers.get("HX-Request"):
        response.content = loader.render_to_string("_notice.html", {"words": words_for(status, retry_after)})
        response["HX-Retarget"], response["HX-Reswap"] = "#notice", "innerHTML show:top"
    return response


def our_mistake(request: HttpRequest) -> HttpResponse:
    return error_page(request, HTTPStatus.INTERNAL_SERVER_ERROR)


def old_page(request: HttpRequest, reason: str = "") -> HttpResponse:
    """CSRF failure: the form's token is missing or belongs to another browser."""
    return error_page(request, HTTPStatus.FORBIDDEN, _OLD_PAGE)
