"""Guessing an adult's password: what slows an attacker, what never blocks the owner, and what's logged."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.contrib.auth import get_user
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.contrib.auth.password_validation import CommonPasswordValidator
from django.core.cache import cache
from django.test import Client, RequestFactory

from classrooms.accounts import known_browsers
from classrooms.accounts.guessing import ADDRESS, CODES, PASSWORDS, RESETS, Budgets, HeldUp, begin_try
from classrooms.accounts.sign_up import vouch_for
from classrooms.models import Action, AuditEntry, User
from core import clients

pytestmark = pytest.mark.django_db

PASSWORD = "under the third oval"  # noqa: S105 (nobody's)
WRONG = "under the first squiggle"
SECRET = "JBSWY3DPEHPK3PXP"  # noqa: S105 (nobody's)
A_DAY = 86_400


def adult(email: str, name: str = "Ms. Rivera") -> User:
    user = User.objects.create_adult(email=email, display_name=name, password=PASSWORD)
    vouch_for(user)
    return user


@pytest.fixture
def rivera() -> User:
    return adult("rivera@school.example")


@pytest.fixture(autouse=True)
def clock(monkeypatch) -> SimpleNamespace:
    """The clock of the limits; it moves only when the test moves it."""
    clock = SimpleNamespace(now=1_800_000_000.0)
    clock.time = lambda: clock.now
    monkeypatch.setattr("core.limits.time", clock)
    cache.clear()
    return clock


@pytest.fixture(autouse=True)
def _quick_hashes(settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def sign_in(client: Client, email: str = "rivera@school.example", password: str = PASSWORD, address: str = "192.0.2.1"):
    return client.post("/account/login/", {"login": email, "password": password}, REMOTE_ADDR=address)


def is_in(client: Client) -> bool:
    return get_user(client).is_authenticated


def known_browser(email: str = "rivera@school.example") -> Client:
    """A browser on which this user has signed in and out."""
    client = Client()
    assert sign_in(client, email).status_code == 302
    client.post("/account/logout/")
    cache.clear()
    return client


def attack(times: int, email: str = "rivera@school.example") -> int:
    """Try wrong passwords, each from another browser and address; return how many were checked."""
    judged = 0
    for number in range(times):
        page = sign_in(Client(), email, WRONG, f"198.51.{number // 250}.{number % 250}")
        judged += "Too many tries" not in page.text
    return judged


def guesses_in_a_week(budgets: Budgets, user: User, clock: SimpleNamespace) -> int:
    """Guesses per week for an attacker with unlimited browsers and addresses, who tries every two minutes."""
    judged = 0
    for number in range(7 * 720):
        request = RequestFactory().post("/", REMOTE_ADDR=f"198.51.{number // 250}.{number % 250}")
        with suppress(HeldUp):
            begin_try(request, budgets, user=user)
            judged += 1
        clock.now += 120
    return judged


# The owner gets in


def test_an_attack_from_everywhere_does_not_lock_the_owner_out_of_a_known_browser(rivera):
    owner = known_browser()
    attack(12)
    assert "Too many tries" in sign_in(Client()).text, "a strange browser is held up by now"
    assert sign_in(owner).status_code == 302
    assert is_in(owner)


def test_an_attack_at_the_same_address_does_not_lock_out_the_school(rivera, clock):
    stone, owner = adult("stone@school.example", "Mr. Stone"), known_browser()
    for _try in range(300):
        ADDRESS.take("192.0.2.1")
    assert "Too many tries" in sign_in(Client(), str(stone.email)).text, "this address is held up for strange browsers"
    assert sign_in(owner).status_code == 302
    clock.now += 120
    assert sign_in(Client(), str(stone.email)).status_code == 302


def test_a_dozen_colleagues_behind_one_address_sign_in_at_once_in_new_browsers():
    for number in range(12):
        email = str(adult(f"teacher{number}@school.example").email)
        assert sign_in(Client(), email, WRONG).status_code == 200
        assert sign_in(Client(), email).status_code == 302


def test_a_reset_password_makes_the_browser_known_so_that_its_owner_gets_in_during_an_attack(rivera, mailoutbox):
    attack(12)
    owner = Client()
    assert "you can reset your password" in sign_in(owner).text
    response = owner.post("/account/password/reset/", {"email": rivera.email})
    code = re.search(r"^[A-Z]{4}-[A-Z]{4}$", mailoutbox[0].body, re.MULTILINE)[0]
    response = owner.post(response.headers["Location"], {"code": code})
    new = "under the second diamond"
    owner.post(response.headers["Location"], {"password1": new, "password2": new})
    sign_in(owner, password=new)
    assert is_in(owner)


# The attacker doesn't


def test_many_browsers_and_addresses_get_a_hundred_guesses_a_day_at_one_account_and_not_more(rivera, clock):
    assert 90 * 7 <= guesses_in_a_week(PASSWORDS, rivera, clock) <= 110 * 7


def test_one_browser_that_keeps_its_cookies_gets_five_guesses_a_minute_and_thirty_a_day(rivera, clock):
    client = Client()
    client.get("/join/")
    assert clients.COOKIE in client.cookies, "this browser has an id"
    answers = [sign_in(client, password=WRONG, address=f"198.51.100.{number}").text for number in range(9)]
    assert sum("Too many" not in answer for answer in answers) == 5, "from whatever addresses"
    request = RequestFactory().post("/")
    request.COOKIES[clients.COOKIE] = client.cookies[clients.COOKIE].value
    assert judged_within(A_DAY, 120, PASSWORDS, rivera, clock, lambda _number: request) == 30


# The numbers in docs/security.md


def judged_within(
    seconds: int, every: int, budgets: Budgets, user: User, clock: SimpleNamespace, request_of: Callable[[int], Any]
) -> int:
    """How many tries are checked for somebody who keeps trying from the start of a new day."""
    clock.now += 3 * A_DAY - clock.now % A_DAY
    judged = 0
    for number in range(seconds // every):
        with suppress(HeldUp):
            begin_try(request_of(number), budgets, user=user)
            judged += 1
        clock.now += every
    return judged


def from_anywhere(number: int) -> Any:
    return RequestFactory().post("/", REMOTE_ADDR=f"198.{number // 62_500 % 250}.{number // 250 % 250}.{number % 250}")


@pytest.mark.parametrize(
    ("budgets", "is_known", "numbers"),
    [
        (PASSWORDS, False, {60: 10, 3_600: 40, A_DAY: 100}),
        (PASSWORDS, True, {60: 10, 3_600: 30, A_DAY: 60}),
        (CODES, False, {60: 5, 3_600: 10, A_DAY: 20}),
        (RESETS, False, {600: 3, A_DAY: 10}),
        (RESETS, True, {600: 3, A_DAY: 10}),
    ],
    ids=["password", "password in a known browser", "second step", "mail", "mail in a known browser"],
)
def test_so_many_tries_are_judged_and_not_one_more(rivera, clock, budgets, is_known, numbers):
    known = RequestFactory().post("/")
    if is_known:
        owner = known_browser()
        known.COOKIES = {name: cookie.value for name, cookie in owner.cookies.items()}
    for seconds, most in numbers.items():
        every = max(1, seconds // 400)
        judged = judged_within(
            seconds, every, budgets, rivera, clock, lambda n: known if is_known else from_anywhere(n)
        )
        assert judged == most, f"in {seconds} seconds"


def test_the_arithmetic_of_passwords_and_second_steps():
    assert 365 * PASSWORDS.strange.windows[-1].most == 36_500
    assert round(365 * CODES.strange.windows[-1].most / 10**6 * 100, 1) == 0.7
    assert 19_000 < len(CommonPasswordValidator().passwords) < 20_000


@pytest.mark.parametrize("password", ["qwertyuiop", "1234567890", "1Q2W3E4R5T"])
def test_a_password_that_is_common_cannot_be_chosen(password, mailoutbox):
    form = {"display_name": "Ms. Lund", "email": "lund@school.example", "password1": password, "is_adult": "yes"}
    assert "too common" in Client().post("/account/signup/", form).text
    assert not User.objects.exists()


def test_a_known_browser_has_its_own_budget_and_waits_longer_and_longer(rivera, clock):
    thief = known_browser()
    judged = 0
    for _step in range(12):
        for _try in range(6):
            judged += "Too many" not in sign_in(thief, password=WRONG).text
        clock.now += 300
    assert 25 <= judged <= 35, "of 72 within an hour"


def test_signing_in_to_ones_own_account_in_between_gives_no_fresh_budget_for_another(rivera):
    adult("thief@people.example", "Thief")
    judged = 0
    for number in range(15):
        judged += "Too many" not in sign_in(Client(), password=WRONG, address=f"198.51.100.{number}").text
        sign_in(Client(), "thief@people.example", address=f"198.51.100.{number}")
    assert judged <= 10


def test_a_browser_known_for_one_account_is_a_stranger_to_another(rivera):
    adult("thief@people.example", "Thief")
    thief = known_browser("thief@people.example")
    attack(12)
    assert "Too many tries" in sign_in(thief).text


def test_a_proof_that_was_made_up_or_taken_to_another_browser_is_not_believed(rivera):
    owner = known_browser()
    attack(12)
    for cookies in (
        {known_browsers.COOKIE: "made-up"},
        {known_browsers.COOKIE: owner.cookies[known_browsers.COOKIE].value},
        {clients.COOKIE: owner.cookies[clients.COOKIE].value},
    ):
        thief = Client()
        for name, value in cookies.items():
            thief.cookies[name] = value
        assert "Too many tries" in sign_in(thief).text


def test_a_limit_tells_nothing_about_who_has_an_account(rivera):
    assert attack(13) == attack(13, "nobody@school.example")


def test_the_cookie_that_knows_an_account_is_for_no_script_and_names_nobody(rivera):
    client = Client()
    sign_in(client)
    cookie = client.cookies[known_browsers.COOKIE]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert "rivera" not in cookie.value


# The second step


def code_now() -> str:
    return format_hotp_value(hotp_value(SECRET, next(iter(yield_hotp_counters_from_time()))))


@pytest.fixture
def careful(rivera) -> User:
    TOTP.activate(rivera, SECRET)
    return rivera


def try_codes(times: int) -> int:
    """Try wrong codes with the right password, each from another browser; return how many were checked."""
    judged = 0
    for number in range(times):
        client = Client()
        address = f"198.51.100.{number}"
        sign_in(client, address=address)
        page = client.post("/account/2fa/authenticate/", {"code": "000000"}, REMOTE_ADDR=address)
        judged += "Incorrect code" in page.text
    return judged


def test_codes_of_the_second_step_can_be_tried_twenty_times_a_day_whoever_tries(careful, clock):
    assert 15 * 7 <= guesses_in_a_week(CODES, careful, clock) <= 22 * 7


def test_who_tries_codes_elsewhere_does_not_lock_the_owner_out(careful):
    owner = Client()
    sign_in(owner)
    owner.post("/account/2fa/authenticate/", {"code": code_now()})
    assert is_in(owner)
    owner.post("/account/logout/")
    assert try_codes(9) == 4, "the owner was the first of five strange browsers"
    sign_in(owner)
    page = owner.post("/account/2fa/authenticate/", {"code": "000000"})
    assert "Incorrect code" in page.text, "judged, not held up"


def test_wrong_codes_of_the_second_step_are_in_the_log(careful):
    try_codes(9)
    failed = AuditEntry.objects.get(action=Action.FAILED_SECOND_STEP)
    slowed = AuditEntry.objects.get(action=Action.SLOWED_SIGN_IN)
    assert (failed.person, failed.amount, slowed.person) == (careful.pk, 4, careful.pk), "written at 1, 2 and 4 of five"


# Mail


def test_nobody_floods_an_address_with_mails_about_its_password(rivera, mailoutbox, clock):
    for _step in range(8):
        for number in range(4):
            Client().post("/account/password/reset/", {"email": rivera.email}, REMOTE_ADDR=f"198.51.100.{number}")
        clock.now += 1_200
    assert 8 <= len(mailoutbox) <= 11, "of 32"


def test_the_owner_still_gets_a_mail_in_a_known_browser_during_such_a_flood(rivera, mailoutbox):
    owner = known_browser()
    for number in range(6):
        Client().post("/account/password/reset/", {"email": rivera.email}, REMOTE_ADDR=f"198.51.100.{number}")
    sent = len(mailoutbox)
    assert owner.post("/account/password/reset/", {"email": rivera.email}).status_code == 302
    assert len(mailoutbox) == sent + 1


def test_signing_up_again_and_again_with_an_address_floods_it_no_more(rivera, mailoutbox, monkeypatch):
    """allauth's own limit per email address, whether or not it's registered."""
    now = 1_800_000_000.0
    monkeypatch.setattr(
        "allauth.core.internal.ratelimit.time", SimpleNamespace(time=lambda: now, monotonic=lambda: now)
    )
    for email in (rivera.email, "new@school.example"):
        mailoutbox.clear()
        sent = []
        for number in range(44):
            now += 30 if number < 8 else 2_000
            form = {"display_name": "Ms. Lund", "email": email, "password1": PASSWORD, "is_adult": "yes"}
            Client().post("/account/signup/", form, REMOTE_ADDR=f"198.51.100.{number}")
            sent.append(len(mailoutbox))
        assert sent[7] == 6, "in an hour"
        assert sent[-1] == 20, "in a day"


# Logging


def test_failed_sign_ins_and_limits_are_in_the_log_by_number_and_a_flood_is_a_few_lines(rivera):
    attack(30)
    failed = AuditEntry.objects.get(action=Action.FAILED_SIGN_IN)
    slowed = AuditEntry.objects.get(action=Action.SLOWED_SIGN_IN)
    assert (failed.person, failed.actor, failed.amount) == (rivera.pk, None, 8), "written at 1, 2, 4 and 8 of ten"
    assert (slowed.person, slowed.amount) == (rivera.pk, 16), "of twenty"


def test_tries_at_accounts_that_do_not_exist_are_one_line(rivera):
    for number in range(9):
        sign_in(Client(), f"nobody{number}@school.example", WRONG)
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.person, entry.amount) == (Action.FAILED_SIGN_IN, None, 8)


# Timing


@pytest.fixture
def hashes(settings, monkeypatch) -> list[str]:
    """Records each password hash and comparison, which take equally long."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
    counted: list[str] = []
    for name in ("encode", "verify"):
        real = getattr(Argon2PasswordHasher, name)

        def counting(self, *args, _real=real, _name=name):
            counted.append(_name)
            return _real(self, *args)

        monkeypatch.setattr(Argon2PasswordHasher, name, counting)
    return counted


