"""Codes: long enough, forgiving to type, and counted per client whether right or wrong."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.urls import get_resolver, resolve

from classrooms.accounts.signing_in import card_token
from classrooms.classes.service import new_code
from classrooms.classes.students import make_home_child
from classrooms.live import leading
from classrooms.models import Classroom, Enrolment, Session, User
from core.limits import RateLimit
from games import codes
from games.matches import service as matches
from games.models import Way
from games.players import Player
from games.rules import Options
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in
from tests.classrooms.test_signing_in import scan

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock_of_limits")]
ANN = Player(name="Ann", guest="a" * 32)
YEAR = 365


@pytest.fixture
def table() -> str:
    return matches.open_match(way=Way.TOGETHER, options=Options(window=None), player=ANN, now=time.time()).code


@pytest.fixture
def classroom() -> Classroom:
    return make_classroom(make_adult())


@pytest.fixture
def lesson(classroom) -> Session:
    return leading.open_session(classroom, by=classroom.teachers.get())


@pytest.fixture
def few(monkeypatch) -> None:
    """Limit an address to three wrong codes, so that tests needn't send three hundred."""
    monkeypatch.setattr(codes, "MISSES_OF_ADDRESS", RateLimit("few", (codes.Window(3, 600),)))


@pytest.fixture
def few_of_adult(monkeypatch) -> None:
    """Limit all students of one adult to fifteen wrong codes."""
    monkeypatch.setattr(codes, "MISSES_OF_STUDENTS", RateLimit("few-of-adult", (codes.Window(15, 600),)))


def exhaust(address: str = "127.0.0.1") -> None:
    """Use up an address's wrong codes, dropping cookies each time."""
    for number in range(3):
        Client(REMOTE_ADDR=address).get(f"/join/WRNG{number}/")


# Length


def test_every_new_code_has_nine_letters_of_twenty_eight(table, classroom, lesson):
    for code in (table, classroom.code, lesson.code):
        assert len(code) == codes.LENGTH == 9
        assert set(code) <= set(codes.LETTERS)
    assert len(set(codes.LETTERS)) == 28
    assert not set(codes.LETTERS) & set("AEIOU01")


def test_a_botnet_of_ten_thousand_addresses_needs_more_than_a_year_for_the_first_of_a_thousand_classes():
    misses_a_day = codes.MISSES_OF_ADDRESS.windows[-1]
    assert misses_a_day.seconds == 86_400
    expected = len(codes.LETTERS) ** codes.LENGTH / 1_000
    assert round(expected / 1e9, 1) == 10.6
    assert misses_a_day.most == 2_000
    assert round(expected / (10_000 * misses_a_day.most), -1) == 530 > YEAR


def test_a_code_that_is_taken_is_not_given_twice(monkeypatch):
    monkeypatch.setattr(codes, "LENGTH", 1)
    monkeypatch.setattr(codes, "LETTERS", "BCD")
    taken: set[str] = set()
    for _each in range(3):
        taken.add(codes.new_code(taken.__contains__))
    assert taken == set("BCD")


def test_a_class_with_an_old_short_code_still_opens_and_its_teacher_is_asked_to_renew_it(client, classroom):
    Classroom.objects.update(code="BCD234")
    assert client.post("/join/", {"code": "bcd 234"}).status_code == 302
    teacher = signed_in(classroom.teachers.get())
    assert "old, short code" in teacher.get(f"/teach/{classroom.pk}/").text
    classroom.refresh_from_db()
    new_code(classroom, by=classroom.teachers.get())
    assert "old, short code" not in teacher.get(f"/teach/{classroom.pk}/").text


# Typing


@pytest.mark.parametrize("typed", [str.lower, codes.grouped, lambda code: f" {code[:4]} {code[4:]} ", "-".join])
def test_a_code_may_be_typed_in_any_way(client, typed, table, classroom, lesson):
    for code, there in ((table, "/play/"), (classroom.code, "/join/"), (lesson.code, "/session/")):
        assert client.post("/join/", {"code": typed(code)}).headers["Location"] == f"{there}{code}/"
    assert client.post("/play/find/", {"code": typed(table)}).headers["Location"] == f"/play/{table}/"


