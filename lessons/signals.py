"""Signal handler for a guest who signs in."""

from typing import Any

from django.http import HttpRequest

from core.actors import Actor, forget_guest, merge_guest
from lessons.ticket_owners import keep_tickets


def bring_what_the_guest_owns(sender: Any, request: HttpRequest, user: Any, **more: Any) -> None:
    """Give the guest's rows to the first user who signs in in the guest's session, and to nobody after that."""
    guest = forget_guest(request)
    keep_tickets(request, guest)
    if guest:
        merge_guest(guest, Actor(name=str(user), user=user))
