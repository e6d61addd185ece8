"""Hitting a limit blocks only the client who hit it: every limit of the site, and who is still served."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from types import SimpleNamespace
from uuid import uuid4

import pytest
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from classrooms.accounts import devices, guessing, picture_guard
from classrooms.accounts.guardians import WORDS, Why, make_code
from classrooms.accounts.guessing import CODES, PASSWORDS, RESETS, Budgets, HeldUp, begin_try
from classrooms.accounts.picture_guard import Budget
from classrooms.accounts.sign_up import vouch_for
from classrooms.models import Enrolment, User
from classrooms.views import teach
from core import clients
from core.limits import RateLimit, Window
from games import codes, limits
from games.limits import Limit
from games.matches import service as matches
from games.models import Way
from games.players import Player
from games.puzzles import PuzzleDeck, board_of
from games.rules import Options
from games.rules import commands as ask
from setsite.admin import site
from tests.classrooms.live.lesson import a_lesson
from tests.classrooms.people import (
    enrol,
    make_adult,
    make_classroom,
    make_operator,
    operating,
    signed_in,
)
from tests.classrooms.test_signing_in import scan, tap, wrong

pytestmark = pytest.mark.django_db

ELSEWHERE = "192.0.2.7"
PASSWORD = "under the third oval"  # noqa: S105 (nobody's)
FEW = 3
MOST_TRIES = 100
TOGETHER = {"edition": "us", "deck": "full", "votes": "checked"}

Served = Callable[[], bool]


@dataclass(frozen=True)
class Scene:
    """One client who keeps trying, and others."""

    go_on: Served
    """Try once more as the client; return whether it was checked."""
    first: Served
    """Whether the client is served now, with valid input."""
    others: dict[str, Served]


@dataclass(frozen=True)
class World:
    clock: SimpleNamespace
    monkeypatch: pytest.MonkeyPatch

    def few(self, module: object, name: str, limit: str) -> None:
        """Lower a large limit, so that a test needn't send hundreds of requests; its name stays the same."""
        self.monkeypatch.setattr(module, name, RateLimit(limit, (Window(FEW, 600),)))


SCENES: dict[str, tuple[tuple[str, ...], Callable[[World], Scene]]] = {}


def scene(*covered: str) -> Callable[[Callable[[World], Scene]], Callable[[World], Scene]]:
    """Register a scene that hits these limits."""

    def keep(make: Callable[[World], Scene]) -> Callable[[World], Scene]:
        SCENES[make.__name__] = (covered, make)
        return make

    return keep


@pytest.fixture
def world(clock_of_limits: SimpleNamespace, monkeypatch, settings) -> World:
    monkeypatch.setattr("django.utils.timezone.now", lambda: datetime.fromtimestamp(clock_of_limits.now, UTC))
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    return World(clock_of_limits, monkeypatch)


# Codes of classes, lessons and tables


def a_table() -> str:
    ann = Player(name="Ann", guest="a" * 32)
    return matches.open_match(way=Way.TOGETHER, options=Options(window=None), player=ann, now=time.time()).code


def a_class_code() -> str:
    return make_classroom(make_adult()).code


def a_lesson_code() -> str:
    return a_lesson(1).code


def opens(client: Client, path: str, **more: str) -> bool:
    return client.get(path, **more).status_code == 200


def is_judged(client: Client, path: str) -> bool:
    return client.get(path).status_code != 429


def known_tablet() -> Client:
    """A tablet on which a student has signed in and out."""
    tablet = Client()
    (child,) = enrol(make_classroom(make_adult()), "Zoe Stern")
    scan(tablet, child)
    tablet.post("/account/logout/")
    return tablet


def wrong_codes(world: World, path: str) -> Scene:
    world.few(codes, "MISSES_OF_ADDRESS", "wrong-codes-of-address")
    tablet, account = known_tablet(), signed_in(make_adult())
    return Scene(
        go_on=lambda: is_judged(Client(), f"/{path.split('/')[1]}/BCDFGHJKL/"),
        first=lambda: opens(Client(), path),
        others={
            "another address": lambda: opens(Client(), path, REMOTE_ADDR=ELSEWHERE),
            "a known tablet at the same address": lambda: opens(tablet, path),
            "an account at the same address": lambda: opens(account, path),
        },
    )


