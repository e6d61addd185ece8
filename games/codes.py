"""Codes for tables, lessons, and classes: their format, and how often they may be tried.

Nine characters out of 28 make 10.6 trillion codes; docs/security.md says how long a botnet needs. Every lookup by
somebody who isn't already inside counts, right or wrong. After too many tries even the right code is refused, so trying
on reveals nothing.

Signed-in users and trusted browsers (where a student has signed in before) each have their own budget. Everybody else
shares one per network address, so nobody can lock out a school's own tablets.

Browsers and students are free to make up. So a wrong code also counts against the student who vouches for a browser,
and against all students of the adult behind that student. Once either is over the limit, the browser counts by its
address, like anybody else's: it loses its privilege, but nobody else does.
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
"""No vowels, so that no code spells a word, and no characters that look alike."""
LENGTH = 9
_GROUP = 3
_LONGEST_TYPED = 40

# A thousand children of one school may all come in within ten minutes, and a quarter of them may mistype. There are far
# more lookups of right codes: each step of a replay is one.
LOOKUPS_OF_ADDRESS = RateLimit("codes-of-address", (Window(30_000, 600),))
MISSES_OF_ADDRESS = RateLimit("wrong-codes-of-address", (Window(300, 600), Window(2_000, 86_400)))
LOOKUPS = RateLimit("codes", (Window(300, 60),))
MISSES = RateLimit("wrong-codes", (Window(10, 60), Window(100, 86_400)))
MISSES_OF_STUDENT = RateLimit("wrong-codes-of-student", (Window(30, 86_400),))
MISSES_OF_STUDENTS = RateLimit("wrong-codes-of-students", (Window(1_000, 86_400),))


@dataclass(frozen=True, slots=True)
class Voucher:
    """Who vouches for a client that has its own budget."""

    student: str
    """The student who's signed in, or was the last to sign in on the browser."""
    adult: str
    """The adult behind that student, who could make up more; "" for none, and all of those share one budget."""


TrustRule = Callable[[HttpRequest], bool]
VoucherRule = Callable[[HttpRequest], Voucher | None]
_trust_rules: list[TrustRule] = []
_voucher_rules: list[VoucherRule] = []


def trust(rule: TrustRule) -> None:
    """Register a rule that says whether a browser has earned its own budget."""
    _trust_rules.append(rule)


def find_voucher(rule: VoucherRule) -> None:
    """Register a rule that finds who vouches for a client with its own budget; None if nobody has to."""
    _voucher_rules.append(rule)


def new_code(is_taken: Callable[[str], bool]) -> str:
    while True:
        code = "".join(secrets.choice(LETTERS) for _letter in range(LENGTH))
        if not is_taken(code):
            return code


def plain(text: str) -> str:
    """Normalize a typed code to its stored form: upper case, without hyphens or spaces."""
    return "".join(letter for letter in text[:_LONGEST_TYPED] if letter.isascii() and letter.isalnum()).upper()


def grouped(code: str) -> str:
    """Format a code for reading, in groups of three."""
    if len(code) != LENGTH:
        return code
    return "-".join(code[start : start + _GROUP] for start in range(0, LENGTH, _GROUP))


def is_short(code: str) -> bool:
    """Whether a code dates from when codes were shorter."""
    return len(code) < LENGTH


def count_lookup(request: HttpRequest, *, found: bool) -> None:
    """Count an outsider's lookup of a code; raises `TooMany` past the limit, even if the code was right."""
    own, browser = _budget_key(request), browser_of(request)
    if own:
        _count(LOOKUPS, MISSES, own, found=found)
        if _is_vouched_for(request, found=found):
            return
    elif browser:
        # Dropping the cookie makes a new browser, so an untrusted one never counts by its ID alone.
        _count(LOOKUPS, MISSES, f"browser:{browser}", found=found)
    _count(LOOKUPS_OF_ADDRESS, MISSES_OF_ADDRESS, address_of(request), found=found)


def _budget_key(request: HttpRequest) -> str:
    if request.user.is_authenticated:
        return f"user:{request.user.pk}"
    if any(rule(request) for rule in _trust_rules):
        return f"trusted:{browser_of(request)}"
    return ""


def _is_vouched_for(request: HttpRequest, *, found: bool) -> bool:
    """Whether the vouchers for this client are within their limits; a wrong code counts against them too."""
    for voucher in filter(None, (rule(request) for rule in _voucher_rules)):
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