def test_an_address_with_hyphens_opens_too(client, table, classroom, lesson):
    assert client.get(f"/play/{codes.grouped(table).lower()}/").status_code == 200
    assert client.get(f"/join/{codes.grouped(classroom.code).lower()}/").status_code == 200
    assert client.get(f"/session/{codes.grouped(lesson.code).lower()}/").status_code == 200


def test_codes_are_shown_in_groups(classroom):
    page = signed_in(classroom.teachers.get()).get(f"/teach/{classroom.pk}/settings/").text
    assert codes.grouped(classroom.code) in page


# Counting


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", "/join/{wrong}/"),
        ("get", "/session/{wrong}/"),
        ("get", "/session/{wrong}/part/"),
        ("post", "/session/{wrong}/act/"),
        ("get", "/play/{wrong}/"),
        ("get", "/play/{wrong}/hint/"),
        ("get", "/play/{wrong}/replay/"),
        ("post", "/play/{wrong}/join/"),
        ("post", "/play/{wrong}/call/"),
        ("post", "/play/{wrong}/leave/"),
        ("post", "/play/{wrong}/again/"),
    ],
)
def test_wrong_codes_are_counted_at_every_address_that_takes_one(method, path):
    answers = [getattr(Client(), method)(path.format(wrong=f"BCDFGHJK{number}")).status_code for number in range(2, 7)]
    assert answers[-2:] == [429, 429]
    assert 429 not in answers[:3]


def lookups(clock, seconds: int, every: float, *, client: Callable[[], HttpRequest]) -> int:
    """How many wrong codes are checked for a client that keeps trying for this long."""
    judged, end = 0, clock.now + seconds
    while clock.now < end:
        with suppress(codes.TooMany):
            codes.count_lookup(client(), found=False)
            judged += 1
        clock.now += every
    return judged


def from_address() -> HttpRequest:
    """A new browser each time, without cookies."""
    request = RequestFactory().get("/", REMOTE_ADDR="198.51.100.1")
    request.user = AnonymousUser()
    return request


@pytest.mark.parametrize(
    ("is_account", "at_once", "in_a_day"),
    [(False, (300, 600), 2_000), (True, (10, 60), 100)],
    ids=["address", "account"],
)
def test_so_many_wrong_codes_are_judged_and_not_one_more(clock_of_limits, is_account, at_once, in_a_day):
    user = make_adult()

    def from_account() -> HttpRequest:
        request = from_address()
        request.user = user
        return request

    client = from_account if is_account else from_address
    most, seconds = at_once
    assert lookups(clock_of_limits, seconds, seconds / most / 2, client=client) == most
    clock_of_limits.now += 3 * 86_400 - clock_of_limits.now % 86_400
    assert lookups(clock_of_limits, 86_400, 20 if not is_account else 300, client=client) == in_a_day


EVERYWHERE = [
    ("get", "/play/{table}/"),
    ("get", "/play/{table}/hint/"),
    ("get", "/play/{table}/replay/"),
    *(("post", f"/play/{{table}}/{action}/") for action in ("join", "deal", "call", "pick", "withdraw", "no-set")),
    *(("post", f"/play/{{table}}/{action}/") for action in ("take-back", "leave", "again")),
    ("get", "/session/{lesson}/"),
    ("get", "/session/{lesson}/door/"),
    ("get", "/session/{lesson}/part/"),
    ("get", "/session/{lesson}/paper/"),
    ("post", "/session/{lesson}/join/"),
    ("post", "/session/{lesson}/act/"),
    ("get", "/wall/{lesson}/BCDFGHJKLM/"),
    ("get", "/wall/{lesson}/BCDFGHJKLM/part/"),
    ("get", "/join/{classroom}/"),
    ("get", "/join/{classroom}/{enrolment}/"),
    ("post", "/join/{classroom}/{enrolment}/"),
    ("get", "/join/{lesson}/"),
]
LEADING = [
    *(("get", f"/teach/session/{{lesson}}/{page}") for page in ("remote/", "remote/part/", "screen/", "screen/part/")),
    *(("get", f"/teach/session/{{lesson}}/{page}") for page in ("report/", "report.csv", "report.xlsx", "paper.pdf")),
    ("get", "/teach/session/{lesson}/end/"),
    ("post", "/teach/session/{lesson}/do/pause/"),
    ("post", "/teach/session/{lesson}/teams/"),
    ("post", "/teach/session/{lesson}/paper-seats/"),
    ("post", "/teach/session/{lesson}/guests/1/admit/"),
    ("post", "/teach/session/{lesson}/seat/1/remove/"),
    ("post", "/teach/session/{lesson}/begin/triples/"),
    ("post", "/teach/session/{lesson}/steer/next/"),
]
"""URLs for signed-in adults: others are asked to sign in, whatever the code."""