@scene("wrong-codes-of-address")
def wrong_codes_of_classes(world: World) -> Scene:
    return wrong_codes(world, f"/join/{a_class_code()}/")


@scene("wrong-codes-of-address")
def wrong_codes_of_lessons(world: World) -> Scene:
    return wrong_codes(world, f"/session/{a_lesson_code()}/")


@scene("wrong-codes-of-address")
def wrong_codes_of_tables(world: World) -> Scene:
    return wrong_codes(world, f"/play/{a_table()}/")


@scene("codes-of-address")
def right_codes_of_an_address(world: World) -> Scene:
    world.few(codes, "LOOKUPS_OF_ADDRESS", "codes-of-address")
    path, tablet = f"/play/{a_table()}/", known_tablet()
    return Scene(
        go_on=lambda: opens(Client(), path),
        first=lambda: opens(Client(), path),
        others={
            "another address": lambda: opens(Client(), path, REMOTE_ADDR=ELSEWHERE),
            "a known tablet": lambda: opens(tablet, path),
        },
    )


def by_themselves(world: World, first: Client, others: dict[str, Client], *, with_right_ones: bool = False) -> Scene:
    """A client whose codes are counted separately."""
    path = f"/play/{a_table()}/"
    if with_right_ones:
        world.few(codes, "LOOKUPS", "codes")
    return Scene(
        go_on=lambda: is_judged(first, path if with_right_ones else "/play/BCDFGHJKL/"),
        first=lambda: opens(first, path),
        others={name: lambda client=client: opens(client, path) for name, client in others.items()},
    )


def a_browser() -> Client:
    """A browser with an id, where nobody has signed in."""
    client = Client()
    client.get("/join/")
    assert clients.COOKIE in client.cookies
    return client


@scene("wrong-codes")
def wrong_codes_in_one_browser(world: World) -> Scene:
    return by_themselves(
        world, a_browser(), {"another browser at the same address": a_browser(), "a new one": Client()}
    )


@scene("wrong-codes")
def wrong_codes_of_one_account(world: World) -> Scene:
    others = {"another account": signed_in(make_adult()), "somebody without one": Client()}
    return by_themselves(world, signed_in(make_adult()), others)


@scene("wrong-codes")
def wrong_codes_on_a_known_tablet(world: World) -> Scene:
    return by_themselves(world, known_tablet(), {"another known tablet": known_tablet(), "a new one": Client()})


@scene("wrong-codes-of-student")
def wrong_codes_in_browsers_that_one_student_made_known(world: World) -> Scene:
    world.few(codes, "MISSES_OF_STUDENT", "wrong-codes-of-student")
    return made_known(world, *enrol(make_classroom(make_adult()), "Mia Okafor", "Noah Brandt"))


@scene("wrong-codes-of-students")
def wrong_codes_of_all_students_of_one_adult(world: World) -> Scene:
    world.few(codes, "MISSES_OF_STUDENTS", "wrong-codes-of-students")
    (mia,), (noah,) = (enrol(make_classroom(make_adult()), name) for name in ("Mia Okafor", "Noah Brandt"))
    return made_known(world, mia, noah)


def made_known(world: World, mia: Enrolment, noah: Enrolment) -> Scene:
    """An attacker with one student's card, who drops the cookies each time."""
    world.few(codes, "MISSES_OF_ADDRESS", "wrong-codes-of-address")
    path, tablet, account = f"/play/{a_table()}/", known_to(noah), signed_in(make_adult())
    return Scene(
        go_on=lambda: is_judged(known_to(mia), "/play/BCDFGHJKL/"),
        first=lambda: opens(known_to(mia), path),
        others={
            "a tablet of another student": lambda: opens(tablet, path),
            "the other student": lambda: opens(signed_in(noah.student), path),
            "an adult": lambda: opens(account, path),
            "a tablet of the same student at another address": lambda: opens(
                known_to(mia), path, REMOTE_ADDR=ELSEWHERE
            ),
        },
    )


