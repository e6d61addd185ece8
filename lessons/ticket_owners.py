"""Whose ticket it is: a question is answered by whoever it was put to, and by nobody else.

A ticket belongs to a user or a guest, and where nobody is known yet, to the browser. Whoever signs in keeps the
questions that were put to them before, so that an answer on its way isn't lost.

A browser can forget its guest and keep its questions, by dropping the session alone. So help is noted for the browser
as well as for the person, see `holder_of`.
"""

from __future__ import annotations

from dataclasses import replace

from django.conf import settings
from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.utils.crypto import salted_hmac

from games.players import Player, known_player
from lessons.tickets import BadTicket, Ticket, read_ticket

_KEY = "asked_before_sign_in"
_BROWSER, _USER = "b", "u"
"""How the words for them begin."""


class NotYours(BadTicket):
    """A question that was put to somebody else."""


def sealed_for(request: HttpRequest, ticket: Ticket) -> str:
    """The ticket for the form of a page that this request is answered with."""
    who = known_player(request)
    return replace(ticket, owner=who.word if who else _browser(request)).sealed()


def own_ticket(request: HttpRequest) -> Ticket:
    """The ticket in a form, if it was handed to whoever sends it; held by the browser, where that's known."""
    ticket = read_ticket(request.POST.get("ticket", ""))
    # A ticket without an owner was handed out before tickets had one.
    if ticket.owner and ticket.owner not in _words(request):
        raise NotYours(ticket.place)
    return replace(ticket, owner=_browser_known(request) or ticket.owner)


def holder_of(ticket: Ticket) -> Player | None:
    """For whom help is noted besides whoever asks for it, as if they were a guest; None for nobody."""
    if not ticket.owner or ticket.owner.startswith(_USER):
        return None
    return Player(name="", guest=ticket.owner[1:])


def keep_tickets(request: HttpRequest, guest: Player | None) -> None:
    """Somebody has just signed in: what was asked in this browser before can still be answered."""
    words = [guest.word] if guest else []
    cookie = request.COOKIES.get(settings.CSRF_COOKIE_NAME)
    if cookie:
        words.append(_browser_word(cookie))
    request.session[_KEY] = words


def _words(request: HttpRequest) -> set[str]:
    who = known_player(request)
    if who and who.user:
        return {who.word, *request.session.get(_KEY, ())}
    return {_browser(request)} | ({who.word} if who else set())


def _browser_known(request: HttpRequest) -> str:
    """The browser by which a guest has questions, or a user had them before signing in; "" for none."""
    if not request.user.is_authenticated:
        return _browser(request)
    return next((word for word in request.session.get(_KEY, ()) if word.startswith(_BROWSER)), "")


def _browser(request: HttpRequest) -> str:
    """By the secret in the cookie against forged requests: it stays until somebody signs in, and nobody else has it."""
    get_token(request)
    return _browser_word(request.META["CSRF_COOKIE"])


def _browser_word(secret: str) -> str:
    return _BROWSER + salted_hmac("lessons.ticket_owners", secret, algorithm="sha256").hexdigest()[:32]
