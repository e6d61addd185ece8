"""Who owns a row: a user, or a guest who is known by a key in the session. And what becomes of a guest at sign-in.

Every model whose rows belong to actors is a subclass of `OwnedByActor` and registered in the module `ownership` of its
app, which says how its rows are exported, merged and purged.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import ObjectDoesNotExist
from django.db import models, transaction
from django.db.models import Q
from django.http import HttpRequest
from django.utils.module_loading import autodiscover_modules

from core.db.chunks import delete_in_chunks
from core.db.locks import LockLevel, lock_rows, lock_word

if TYPE_CHECKING:
    from typing import Self

    from django.contrib.auth.models import AbstractBaseUser

_Row = TypeVar("_Row", bound=models.Model)
GUEST_KEY = "guest"
"""Under which the session keeps a guest."""


class Owned(Protocol):
    """A row, or part of one, that says whose it is."""

    @property
    def user_id(self) -> int | None: ...
    @property
    def guest(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody who plays and learns here: exactly one of user and guest is given."""

    name: str
    user: AbstractBaseUser | None = None
    guest: str = ""

    def __post_init__(self) -> None:
        if bool(self.user) is bool(self.guest):
            raise ValueError("an actor is a user or a guest, and not both")

    @property
    def word(self) -> str:
        """A short word that is this actor's only."""
        return f"u{self.user.pk}" if self.user else f"g{self.guest}"

    @property
    def key(self) -> dict[str, Any]:
        """What finds this actor's rows, and makes a row theirs."""
        return {"user": self.user} if self.user else {"guest": self.guest}

    @property
    def lock_key(self) -> str:
        """What this actor is locked by; one transaction locks several actors in the order of these."""
        return f"u{self.user.pk:012}" if self.user else f"g{self.guest}"

    def owns(self, row: Owned) -> bool:
        return row.user_id == self.user.pk if self.user else row.guest == self.guest


def known_actor(request: HttpRequest) -> Actor | None:
    """The actor behind a request, if it is somebody already; reading never makes a guest."""
    if request.user.is_authenticated:
        return Actor(name=str(request.user), user=request.user)
    guest = request.session.get(GUEST_KEY)
    return Actor(name=guest["name"], guest=guest["key"]) if guest else None


def forget_guest(request: HttpRequest) -> Actor | None:
    """Take the guest out of the session: who they were, if anybody."""
    guest = request.session.pop(GUEST_KEY, None)
    return Actor(name=guest["name"], guest=guest["key"]) if guest else None


# Rows that belong to actors

ONE_OWNER = Q(user__isnull=False, guest="") | (Q(user__isnull=True) & ~Q(guest=""))
"""The condition of a check constraint: a row is a user's or a guest's."""


class OwnedQuerySet(models.QuerySet[_Row]):
    def of(self, actor: Actor) -> Self:
        return self.filter(**actor.key)

    def give_to(self, user: Actor, **changes: Any) -> int:
        """Make these rows the user's; how many there were."""
        return self.update(user=user.user, guest="", **changes)


class OwnedByActor(models.Model):
    """A row that is a user's, or a guest's by the key in their session."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    guest = models.CharField(max_length=32, blank=True, db_index=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        abstract = True


# What becomes of them

Merge = Callable[[Actor, Actor, float], object]
"""Makes what a guest owns a user's, at a moment."""


Purge = Callable[..., object]
"""Removes rows of one owner for good, some at a time; where persons are locked, `lock` does it in each transaction."""


@dataclass(frozen=True, slots=True)
class Ownership:
    """What becomes of the rows of a model that belong to actors."""

    model: type[models.Model]
    exported_as: str = ""
    """The name of the file in an export; empty where only guests own rows, who have no account to export them to."""
    exported: tuple[str, ...] = ()
    """The fields that the export shows."""
    of_class: str = ""
    """Leads to the class that a row belongs to, where it belongs to one."""
    not_of_class: Q = field(default_factory=Q)
    """Rows that the export of a class leaves out: what isn't known to be of this one."""
    last_seen: str = ""
    """Leads to the moment at which the owner was here; empty where other rows tell it."""
    merge: Merge | None = None
    """None: the rows simply become the user's. One function may merge several models."""
    purge: Purge = delete_in_chunks
    level: LockLevel = LockLevel.PERSON
    """What is locked before such rows are written; for `PERSON` that's done here, otherwise `merge` does it."""

    def of(self, actor: Actor) -> models.QuerySet[Any]:
        rows = self.model._default_manager
        if actor.user and not issubclass(self.model, OwnedByActor):
            # Only guests own such rows.
            return rows.none()
        return rows.filter(**actor.key)

    @property
    def of_guests(self) -> models.QuerySet[Any]:
        return self.model._default_manager.exclude(guest="").order_by()


_ownerships: dict[type[models.Model], Ownership] = {}


def register(*ownerships: Ownership) -> None:
    _ownerships.update({each.model: each for each in ownerships})


def ownerships() -> tuple[Ownership, ...]:
    """What belongs to actors, in the order in which it's locked."""
    _discover()
    return tuple(sorted(_ownerships.values(), key=lambda each: each.level))


@cache
def _discover() -> None:
    autodiscover_modules("ownership")


class NoSuchActor(ObjectDoesNotExist):
    """The account was removed for good in the meantime."""


@contextmanager
def lock_actors(*actors: Actor) -> Iterator[None]:
    """A transaction in which nobody else writes what these actors have learned, or found in puzzles.

    A user is locked by the row of the account, a guest, who has none, by the key.
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
    """Make everything that a guest owns the user's own, in one transaction."""
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