@scene("codes")
def right_codes_of_one_account(world: World) -> Scene:
    return by_themselves(
        world, signed_in(make_adult()), {"another account": signed_in(make_adult())}, with_right_ones=True
    )


@scene("wrong-codes")
def codes_for_a_hand_over(world: World) -> Scene:
    receiving = make_classroom(make_adult("Colleague"))

    def teacher() -> tuple[Client, str]:
        user = make_adult("Rosa")
        (child,) = enrol(make_classroom(user), "Mia Okafor")
        return signed_in(user), f"/teach/{child.classroom_id}/students/{child.pk}/move/"

    (first, path), (other, other_path) = teacher(), teacher()
    return Scene(
        go_on=lambda: "No other class has this code" in first.post(path, {"code": "NOPE22"}).text,
        first=lambda: first.post(path, {"code": receiving.code}).status_code == 302,
        others={"another teacher": lambda: other.post(other_path, {"code": receiving.code}).status_code == 302},
    )


def is_held_up(response: HttpResponse) -> bool:
    return str(WORDS[Why.TOO_MANY]) in unescape(response.content.decode())


@scene("wrong-guardian-codes")
def codes_of_guardians(world: World) -> Scene:
    teacher = make_adult()
    (child,) = enrol(make_classroom(teacher), "Mia Okafor")
    code = make_code(child.student, by=teacher)
    first, other = signed_in(make_adult("Ada")), signed_in(make_adult("Bea"))
    return Scene(
        go_on=lambda: not is_held_up(first.post("/family/code/", {"code": "BCDFG-HJKLM"})),
        first=lambda: first.post("/family/code/", {"code": code}).status_code == 302,
        others={"another guardian": lambda: other.post("/family/code/", {"code": code}).status_code == 302},
    )


# Pictures


def two_children(world: World) -> tuple[Enrolment, Enrolment]:
    """Two students of a class older than a day, with sign-in open."""
    teacher = make_adult()
    mia, noah = enrol(make_classroom(teacher), "Mia Okafor", "Noah Brandt")
    world.clock.now += 3 * 86_400
    devices.let_new_devices_in(mia.classroom, by=teacher)
    noah.classroom = mia.classroom
    return mia, noah


def known_to(*children: Enrolment) -> Client:
    tablet = Client()
    for child in children:
        scan(tablet, child)
        tablet.post("/account/logout/")
    return tablet


def comes_in(client: Client, child: Enrolment) -> bool:
    is_in = tap(client, child, *child.student.pictures).status_code == 302
    client.post("/account/logout/")
    return is_in


def guesses(world: World, client: Callable[[], Client], child: Enrolment, *, every: int = 61) -> bool:
    world.clock.now += every
    return tap(client(), child, *wrong(child)).status_code == 422


@scene()
def pictures_of_a_child_on_new_devices(world: World) -> Scene:
    mia, noah = two_children(world)
    tablet = known_to(mia)
    return Scene(
        go_on=lambda: guesses(world, Client, mia),
        first=lambda: comes_in(Client(), mia),
        others={
            "another child on a new device": lambda: comes_in(Client(), noah),
            "the child on a known tablet": lambda: comes_in(tablet, mia),
            "the child with the card": lambda: scan(Client(), mia).status_code == 302,
        },
    )


@scene()
def pictures_of_a_class_on_new_devices(world: World) -> Scene:
    world.monkeypatch.setattr(picture_guard, "CLASS_ON_NEW", Budget(day=FEW, month=FEW, opened=0))
    mia, noah = two_children(world)
    (zoe, _other), tablet = two_children(world), known_to(noah)
    devices.let_new_devices_in(mia.classroom, by=mia.classroom.teachers.get())
    return Scene(
        go_on=lambda: guesses(world, Client, mia),
        first=lambda: comes_in(Client(), noah),
        others={
            "a child of another class on a new device": lambda: comes_in(Client(), zoe),
            "a child of the class on a known tablet": lambda: comes_in(tablet, noah),
            "a child of the class with the card": lambda: scan(Client(), mia).status_code == 302,
        },
    )