def test_signing_up_costs_as_many_hashes_and_mails_for_a_taken_address_as_for_a_new_one(hashes, mailoutbox):
    taken = adult("rivera@school.example")
    costs = []
    for email in (taken.email, "new@school.example"):
        hashes.clear()
        mailoutbox.clear()
        form = {"display_name": "Ms. Lund", "email": email, "password1": PASSWORD, "is_adult": "yes"}
        response = Client().post("/account/signup/", form)
        assert response.status_code == 302
        costs.append((len(hashes), len(mailoutbox)))
    assert costs == [(1, 1), (1, 1)]


def test_signing_in_costs_as_many_hashes_for_an_unknown_address_as_for_a_wrong_password(hashes):
    adult("rivera@school.example")
    social = User.objects.create_adult(email="social@school.example", display_name="No password")
    vouch_for(social)
    costs = set()
    for email in ("rivera@school.example", "social@school.example", "nobody@school.example"):
        hashes.clear()
        sign_in(Client(), email, WRONG)
        costs.add(len(hashes))
    assert len(costs) == 1


def test_asking_for_a_new_password_costs_the_same_for_an_unknown_address(hashes, mailoutbox):
    adult("rivera@school.example")
    costs = []
    for email in ("rivera@school.example", "nobody@school.example"):
        hashes.clear()
        mailoutbox.clear()
        Client().post("/account/password/reset/", {"email": email})
        costs.append((len(hashes), len(mailoutbox)))
    assert costs == [(0, 1), (0, 1)]
