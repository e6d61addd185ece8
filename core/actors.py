"""Ownership of rows by users and guests (known by a key in the session), and merging a guest into a user at sign-in.

Models whose rows belong to users or guests subclass `OwnedByActor`. Every owned model is listed in its app's module
`ownership`, which says how its rows are exported, merged and purged; `setsite.wiring` registers them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import ObjectDoesNotExist
from django.db import models, transaction
from django.db.models import Q
from django.http import HttpRequest

from core.db.chunks import delete_in_chunks
from core.db.locks import LockLevel, lock_rows, lock_word

if TYPE_CHECKING:
    from typing import Self

    from django.contrib.auth.models import AbstractBaseUser

_Row = TypeVar("_Row", bound=models.Model)
GUEST_KEY = "guest"
"""The session key that holds a guest."""


class Owned(Protocol):
    """A row, or part of one, that names its owner."""

    @property
    def user_id(self) -> int | None: ...
    @property
    def guest(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Actor:
    """A person who plays and learns here: either a user or a guest, never both."""

    name: str
    user: AbstractBaseUser | None = None
    guest: str = ""

    def __post_init__(self) -> None:
        if bool(self.user) is bool(self.guest):
            raise ValueError("an actor is a user or a guest, and not both")

    @property
    def word(self) -> str:
        """A short string unique to this actor."""
        return f"u{self.user.pk}" if self.user else f"g{self.guest}"

    @property
    def key(self) -> dict[str, Any]:
        """The field values that select this actor's rows, and that make a new row theirs."""
        return {"user": self.user} if self.user else {"guest": self.guest}

    @property
    def lock_key(self) -> str:
        """Names this actor's lock. A transaction that locks several actors does so in the order of these keys."""
        return f"u{self.user.pk:012}" if self.user else f"g{self.guest}"

    def owns(self, row: Owned) -> bool:
        return row.user_id == self.user.pk if self.user else row.guest == self.guest


def known_actor(request: HttpRequest) -> Actor | None:
    """The user or guest behind a request, if there is one. Never creates a guest."""
    if request.user.is_authenticated:
        return Actor(name=str(request.user), user=request.user)
    guest = request.session.get(GUEST_KEY)
    return Actor(name=guest["name"], guest=guest["key"]) if guest else None


def forget_guest(request: HttpRequest) -> Actor | None:
    """Remove the guest from the session and return them, if there was one."""
    guest = request.session.pop(GUEST_KEY, None)
    return Actor(name=guest["name"], guest=guest["key"]) if guest else None


# Rows that belong to actors

ONE_OWNER = Q(user__isnull=False, guest="") | (Q(user__isnull=True) & ~Q(guest=""))
"""For a check constraint: a row has exactly one owner, a user or a guest."""


class OwnedQuerySet(models.QuerySet[_Row]):
    def of(self, actor: Actor) -> Self:
        return self.filter(**actor.key)

    def give_to(self, user: Actor, **changes: Any) -> int:
        """Transfer these rows to the user. Returns how many there were."""
        return self.update(user=user.user, guest="", **changes)


class OwnedByActor(models.Model):
    """A row owned by a user, or by a guest through the key in their session."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    guest = models.CharField(max_length=32, blank=True, db_index=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        abstract = True


# Merging, exporting and purging them

Merge = Callable[[Actor, Actor, float], object]
"""Transfers a guest's rows to a user, given both and the current time."""


Purge = Callable[..., object]
"""Deletes one owner's rows for good, in chunks. Where people are locked, `lock` does it in each transaction."""


@dataclass(frozen=True, slots=True)
class Ownership:
    """How a model's owned rows are exported, merged and purged."""

    model: type[models.Model]
    exported_as: str = ""
    """File name in an export; empty where only guests own rows, since they have no account to export them to."""
    exported: tuple[str, ...] = ()
    """The exported fields."""
    of_class: str = ""
    """Lookup path to the row's class, if it belongs to one."""
    not_of_class: Q = field(default_factory=Q)
    """Rows left out of a class's export because they aren't known to belong to that class."""
    last_seen: str = ""
    """Lookup path to the time the owner was last here; empty where other rows say so."""
    merge: Merge | None = None
    """If None, rows are simply transferred to the user. One function may merge several models."""
    purge: Purge = delete_in_chunks
    level: LockLevel = LockLevel.PERSON
    """The lock to hold before writing such rows. `merge_guest` takes the `PERSON` lock; `merge` takes any other."""

    def of(self, actor: Actor) -> models.QuerySet[Any]:
        rows = self.model._default_manager
        if actor.user and not issubclass(self.model, OwnedByActor):
            # Only guests own these rows.
            return rows.none()
        return rows.filter(**actor.key)

    @property
    def of_guests(self) -> models.QuerySet[Any]:
        return self.model._default_manager.exclude(guest="").order_by()


_ownerships: dict[type[models.Model], Ownership] = {}


def register(*ownerships: Ownership) -> None:
    _ownerships.update({each.model: each for each in ownerships})


def ownerships() -> tuple[Ownership, ...]:
    """All registered ownerships, in lock order."""
    return tuple(sorted(_ownerships.values(), key=lambda each: each.level))


class NoSuchActor(ObjectDoesNotExist):
    """The account has been deleted in the meantime."""


@contextmanager
def lock_actors(*actors: Actor) -> Iterator[None]:
    """Open a transaction in which nobody else can write these actors' learning or puzzle results.

    A user is locked by their account's row; a guest, who has none, by an advisory lock on their key.
    """
    with transaction.atomic():
        for actor in sorted(actors, key=lambda each: each.lock_key):
            if actor.user is None:
                lock_word(LockLevel.PERSON, actor.lock_key)
            else:
                account = get_user_model()._base_manager.order_by("pk").filter(pk=actor.user.pk)
                if not lock_rows(account, LockLevel.PERSON, actor.lock_key).values_list("pk").first():
                    raise NoSuchActor(actor.lock_key)
        yield


def merge_guest(guest: Actor, user: Actor) -> None:
    """Transfer everything a guest owns to the user, in one transaction."""
    now = time.time()
    with transaction.atomic():
        _merge((each for each in ownerships() if each.level < LockLevel.PERSON), guest, user, now)
        with lock_actors(guest, user):
            _merge((each for each in ownerships() if each.level == LockLevel.PERSON), guest, user, now)


def _merge(owned: Iterable[Ownership], guest: Actor, user: Actor, now: float) -> None:
    done: set[Merge] = set()
    for each in owned:
        if each.merge is None:
            OwnedQuerySet(each.model).of(guest).give_to(user)
        elif each.merge not in done:
            each.merge(guest, user, now)
            done.add(each.merge)