@scene()
def pictures_of_a_child_on_a_tablet(world: World) -> Scene:
    mia, noah = two_children(world)
    shared, own = known_to(mia, noah), known_to(mia)
    return Scene(
        go_on=lambda: guesses(world, lambda: shared, mia),
        first=lambda: comes_in(shared, mia),
        others={
            "another child on the same tablet": lambda: comes_in(shared, noah),
            "the child on another tablet": lambda: comes_in(own, mia),
        },
    )


@scene()
def pictures_of_all_children_on_a_tablet(world: World) -> Scene:
    world.monkeypatch.setattr(picture_guard, "DEVICE", Budget(day=FEW, month=FEW, opened=0))
    mia, noah = two_children(world)
    shared, own = known_to(mia, noah), known_to(noah)
    return Scene(
        go_on=lambda: guesses(world, lambda: shared, mia),
        first=lambda: comes_in(shared, noah),
        others={"the children on another tablet": lambda: comes_in(own, noah)},
    )


@scene()
def pictures_on_tablets_that_one_child_made_known(world: World) -> Scene:
    world.monkeypatch.setattr(picture_guard, "LAST_USER", Budget(day=FEW, month=FEW, opened=0))
    mia, noah = two_children(world)
    (lina,) = enrol(mia.classroom, "Lina Haddad")
    mine, of_lina = known_to(noah), known_to(lina)
    return Scene(
        go_on=lambda: guesses(world, lambda: known_to(noah), mia),
        first=lambda: comes_in(mine, mia),
        others={"the child on a tablet that another one made known": lambda: comes_in(of_lina, mia)},
    )


@scene("pictures")
def pictures_in_a_row(world: World) -> Scene:
    mia, noah = two_children(world)
    shared, own = known_to(mia, noah), known_to(mia)
    return Scene(
        go_on=lambda: guesses(world, lambda: shared, mia, every=0),
        first=lambda: comes_in(shared, mia),
        others={
            "another child on the same tablet": lambda: comes_in(shared, noah),
            "the child on another tablet": lambda: comes_in(own, mia),
        },
    )


# Adults


_numbers = itertools.count()


def an_adult() -> str:
    email = f"teacher{next(_numbers)}@school.example"
    vouch_for(User.objects.create_adult(email=email, display_name="Ms. Rivera", password=PASSWORD))
    return email


def sign_in(client: Client, email: str, password: str = PASSWORD, address: str = "127.0.0.1") -> bool:
    form = {"login": email, "password": password}
    return client.post("/account/login/", form, REMOTE_ADDR=address).status_code == 302


def guess_password(client: Client, email: str, address: str = "127.0.0.1") -> bool:
    form = {"login": email, "password": "under the first squiggle"}
    return "Too many tries" not in client.post("/account/login/", form, REMOTE_ADDR=address).text


def known_for(email: str) -> Client:
    client = Client()
    assert sign_in(client, email)
    client.post("/account/logout/")
    return client


@scene("password-strange")
def passwords_of_an_account(world: World) -> Scene:
    rivera, stone = an_adult(), an_adult()
    owner = known_for(rivera)
    addresses = (f"198.51.100.{number}" for number in itertools.count())
    return Scene(
        go_on=lambda: guess_password(Client(), rivera, next(addresses)),
        first=lambda: sign_in(Client(), rivera),
        others={
            "the owner in a known browser": lambda: sign_in(owner, rivera),
            "another account in a new browser": lambda: sign_in(Client(), stone),
        },
    )


@scene("password-browser")
def passwords_in_a_browser(world: World) -> Scene:
    rivera, stone = an_adult(), an_adult()
    browser = a_browser()
    return Scene(
        go_on=lambda: guess_password(browser, rivera),
        first=lambda: sign_in(browser, rivera),
        others={
            "the owner in another browser at the same address": lambda: sign_in(a_browser(), rivera),
            "another account in the same browser": lambda: sign_in(browser, stone),
        },
    )


