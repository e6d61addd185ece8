"""How often an adult's password or second step can be tried, and how many mails a stranger can trigger.

There are three budgets, so that attackers don't get far and can't lock the owner out either:

- A browser on which the account has signed in before has a budget of its own that nobody else can use up.
- All other browsers share one budget per account: a hundred passwords or twenty codes a day, whoever tries.
- Besides, each of those browsers and each network address is limited, generously enough for a school.

Unknown email addresses are counted like accounts, so a limit doesn't reveal who has one.
"""

from __future__ import annotations

from dataclasses import dataclass

from allauth.account.internal.userkit import filter_users_by_email
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from classrooms.accounts.known_browsers import is_known_here
from classrooms.audit import tally
from classrooms.models import Action, User
from core.clients import address_of, browser_of
from core.limits import RateLimit, TooMany, Window

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_SALT = "classrooms.guessing"


@dataclass(frozen=True, slots=True)
class Budgets:
    """The limits for one thing that can be tried."""

    known: RateLimit
    """Per known browser and account."""
    strange: RateLimit
    """Per account, for all unknown browsers together."""
    browser: RateLimit
    """Per unknown browser and account."""


def _budgets(name: str, known: tuple[Window, ...], strange: tuple[Window, ...], browser: tuple[Window, ...]) -> Budgets:
    return Budgets(
        RateLimit(f"{name}-known", known), RateLimit(f"{name}-strange", strange), RateLimit(f"{name}-browser", browser)
    )


_FEW = (Window(5, _MINUTE), Window(15, _HOUR), Window(30, _DAY))
PASSWORDS = _budgets(
    "password",
    known=(Window(10, _MINUTE), Window(30, _HOUR), Window(60, _DAY)),
    strange=(Window(10, _MINUTE), Window(40, _HOUR), Window(100, _DAY)),
    browser=_FEW,
)
CODES = _budgets(
    "second-step", known=_FEW, strange=(Window(5, _MINUTE), Window(10, _HOUR), Window(20, _DAY)), browser=_FEW
)
_MAIL = (Window(3, 10 * _MINUTE), Window(10, _DAY))
RESETS = _budgets("reset-mail", known=_MAIL, strange=_MAIL, browser=_MAIL)
ADDRESS = RateLimit("sign-in-address", (Window(300, _MINUTE), Window(3_000, _HOUR)))
"""Per network address, for everything that unknown browsers try from there. A whole school may share one."""


class HeldUp(Exception):
    """Too many tries. `is_strange` if the browser is unknown, so that a known one could still get in."""

    def __init__(self, retry_after: int, *, is_strange: bool) -> None:
        super().__init__(retry_after)
        self.retry_after = retry_after
        self.is_strange = is_strange


@dataclass(frozen=True, slots=True)
class SignInTry:
    """One counted try. Call `succeeded` or `failed` with its outcome."""

    budgets: Budgets
    user: User | None
    own_key: str
    is_known: bool

    def succeeded(self) -> None:
        # Don't reset the shared budgets: each sign-in of the owner, or of the attacker to an account of their own,
        # would give the attacker a fresh one.
        (self.budgets.known if self.is_known else self.budgets.browser).forget(self.own_key)

    def failed(self) -> None:
        tally(Action.FAILED_SECOND_STEP if self.budgets is CODES else Action.FAILED_SIGN_IN, person=self.user)


def begin_try(request: HttpRequest, budgets: Budgets, *, email: str = "", user: User | None = None) -> SignInTry:
    """Count a try before it's judged. Raises `HeldUp` if there were too many."""
    user = user or _account_of(email)
    account = str(user.pk) if user else _fingerprint(email.lower())
    is_known = is_known_here(request, user.pk if user else None)
    client = browser_of(request) or address_of(request)
    own_key = f"{account}:{client}"
    try:
        if is_known:
            budgets.known.take(own_key)
        else:
            for limit, who in ((budgets.browser, own_key), (budgets.strange, account), (ADDRESS, address_of(request))):
                limit.take(who)
    except TooMany as error:
        tally(Action.SLOWED_SIGN_IN, person=user)
        raise HeldUp(error.retry_after, is_strange=not is_known) from error
    return SignInTry(budgets, user, own_key, is_known)


def _account_of(email: str) -> User | None:
    found = filter_users_by_email(email, prefer_verified=True) if email else []
    return found[0] if found else None


def _fingerprint(email: str) -> str:
    return salted_hmac(_SALT, email).hexdigest()[:32]
