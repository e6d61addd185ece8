"""What happens to learning when a guest turns out to be somebody."""

from typing import Any

from django.http import HttpRequest

from games.players import Player, forget_guest
from lessons.progress.recording import merge_guest
from lessons.ticket_owners import keep_tickets


def bring_what_was_learned(sender: Any, request: HttpRequest, user: Any, **more: Any) -> None:
    guest = forget_guest(request)
    keep_tickets(request, guest)
    if guest:
        merge_guest(guest, Player(name=str(user), user=user))