@scene("password-known")
def passwords_in_a_known_browser(world: World) -> Scene:
    rivera, stone = an_adult(), an_adult()
    stolen, own = known_for(rivera), known_for(rivera)
    return Scene(
        go_on=lambda: guess_password(stolen, rivera),
        first=lambda: sign_in(stolen, rivera),
        others={
            "the owner in another known browser": lambda: sign_in(own, rivera),
            "another account": lambda: sign_in(Client(), stone),
        },
    )


@scene("sign-in-address")
def passwords_at_an_address(world: World) -> Scene:
    rivera, stone = an_adult(), an_adult()
    owner = known_for(rivera)
    world.few(guessing, "ADDRESS", "sign-in-address")
    return Scene(
        go_on=lambda: guess_password(Client(), f"nobody{next(_numbers)}@school.example"),
        first=lambda: sign_in(Client(), stone),
        others={
            "a known browser at the same address": lambda: sign_in(owner, rivera),
            "another address": lambda: sign_in(Client(), stone, address=ELSEWHERE),
        },
    )


@scene("second-step-strange")
def codes_of_the_second_step(world: World) -> Scene:
    secrets = {an_adult(): secret for secret in ("JBSWY3DPEHPK3PXP", "KRSXG5CTMVRXEZLU")}
    rivera, stone = secrets
    owner = known_for(rivera)
    for email, secret in secrets.items():
        TOTP.activate(User.objects.get(email=email), secret)

    def comes_in_with(client: Client, email: str) -> bool:
        sign_in(client, email)
        code = format_hotp_value(hotp_value(secrets[email], next(iter(yield_hotp_counters_from_time()))))
        return client.post("/account/2fa/authenticate/", {"code": code}).status_code == 302

    def guess() -> bool:
        thief = Client()
        sign_in(thief, rivera)
        return "Too many tries" not in thief.post("/account/2fa/authenticate/", {"code": "000000"}).text

    return Scene(
        go_on=guess,
        first=lambda: comes_in_with(Client(), rivera),
        others={
            "another account": lambda: comes_in_with(Client(), stone),
            "the owner in a known browser": lambda: comes_in_with(owner, rivera),
        },
    )


@scene("reset-mail-strange")
def mails_about_a_password(world: World) -> Scene:
    rivera, stone = an_adult(), an_adult()
    owner = known_for(rivera)
    addresses = (f"198.51.100.{number}" for number in itertools.count())

    def writes(client: Client, email: str, address: str = "127.0.0.1") -> bool:
        return client.post("/account/password/reset/", {"email": email}, REMOTE_ADDR=address).status_code == 302

    return Scene(
        go_on=lambda: writes(Client(), rivera, next(addresses)),
        first=lambda: writes(Client(), rivera),
        others={
            "another account": lambda: writes(Client(), stone),
            "the owner in a known browser": lambda: writes(owner, rivera),
        },
    )


def budget(budgets: Budgets, which: str) -> Callable[[World], Scene]:
    """The budget itself, used by everything that can be tried, without pages."""

    def make(world: World) -> Scene:
        first, other = (User.objects.get(email=an_adult()) for _each in range(2))
        # Otherwise the smaller limit is hit first.
        rest = {"known", "strange", "browser"} - {which}
        roomy = {each: RateLimit(getattr(budgets, each).name, (Window(1_000, 60),)) for each in rest}
        tried = Budgets(**{which: getattr(budgets, which)}, **roomy)
        here = known_for(str(first.email)) if which == "known" else a_browser()
        there = known_for(str(first.email)) if which == "known" else a_browser()

        def served(client: Client, user: User) -> bool:
            request: HttpRequest = RequestFactory().post("/")
            request.user = AnonymousUser()
            request.COOKIES = {name: cookie.value for name, cookie in client.cookies.items()}
            try:
                begin_try(request, tried, user=user)
            except HeldUp:
                return False
            return True

        others = {"another account in the same browser": lambda: served(here, other)}
        if which != "strange":
            others["the same account in another browser"] = lambda: served(there, first)
        return Scene(go_on=lambda: served(here, first), first=lambda: served(here, first), others=others)

    make.__name__ = f"{getattr(budgets, which).name}_beneath_the_pages"
    return make


for _budgets, _which in itertools.product((PASSWORDS, CODES, RESETS), ("known", "strange", "browser")):
    scene(getattr(_budgets, _which).name)(budget(_budgets, _which))