def test_every_address_that_takes_a_code_is_tried_here():
    tried = {
        resolve(path.format(table="T", lesson="L", classroom="C", enrolment=1)).view_name
        for _, path in (*EVERYWHERE, *LEADING)
    }
    there = set()
    for namespace in ("play", "session", "wall", "join", "lead"):
        _prefix, resolver = get_resolver().namespace_dict[namespace]
        there |= {f"{namespace}:{each.name}" for each in resolver.url_patterns if "code" in str(each.pattern)}
    assert tried == there


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("is_guest", [False, True])
@pytest.mark.parametrize(("method", "path"), EVERYWHERE)
def test_past_the_limit_the_right_code_looks_like_a_wrong_one_everywhere(
    method, path, is_guest, table, classroom, lesson
):
    (mia,) = enrol(classroom, "Mia Okafor")
    Session.objects.update(allows_guests=True)
    exhaust()
    for right in (True, False):
        client = Client()
        if is_guest:
            client.post("/learn/cards/four-features/")
        real = {"table": table, "lesson": lesson.code, "classroom": classroom.code}
        words = real if right else dict.fromkeys(real, "BCDFGHJKL")
        assert getattr(client, method)(path.format(enrolment=mia.pk, **words)).status_code == 429


def statuses(client: Client, method: str, path: str, table: str, lesson: Session, enrolment: int) -> list[int]:
    """The status codes for a right and a wrong code."""
    right = {"table": table, "lesson": lesson.code, "classroom": lesson.classroom.code}
    wrong = dict.fromkeys(right, "BCDFGHJKL")
    return [getattr(client, method)(path.format(enrolment=enrolment, **words)).status_code for words in (right, wrong)]


def miss(client: Client, times: int = 10) -> int:
    """Try wrong codes; return how many were checked."""
    return sum(client.get(f"/play/BCDFGH{number:03}/").status_code == 404 for number in range(times))


@pytest.mark.parametrize(("method", "path"), [*EVERYWHERE, *LEADING])
def test_past_the_limit_the_right_code_looks_like_a_wrong_one_to_an_account(method, path, table, classroom, lesson):
    (mia,) = enrol(classroom, "Mia Okafor")
    account = signed_in(make_adult("Eve"))
    assert miss(account) == 10
    assert statuses(account, method, path, table, lesson, mia.pk) == [429, 429]


@pytest.mark.parametrize(("method", "path"), EVERYWHERE)
def test_past_the_limit_the_right_code_looks_like_a_wrong_one_to_a_known_tablet(method, path, table, lesson):
    (mia,) = enrol(lesson.classroom, "Mia Okafor")
    tablet = known_to(mia.student)
    assert miss(tablet) == 10
    assert statuses(tablet, method, path, table, lesson, mia.pk) == [429, 429]


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(("method", "path"), EVERYWHERE)
def test_past_the_limit_of_its_student_the_right_code_looks_like_a_wrong_one_to_a_fresh_browser(
    method, path, table, lesson
):
    (mia,) = enrol(lesson.classroom, "Mia Okafor")
    play_until_refused(mia.student)
    assert statuses(known_to(mia.student), method, path, table, lesson, mia.pk) == [429, 429]


@pytest.mark.parametrize(("method", "path"), LEADING)
def test_a_code_of_somebody_elses_lesson_counts_as_a_wrong_one(method, path, lesson):
    colleague = signed_in(make_adult("Eve"))
    answers = [getattr(colleague, method)(path.format(lesson=lesson.code)).status_code for _time in range(12)]
    assert answers == [404] * 10 + [429] * 2
    assert {status == 429 for status in statuses(colleague, method, path, "", lesson, 1)} == {True}


def test_the_teacher_of_a_lesson_is_never_counted(classroom, lesson, monkeypatch):
    monkeypatch.setattr(codes, "LOOKUPS", RateLimit("none", (codes.Window(0, 600),)))
    assert signed_in(classroom.teachers.get()).get(f"/teach/session/{lesson.code}/remote/").status_code == 200


