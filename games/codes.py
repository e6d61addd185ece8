"""Codes that open a table, a lesson or a class: how they look, and how often they may be tried.

Nine letters of 28 make 10.6 trillion codes; docs/security.md says how long a botnet needs. Every look-up by somebody
who isn't already inside counts, right or wrong: once a client has tried too many, the right code is refused as well,
so that going on tells nothing.

Signed-in people and browsers that have earned trust (a student has signed in there before) have a budget of their own.
All others share one for each network address, so nobody can close the doors for a school's own tablets.

Browsers and students cost nothing to whoever makes them up. So what is wrong also counts for the student who vouches
for a browser, and for all students of the adult behind that student. Once either has used up what they may get wrong,
the browser counts by its address, like anybody else's: it loses its privilege, but nobody else does.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest

from core.clients import address_of, browser_of
from core.limits import RateLimit, TooMany, Window

__all__ = ["LENGTH", "LETTERS", "TooMany", "Voucher", "count_lookup", "grouped", "is_short", "new_code", "plain"]

LETTERS = "BCDFGHJKLMNPQRSTVWXZ23456789"
"""No vowels, so that no code is a word, and nothing that looks like something else."""
LENGTH = 9
_GROUP = 3
_LONGEST_TYPED = 40

# A thousand children of one school may all come in within ten minutes, and a quarter of them may mistype. Right codes
# are far more: each step of a replay that somebody watches is one.
LOOKUPS_OF_ADDRESS = RateLimit("codes-of-address", (Window(30_000, 600),))
MISSES_OF_ADDRESS = RateLimit("wrong-codes-of-address", (Window(300, 600), Window(2_000, 86_400)))
LOOKUPS = RateLimit("codes", (Window(300, 60),))
MISSES = RateLimit("wrong-codes", (Window(10, 60), Window(100, 86_400)))
MISSES_OF_STUDENT = RateLimit("wrong-codes-of-student", (Window(30, 86_400),))
MISSES_OF_STUDENTS = RateLimit("wrong-codes-of-students", (Window(1_000, 86_400),))


@dataclass(frozen=True, slots=True)
class Voucher:
    """On whose account somebody is trusted with a budget of their own."""

    student: str
    """Who is signed in, or was the last to sign in on the browser."""
    adult: str
    """Whoever is behind that student and could make up others; "" for nobody, who has one budget too."""


TrustRule = Callable[[HttpRequest], bool]
VoucherRule = Callable[[HttpRequest], Voucher | None]
_trust: list[TrustRule] = []
_vouchers: list[VoucherRule] = []


def trust(rule: TrustRule) -> None:
    """Have a function asked whether a browser has earned a budget of its own."""
    _trust.append(rule)


def find_voucher(rule: VoucherRule) -> VoucherRule:
    """Have a function asked who vouches for somebody with a budget of their own; None for who needs nobody to."""
    _vouchers.append(rule)
    return rule


def new_code(is_taken: Callable[[str], bool]) -> str:
    while True:
        code = "".join(secrets.choice(LETTERS) for _letter in range(LENGTH))
        if not is_taken(code):
            return code


def plain(text: str) -> str:
    """A code as we keep it, however it was typed: in lower case, with hyphens, with spaces."""
    return "".join(letter for letter in text[:_LONGEST_TYPED] if letter.isascii() and letter.isalnum()).upper()


def grouped(code: str) -> str:
    """A code as people read it."""
    if len(code) != LENGTH:
        return code
    return "-".join(code[start : start + _GROUP] for start in range(0, LENGTH, _GROUP))


def is_short(code: str) -> bool:
    """Whether a code is from the time when codes were shorter."""
    return len(code) < LENGTH


def count_lookup(request: HttpRequest, *, found: bool) -> None:
    """Count a code that somebody from outside has tried; raises `TooMany`, whether or not it was the right one."""
    own, browser = _own_key(request), browser_of(request)
    if own:
        _count(LOOKUPS, MISSES, own, found=found)
        if _is_vouched_for(request, found=found):
            return
    elif browser:
        # Whoever drops the cookie is somebody new, so a fresh browser never counts by its id alone.
        _count(LOOKUPS, MISSES, f"browser:{browser}", found=found)
    _count(LOOKUPS_OF_ADDRESS, MISSES_OF_ADDRESS, address_of(request), found=found)


def _own_key(request: HttpRequest) -> str:
    if request.user.is_authenticated:
        return f"user:{request.user.pk}"
    if any(rule(request) for rule in _trust):
        return f"trusted:{browser_of(request)}"
    return ""


def _is_vouched_for(request: HttpRequest, *, found: bool) -> bool:
    """Whether those who vouch for this client haven't got too many codes wrong; a wrong one counts for them as well."""
    for voucher in filter(None, (rule(request) for rule in _vouchers)):
        try:
            _count_miss(MISSES_OF_STUDENT, voucher.student, found=found)
            _count_miss(MISSES_OF_STUDENTS, voucher.adult, found=found)
        except TooMany:
            return False
    return True


def _count(lookups: RateLimit, misses: RateLimit, who: str, *, found: bool) -> None:
    lookups.take(who)
    _count_miss(misses, who, found=found)


def _count_miss(misses: RateLimit, who: str, *, found: bool) -> None:
    if found:
        misses.check(who)
    else:
        misses.take(who)