@scene("invitations-of-teacher")
def invitations_of_a_teacher(world: World) -> Scene:
    world.few(teach, "INVITATIONS_OF_TEACHER", "invitations-of-teacher")
    users = [make_adult("Rivera"), make_adult("Stone")]
    first, other = ((signed_in(user), f"/teach/{make_classroom(user).pk}/teachers/invite/") for user in users)

    def invites(client: Client, path: str) -> bool:
        return client.post(path, {"email": f"lund{next(_numbers)}@people.example"}).status_code == 302

    return Scene(
        go_on=lambda: invites(*first),
        first=lambda: invites(*first),
        others={"another teacher": lambda: invites(*other)},
    )


@scene("invitations-to-address")
def invitations_to_an_address(world: World) -> Scene:
    user = make_adult("Rivera")
    client, path = signed_in(user), f"/teach/{make_classroom(user).pk}/teachers/invite/"

    def invites(email: str) -> bool:
        return client.post(path, {"email": email}).status_code == 302

    return Scene(
        go_on=lambda: invites("lund@people.example"),
        first=lambda: invites("lund@people.example"),
        others={"another address": lambda: invites("holm@people.example")},
    )


# Games and lessons


def guest(name: str) -> Client:
    client = Client()
    session = client.session
    session["guest"] = {"key": name[0].lower() * 32, "name": name}
    session.save()
    return client


@scene("moves")
def moves_at_a_table(world: World) -> Scene:
    code = a_table()
    matches.join(code, Player(name="Ben", guest="b" * 32), now=time.time())
    matches.command(code, ask.Deal(0), now=time.time())
    ann, ben = guest("Ann"), guest("Ben")

    def moves(client: Client, action: str) -> bool:
        return client.post(f"/play/{code}/{action}/").status_code != 429

    return Scene(
        go_on=lambda: moves(ann, "take-back"),
        first=lambda: moves(ann, "take-back"),
        others={"another player at the same table and address": lambda: moves(ben, "call")},
    )


@scene("moves")
def answers_in_a_live_lesson(world: World) -> Scene:
    lesson = a_lesson(2)
    lesson.begin("triples")

    def answers(place: int) -> bool:
        return lesson.act(place, answer="set").status_code != 429

    return Scene(
        go_on=lambda: answers(0), first=lambda: answers(0), others={"another device in the lesson": lambda: answers(1)}
    )


def answers_a_question(client: Client, **more: str) -> bool:
    return client.post("/learn/cards/color-green/", {"value": "red"}, **more).status_code == 200


@scene("moves")
def answers_of_one_guest(world: World) -> Scene:
    ann, ben = guest("Ann"), guest("Ben")
    return Scene(
        go_on=lambda: answers_a_question(ann),
        first=lambda: answers_a_question(ann),
        others={"another guest at the same address": lambda: answers_a_question(ben)},
    )


@scene("moves")
def answers_of_one_account(world: World) -> Scene:
    ann, ben = signed_in(make_adult()), signed_in(make_adult())
    return Scene(
        go_on=lambda: answers_a_question(ann),
        first=lambda: answers_a_question(ann),
        others={"another account": lambda: answers_a_question(ben)},
    )


@scene("answers-of-learner")
def answers_of_one_learner_in_a_day(world: World) -> Scene:
    world.few(limits, "ANSWERS_OF_LEARNER", "answers-of-learner")
    return answers_of_one_guest(world)


@scene("late-answers-of-learner")
def answers_that_one_learner_sends_later(world: World) -> Scene:
    world.few(limits, "LATE_ANSWERS_OF_LEARNER", "late-answers-of-learner")
    ann, ben = guest("Ann"), guest("Ben")

    def sends(client: Client) -> bool:
        form = {"place": "cards/color-green", "value": "red", "whose": "guest", "sent_as": str(uuid4())}
        return client.post("/learn/later/", form).status_code == 200

    return Scene(
        go_on=lambda: sends(ann),
        first=lambda: sends(ann),
        others={
            "another learner": lambda: sends(ben),
            "the same one with a network": lambda: answers_a_question(ann),
        },
    )


