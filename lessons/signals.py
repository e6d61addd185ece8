"""What happens when a guest turns out to be somebody."""

from typing import Any

from django.http import HttpRequest

from core.actors import Actor, forget_guest, merge_guest
from lessons.ticket_owners import keep_tickets


def bring_what_the_guest_owns(sender: Any, request: HttpRequest, user: Any, **more: Any) -> None:
    """Whoever signs in first in a guest's session was that guest; nobody who comes later is."""
    guest = forget_guest(request)
    keep_tickets(request, guest)
    if guest:
        merge_guest(guest, Actor(name=str(user), user=user))
