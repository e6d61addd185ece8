"""Who may answer a ticket: only the person who was asked.

A ticket belongs to a user or a guest or, while neither is known, to the browser. Users keep the questions they were
asked before they signed in, so that an answer on its way isn't lost.

A browser can drop its session cookie, and with it the guest, but keep its questions. So help is recorded for the
browser as well as for the person, see `holder_of`.
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
"""Prefixes of the owner's word."""


class NotYours(BadTicket):
    """A question that somebody else was asked."""


def sealed_for(request: HttpRequest, ticket: Ticket) -> str:
    """The encrypted ticket, for a form in the response to this request."""
    who = known_player(request)
    return replace(ticket, owner=who.word if who else _browser(request)).sealed()


def own_ticket(request: HttpRequest) -> Ticket:
    """The ticket in a form, if it was issued to the sender. The browser becomes its owner, if known."""
    ticket = read_ticket(request.POST.get("ticket", ""))
    # Tickets without an owner were issued before tickets had one.
    if ticket.owner and ticket.owner not in _words(request):
        raise NotYours(ticket.origin)
    return replace(ticket, owner=_browser_known(request) or ticket.owner)


def holder_of(ticket: Ticket) -> Player | None:
    """The ticket's browser or guest, for which help is recorded besides the learner; None for a user's ticket."""
    if not ticket.owner or ticket.owner.startswith(_USER):
        return None
    return Player(name="", guest=ticket.owner[1:])


def keep_tickets(request: HttpRequest, guest: Player | None) -> None:
    """Let somebody who has just signed in still answer what this browser was asked before."""
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
    """The browser that a guest's questions belong to, or a user's did before they signed in; "" for none."""
    if not request.user.is_authenticated:
        return _browser(request)
    return next((word for word in request.session.get(_KEY, ()) if word.startswith(_BROWSER)), "")


def _browser(request: HttpRequest) -> str:
    """Identified by the secret in its CSRF cookie, which nobody else has and which stays the same until sign-in."""
    get_token(request)
    return _browser_word(request.META["CSRF_COOKIE"])


def _browser_word(secret: str) -> str:
    return _BROWSER + salted_hmac("lessons.ticket_owners", secret, algorithm="sha256").hexdigest()[:32]