@scene("guest-answers-of-address")
def answers_of_guests_of_one_address(world: World) -> Scene:
    world.few(limits, "GUEST_ANSWERS_OF_ADDRESS", "guest-answers-of-address")
    account = signed_in(make_adult())
    return Scene(
        go_on=lambda: answers_a_question(Client()),
        first=lambda: answers_a_question(Client()),
        others={
            "guests of another address": lambda: answers_a_question(Client(), REMOTE_ADDR=ELSEWHERE),
            "an account at the same address": lambda: answers_a_question(account),
        },
    )


@scene("guest-answers-of-address")
def daily_puzzles_of_guests_of_one_address(world: World) -> Scene:
    world.few(limits, "GUEST_ANSWERS_OF_ADDRESS", "guest-answers-of-address")
    account = signed_in(make_adult())
    day = datetime.fromtimestamp(world.clock.now, UTC).date()
    cards = [card.index for card in board_of(day, PuzzleDeck.FULL)[:3]]

    def finds(client: Client, **more: str) -> bool:
        return client.post("/play/daily/full/find/", {"card": cards}, **more).status_code == 200

    return Scene(
        go_on=lambda: finds(Client()),
        first=lambda: finds(Client()),
        others={
            "guests of another address": lambda: finds(Client(), REMOTE_ADDR=ELSEWHERE),
            "an account at the same address": lambda: finds(account),
        },
    )


def opens_a_table(client: Client, **more: str) -> bool:
    return client.post("/play/open/together/", TOGETHER, **more).status_code == 302


@scene("openings")
def tables_that_one_player_opens(world: World) -> Scene:
    ann, ben = guest("Ann"), guest("Ben")
    return Scene(
        go_on=lambda: opens_a_table(ann),
        first=lambda: opens_a_table(ann),
        others={"another player at the same address": lambda: opens_a_table(ben)},
    )


@scene("openings-of-address")
def tables_that_an_address_opens(world: World) -> Scene:
    few = Limit("openings-of-address", most=FEW, seconds=300)
    world.monkeypatch.setattr(limits, "OPENINGS_OF_ADDRESS", few)
    hosts = (f"2001:db8::{number:x}" for number in itertools.count(1))
    return Scene(
        # A client with IPv6 has a whole network of addresses.
        go_on=lambda: opens_a_table(Client(), REMOTE_ADDR=next(hosts)),
        first=lambda: opens_a_table(Client(), REMOTE_ADDR=next(hosts)),
        others={"another address": lambda: opens_a_table(Client(), REMOTE_ADDR="2001:db8:0:1::1")},
    )


# The tests


# The admin


@scene("admin")
def pages_of_the_admin(world: World) -> Scene:
    world.few(site, "PAGES", "admin")
    here, other, visitor = operating(make_operator("Here")), operating(make_operator("Other")), Client()
    return Scene(
        go_on=lambda: opens(here, "/admin/"),
        first=lambda: opens(here, "/admin/"),
        others={
            "another operator": lambda: opens(other, "/admin/"),
            "the same operator on the site": lambda: opens(here, "/learn/"),
            "a visitor": lambda: opens(visitor, "/"),
        },
    )


@pytest.mark.parametrize("name", SCENES)
def test_whoever_hits_a_limit_holds_up_nobody_else(name, world):
    here = SCENES[name][1](world)
    judged = sum(itertools.takewhile(bool, (here.go_on() for _try in range(MOST_TRIES))))
    assert 0 < judged < MOST_TRIES, "tries are judged, and then they aren't"
    assert not here.first(), "by now everything from this client is refused"
    for who, is_served in here.others.items():
        assert is_served(), who


def test_every_limit_of_the_site_has_a_scene():
    there = set()
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in {"core", "games", "lessons", "classrooms", "setsite"}:
            for each in list(vars(module).values()):
                parts = [each.known, each.strange, each.browser] if isinstance(each, Budgets) else [each]
                there |= {part.name for part in parts if isinstance(part, RateLimit | Limit)}
    assert len(there) > 15
    assert there == {name for covered, _make in SCENES.values() for name in covered}