# Browsers known by a student's sign-in


def known_to(student: User, **more: str) -> Client:
    """A new browser on which the student has just signed in by card and signed out."""
    browser = Client(**more)
    browser.get(f"/join/card/{card_token(student)}/")
    assert browser.post("/join/card/").status_code == 302
    browser.post("/account/logout/")
    return browser


def play_until_refused(*students: User) -> int:
    """Repeat: make a browser known, try wrong codes, drop its cookies; return how many were checked."""
    judged = 0
    for student in itertools.islice(itertools.cycle(students), 8):
        more = miss(known_to(student))
        judged += more
        if not more:
            break
    return judged


@pytest.mark.usefixtures("few")
def test_throwing_the_cookies_away_and_scanning_the_card_again_gives_no_more_tries(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    (of_student,) = codes.MISSES_OF_STUDENT.windows
    assert (of_student.most, of_student.seconds) == (30, 86_400)
    of_address = 3
    assert play_until_refused(mia.student) == of_student.most + of_address
    assert mia.student.devices.count() > 3, "each time another browser"


@pytest.mark.usefixtures("few", "few_of_adult")
@pytest.mark.parametrize("made", ["at home", "in a class", "in many classes"])
def test_students_that_somebody_makes_up_for_it_share_what_all_of_theirs_may_get_wrong(made):
    eve = make_adult("Eve")
    of_adult, of_address = 15, 3
    assert play_until_refused(*(a_child_of(eve, made) for _each in range(4))) == of_adult + of_address
    late = signed_in(a_child_of(eve, made))
    assert miss(late) == 0, "an account of theirs doesn't help either"


def a_child_of(adult: User, made: str) -> User:
    if made == "at home":
        return make_home_child("Leo", by=adult)
    taught = adult.classrooms_taught.first() if made == "in a class" else None
    (child,) = enrol(taught or make_classroom(adult), "Leo Stern")
    return child.student


@pytest.mark.usefixtures("few", "few_of_adult")
def test_students_who_have_left_every_class_share_one_budget():
    eve = make_adult("Eve")
    children = [a_child_of(eve, "in many classes") for _each in range(4)]
    Enrolment.objects.all().delete()
    assert play_until_refused(*children) == 15 + 3


@pytest.mark.usefixtures("few", "few_of_adult")
def test_nobody_closes_the_doors_for_known_tablets_with_students_made_up_for_it(classroom, table):
    (mia,) = enrol(classroom, "Mia Okafor")
    tablet = known_to(mia.student)
    eve = make_adult("Eve")
    play_until_refused(*(a_child_of(eve, "at home") for _each in range(4)))
    assert Client().get(f"/play/{table}/").status_code == 429, "the address has got too many wrong"
    assert tablet.get(f"/play/{table}/").status_code == 200
    assert tablet.get(f"/join/{classroom.code}/").status_code == 200
    assert signed_in(mia.student).get(f"/play/{table}/").status_code == 200


@pytest.mark.usefixtures("few")
def test_what_a_student_gets_wrong_holds_up_no_tablet_that_another_one_was_last_on(classroom, table):
    mia, noah = enrol(classroom, "Mia Okafor", "Noah Brandt")
    tablet = known_to(mia.student)
    play_until_refused(mia.student)
    assert tablet.get(f"/play/{table}/").status_code == 429
    tablet.get(f"/join/card/{card_token(noah.student)}/")
    tablet.post("/join/card/")
    tablet.post("/account/logout/")
    assert tablet.get(f"/play/{table}/").status_code == 200


def test_a_tablet_whose_student_got_too_many_wrong_counts_like_any_other_at_its_address(classroom, table, monkeypatch):
    monkeypatch.setattr(codes, "MISSES_OF_STUDENT", RateLimit("none", (codes.Window(0, 600),)))
    (mia,) = enrol(classroom, "Mia Okafor")
    assert known_to(mia.student).get(f"/play/{table}/").status_code == 200


def test_what_an_adult_with_made_up_students_gets_in_a_day():
    """The tests above prove the limits; this computes the document's number from them."""
    (of_adult,), own = codes.MISSES_OF_STUDENTS.windows, codes.MISSES.windows[-1]
    assert (of_adult.most, of_adult.seconds) == (1_000, 86_400)
    a_day = of_adult.most + own.most
    botnet = 10_000 * codes.MISSES_OF_ADDRESS.windows[-1].most
    assert round(botnet / a_day, -3) == 18_000
    assert len(codes.LETTERS) ** codes.LENGTH / 1_000 / a_day > 26_000 * YEAR


@pytest.mark.usefixtures("few")
def test_who_has_come_to_the_door_of_a_lesson_stays_there_whatever_others_at_the_address_try(lesson):
    client = Client()
    seen = client.get(f"/session/{lesson.code}/").context["door"]
    exhaust()
    assert Client().get(f"/session/{lesson.code}/").status_code == 429
    assert client.get(f"/session/{lesson.code}/").status_code == 200
    assert client.get(f"/session/{lesson.code}/door/", {"seen": seen}).status_code == 204


@pytest.mark.usefixtures("few")
def test_once_too_many_were_wrong_the_right_code_tells_nothing(table, classroom, lesson):
    exhaust()
    for path in (f"/play/{table}/", f"/session/{lesson.code}/", f"/join/{classroom.code}/"):
        assert Client().get(path).status_code == 429
        assert Client().get("/play/BCDFGHJKL/").status_code == 429
    assert Client().post("/join/", {"code": classroom.code}).status_code == 429
    assert Client(REMOTE_ADDR="192.0.2.7").get(f"/play/{table}/").status_code == 200


@pytest.mark.usefixtures("few")
def test_nobody_closes_the_doors_for_tablets_that_are_known(classroom, table):
    (mia,) = enrol(classroom, "Mia Okafor")
    tablet = Client()
    scan(tablet, mia)
    tablet.post("/account/logout/")
    exhaust()
    assert tablet.get(f"/join/{classroom.code}/").status_code == 200
    assert tablet.get(f"/play/{table}/").status_code == 200
    assert signed_in(make_adult()).get(f"/play/{table}/").status_code == 200


def test_a_known_tablet_and_an_account_are_held_up_by_themselves(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    tablet = Client()
    scan(tablet, mia)
    tablet.post("/account/logout/")
    for client in (tablet, signed_in(make_adult())):
        answers = [client.get(f"/play/BCDFGHJK{number}/").status_code for number in "23456789BCDF"]
        assert answers == [404] * 10 + [429] * 2


def test_who_sits_at_a_table_is_never_counted(table, monkeypatch):
    monkeypatch.setattr(codes, "LOOKUPS_OF_ADDRESS", RateLimit("none", (codes.Window(0, 600),)))
    client = Client()
    session = client.session
    session["guest"] = {"key": ANN.guest, "name": ANN.name}
    session.save()
    assert client.get(f"/play/{table}/").status_code == 200
    assert Client().get(f"/play/{table}/").status_code == 429


def test_a_school_of_a_thousand_comes_in_behind_one_address_within_ten_minutes(classroom):
    for number in range(1_000):
        # A quarter of the students mistype once.
        if number % 4 == 0:
            codes.MISSES_OF_ADDRESS.take("198.51.100.1")
        codes.LOOKUPS_OF_ADDRESS.take("198.51.100.1")
    assert Client(REMOTE_ADDR="198.51.100.1").get(f"/join/{classroom.code}/").status_code == 200


def test_who_mistypes_is_told_in_words(client):
    client.get("/join/")
    answers = [client.post("/join/", {"code": f"WRNG{number}"}) for number in range(12)]
    assert [answer.status_code for answer in answers] == [422] * 10 + [429] * 2
    assert "Too many tries" in answers[-1].text
    assert re.search(r"Wait (a minute|\d+ minutes), then try again", answers[-1].text)


# One code doesn't reveal another


def test_the_door_of_a_lesson_does_not_show_the_class_code(client, classroom, lesson):
    enrol(classroom, "Mia Okafor")
    door = client.get(f"/session/{lesson.code}/").text
    assert f"/join/{lesson.code}/" in door
    names = client.get(f"/join/{lesson.code}/").text
    pad = client.get(f"/join/{lesson.code}/{classroom.enrolments.get().pk}/").text
    for page in (door, names, pad):
        assert classroom.code not in page
    assert "Mia" in names


def test_the_code_of_a_lesson_that_is_over_opens_no_list_of_names(client, lesson):
    Session.objects.update(ended_at=lesson.opened_at)
    assert client.get(f"/join/{lesson.code}/").status_code == 404
