"""Guessing children's pictures: what an attacker gets in a month, without anybody being locked out by it.

There are 1,320 possible answers. The tests let attackers do all they can for a simulated month, count the guesses
checked per child, and compute how long it takes on average to find the first child's pictures. Guessing at few children
pays more than at many (two that share the guesses: 880, thirty: 1,277), so they try both, and the better one counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Container
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from django.contrib.auth import get_user
from django.core.cache import cache
from django.test import Client

from classrooms.accounts import devices, picture_guard
from classrooms.accounts.pictures import NAMES
from classrooms.classes.students import reset_student
from classrooms.live import leading
from classrooms.models import Action, AuditEntry, DeviceStanding, Enrolment, PictureTry, Session
from core.clients import COOKIE
from core.limits import TooMany
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in
from tests.classrooms.test_signing_in import scan, tap, wrong
from tests.test_settings import ROOT

pytestmark = pytest.mark.django_db
GUESSES = list(itertools.permutations(NAMES, 3))
YEAR = 365
SCHOOL_YEAR = 300
"""Days from September 1 to June 30."""


@pytest.fixture(autouse=True)
def clock(clock_of_limits: SimpleNamespace, monkeypatch) -> SimpleNamespace:
    monkeypatch.setattr("django.utils.timezone.now", lambda: datetime.fromtimestamp(clock_of_limits.now, UTC))
    return clock_of_limits


@pytest.fixture
def mia(clock) -> Enrolment:
    """A student in a class older than a day, with no lesson running."""
    made = enrol(make_classroom(make_adult()), "Mia Okafor", "Noah Brandt")[0]
    clock.now += 3 * 86_400
    return made


def known_tablet(*enrolments: Enrolment) -> Client:
    tablet = Client()
    for each in enrolments:
        assert scan(tablet, each).status_code == 302
        tablet.post("/account/logout/")
    return tablet


def open_door(enrolment: Enrolment) -> None:
    enrolment.classroom.refresh_from_db()
    devices.let_new_devices_in(enrolment.classroom, by=enrolment.classroom.teachers.get())


def guess_until_held_up(clock, clients, enrolment: Enrolment, most: int = 60) -> int:
    """Guess once a minute until refused; return how many guesses were checked."""
    for number, client in zip(range(most), clients, strict=False):
        clock.now += 61
        if tap(client, enrolment, *wrong(enrolment)).status_code == 429:
            return number
    return most


# What attackers get in a month


class Way(NamedTuple):
    """A way of guessing: the browsers used, and how each counts."""

    standing: DeviceStanding
    browsers: tuple[str, ...] = ("tablet",)
    last_user: str = ""


STRANGERS = Way(DeviceStanding.NEW, ("",))
ON_ONE_TABLET = Way(DeviceStanding.KNOWN)
AS_THEMSELVES = Way(DeviceStanding.SHARED, tuple(f"tablet-{number}" for number in range(4)), "noah")
ON_NEW_BROWSERS = Way(DeviceStanding.NEW)
A_FEW_DAYS = (0, 1, 2, 15, 29)
"""For budgets that are used up after two days and refill after thirty."""


def guess(clock, child: Enrolment, browser: str, way: Way) -> PictureTry | None:
    """Make one guess; None if it isn't checked."""
    clock.now += 0.001
    try:
        return picture_guard.take_try(child, browser, "192.0.2.7", way.standing, way.last_user)
    except TooMany:
        return None


def guess_before_sign_ins(clock, child: Enrolment, browser: str, way: Way) -> int:
    """Guess twice before each sign-in of the child, while that's free; return the number of guesses."""
    judged = 0
    for _sign_in in range(30):
        wrong_ones = [guess(clock, child, browser, way) for _guess in range(2)]
        judged += sum(tried is not None for tried in wrong_ones)
        right = guess(clock, child, browser, way)
        if right is None:
            return judged
        picture_guard.forgive(right, "192.0.2.7")
        if any(tried and not PictureTry.objects.get(pk=tried.pk).is_forgiven for tried in wrong_ones):
            return judged
    return judged


Played = list[list[int]]
"""The number of checked guesses by day and child."""


def play(
    clock,
    children: list[Enrolment],
    way: Way,
    *,
    days: int = 30,
    on: Container[int] = range(30),
    before_sign_ins: bool = False,
) -> Played:
    """Guess at each child in turn every day, or on some days, until refused."""
    played = []
    for day in range(days):
        judged = [0] * len(children)
        if day not in on:
            played.append(judged)
            clock.now += 86_400
            continue
        for number, child in enumerate(children):
            for browser in way.browsers:
                if before_sign_ins:
                    judged[number] += guess_before_sign_ins(clock, child, browser, way)
        for number, child in enumerate(children):
            for browser in way.browsers:
                while guess(clock, child, browser, way):
                    judged[number] += 1
        played.append(judged)
        clock.now += 86_400 if days > 1 else 0
    return played


def total(played: Played) -> int:
    return sum(map(sum, played))


def days_to_the_first(played: Played) -> float:
    """Days until the first child's pictures are found at this rate, never guessing the same twice."""
    tried, standing, days = [0] * len(played[0]), 1.0, 0.0
    for day in itertools.cycle(played):
        days += standing
        for child, guesses in enumerate(day):
            left = len(GUESSES) - tried[child]
            standing *= max(0, left - guesses) / left
            tried[child] += guesses
        if standing < 1e-6:
            return days
    raise AssertionError("never")


def in_years(days: float) -> float:
    return round(days / YEAR, 1)


def is_said(*words: str) -> bool:
    text = " ".join((ROOT / "docs" / "security.md").read_text(encoding="utf-8").split())
    return all(each in text for each in words)


@pytest.fixture
def thirty(clock, monkeypatch) -> list[Enrolment]:
    # The short-term limit only slows the attacker down, and there's all day.
    monkeypatch.setattr(picture_guard.RateLimit, "take", lambda limit, who: None)
    made = enrol(make_classroom(make_adult()), *(f"Child{number} Lab" for number in range(30)))
    clock.now += 3 * 86_400
    return made


def test_how_long_the_first_child_stands_is_worked_out_right():
    assert len(GUESSES) == 1_320
    one_a_day = [[1]]
    assert days_to_the_first(one_a_day) == pytest.approx(660.5)
    # After each round, the chance that none of the thirty has been found, because all are among the remaining answers.
    rounds = sum(((1_320 - tried) / 1_320) ** 30 for tried in range(1_320))
    one_a_day_at_thirty = [[1] * 30]
    assert days_to_the_first(one_a_day_at_thirty) == pytest.approx(rounds)


def test_strangers_need_more_than_a_school_year_for_the_first_child_of_a_class(clock, thirty):
    played = play(clock, thirty, STRANGERS)
    assert total(played) == 117
    assert max(sum(of_child) for of_child in zip(*played, strict=True)) <= 15
    days = days_to_the_first(played)
    assert days > SCHOOL_YEAR
    assert is_said(
        f"That's {round(days, -1):.0f} days for the first child of thirty", f"| {round(days, -1):.0f} days, "
    )


def test_a_stranger_who_wants_one_child_needs_years(clock, thirty):
    played = play(clock, thirty[:1], STRANGERS)
    assert total(played) == 15
    assert is_said(f"{in_years(days_to_the_first(played))} years for one given child on new devices")


def test_guesses_on_new_browsers_just_before_children_sign_in_are_few(clock, thirty):
    played = play(clock, thirty, ON_NEW_BROWSERS, on=range(0, 30, 7), before_sign_ins=True)
    assert PictureTry.objects.filter(is_forgiven=True).count() == 10
    assert total(played) <= 117 + 10
    assert is_said(f"10 more are forgiven in 30 days, which makes {round(days_to_the_first(played), -1):.0f} days")


def test_a_classmate_with_a_tablet_that_knows_all_thirty_needs_more_than_a_year(clock, thirty):
    played = play(clock, thirty, ON_ONE_TABLET, on=A_FEW_DAYS, before_sign_ins=True)
    assert total(played) == 30 + 20
    PictureTry.objects.all().delete()
    of_two = play(clock, thirty[:2], ON_ONE_TABLET, before_sign_ins=True)
    assert total(of_two) == 30 + 20
    days = min(days_to_the_first(played), days_to_the_first(of_two))
    assert days > YEAR
    assert is_said(f"That's {in_years(days)} years for the first child", f"| minutes | {in_years(days)} years |")


def test_a_classmate_who_wants_one_child_needs_years(clock, thirty):
    played = play(clock, thirty[:1], ON_ONE_TABLET, before_sign_ins=True)
    assert total(played) == 16 + 10
    days = days_to_the_first(played)
    assert days > 2 * YEAR
    assert is_said(f"{in_years(days)} years for one given child on it")


@pytest.mark.parametrize(
    ("way", "of_child", "of_all"),
    [(STRANGERS, 6, 93), (ON_ONE_TABLET, 8, 16), (AS_THEMSELVES._replace(browsers=("tablet",)), 8, 16)],
)
def test_in_a_day_there_are_so_many_guesses_for_a_child_and_for_all(clock, thirty, way, of_child, of_all):
    assert total(play(clock, thirty[:1], way, days=1)) == of_child
    assert total(play(clock, thirty, way, days=1)) == of_all - of_child


def test_whoever_makes_a_new_shared_tablet_each_time_gains_nothing(clock, thirty):
    """A former hole: dropping the cookies and signing in as oneself gave a new budget with every sign-in."""
    played = play(clock, thirty[:3], AS_THEMSELVES)
    assert total(played) == 30
    PictureTry.objects.all().delete()
    of_one = play(clock, thirty[:1], AS_THEMSELVES, before_sign_ins=True)
    assert total(of_one) == 30 + 10
    days = days_to_the_first(of_one)
    assert days > YEAR
    assert is_said(f"30 in 30 days on all of them, and 10 that are forgiven. That's {in_years(days)} years")


def test_a_cart_of_tablets_is_as_weak_as_our_documents_say(clock, thirty):
    of_two = play(clock, thirty[:2], ON_ONE_TABLET, days=2)
    stand = [1 - 30 * sum(of_child) / len(GUESSES) for of_child in zip(*of_two, strict=True)]
    chance = round(100 * (1 - stand[0] * stand[1]))
    assert is_said(f"gets one of them within two days with a chance of {chance} %")


def test_guessing_just_before_children_sign_in_leaves_traces_and_the_teacher_is_told(clock, mia):
    """A former hole: 400 wrong guesses in ten days on a tablet of ten children left no trace."""
    children = enrol(mia.classroom, *(f"Child{number} Lab" for number in range(10)))
    tablet, judged, page = known_tablet(*children), 0, ""
    for _day in range(3):
        for child in children:
            for _guess in range(4):
                clock.now += 16
                judged += tap(tablet, child, *wrong(child)).status_code == 422
            clock.now += 61
            tap(tablet, child, *child.student.pictures)
            tablet.post("/account/logout/")
        page = page or signed_in(mia.classroom.teachers.get()).get(f"/teach/{mia.classroom.pk}/").text
        clock.now += 80_000
    assert judged <= 30 + 20
    assert PictureTry.objects.count() == judged
    assert "Pictures in this class were wrong" in page


def test_a_tablet_that_knows_the_child_gives_no_more_guesses_however_often_somebody_signs_in(clock, mia):
    """A former hole, step by step: guess, sign in as oneself, guess again; that gave 957 guesses in 190 seconds."""
    noah = mia.classroom.enrolments.get(real_name="Noah Brandt")
    tablet, judged = known_tablet(mia, noah), 0
    for _round in range(20):
        for _guess in range(3):
            clock.now += 61
            judged += tap(tablet, mia, *wrong(mia)).status_code == 422
        scan(tablet, noah)
        tablet.post("/account/logout/")
    assert judged == 8


def test_tries_at_the_same_moment_do_not_get_past_the_budget_together(thirty, monkeypatch):
    """Simulate that all read the budget before the first try was counted."""
    fits = picture_guard._fits
    monkeypatch.setattr(picture_guard, "_fits", lambda tried, more: more == 1 or fits(tried, more=more))
    judged = 0
    for _guess in range(12):
        try:
            picture_guard.take_try(thirty[0], "tablet", "", DeviceStanding.KNOWN, "")
            judged += 1
        except TooMany:
            continue
    assert judged == picture_guard.CHILD_ON_DEVICE.day


# New devices


def test_on_a_new_device_pictures_open_nothing_while_the_door_is_closed(client, mia):
    assert "You're new on this device" in client.get(f"/join/{mia.classroom.code}/{mia.pk}/").text
    assert tap(client, mia, *mia.student.pictures).status_code == 422
    assert get_user(client).is_anonymous
    assert not PictureTry.objects.exists()


def test_the_teachers_button_lets_new_devices_in_for_an_hour(clock, client, mia):
    teacher = signed_in(mia.classroom.teachers.get())
    page = teacher.get(f"/teach/{mia.classroom.pk}/")
    assert "pictures only work on devices a student has used before" in page.text
    teacher.post(f"/teach/{mia.classroom.pk}/new-devices/")
    assert "students can sign in with their pictures on any device" in teacher.get(f"/teach/{mia.classroom.pk}/").text
    assert AuditEntry.objects.filter(action=Action.LET_NEW_DEVICES_IN, classroom=mia.classroom.pk).exists()
    clock.now += 3_500
    assert tap(client, mia, *mia.student.pictures).status_code == 302
    clock.now += 200
    assert tap(Client(), mia, *mia.student.pictures).status_code == 422
    clock.now += 86_400
    client.post("/account/logout/")
    assert tap(client, mia, *mia.student.pictures).status_code == 302, "this one is known now"


def test_a_teacher_closes_it_at_once(mia):
    open_door(mia)
    signed_in(mia.classroom.teachers.get()).post(f"/teach/{mia.classroom.pk}/new-devices/stop/")
    assert tap(Client(), mia, *mia.student.pictures).status_code == 422


def test_a_running_lesson_lets_new_devices_in_and_one_that_nobody_ended_does_not(clock, mia):
    lesson = leading.open_session(mia.classroom, by=mia.classroom.teachers.get())
    Session.objects.filter(pk=lesson.pk).update(opened_at=datetime.fromtimestamp(clock.now, UTC))
    assert tap(Client(), mia, *mia.student.pictures).status_code == 302
    clock.now += 13 * 3_600
    assert tap(Client(), mia, *mia.student.pictures).status_code == 422


def test_a_new_class_comes_in_on_any_device_on_its_first_day():
    (child,) = enrol(make_classroom(make_adult()), "Zoe Stern")
    assert tap(Client(), child, *child.student.pictures).status_code == 302


def test_strangers_share_their_guesses_at_one_child_whatever_browsers_they_pretend_to_be(clock, mia):
    open_door(mia)
    judged = guess_until_held_up(clock, (Client() for _each in itertools.count()), mia)
    assert judged == 6
    assert tap(Client(), mia, *mia.student.pictures).status_code == 429
    cache.clear()
    assert tap(Client(), mia, *mia.student.pictures).status_code == 429, "a restart forgets nothing"


def test_a_browser_id_that_we_did_not_sign_is_a_new_device(mia):
    tablet = known_tablet(mia)
    forged = Client()
    forged.cookies[COOKIE] = tablet.cookies[COOKIE].value[:-1] + "x"
    assert tap(forged, mia, *mia.student.pictures).status_code == 422
    assert tap(tablet, mia, *mia.student.pictures).status_code == 302


# Nobody is locked out


def test_what_strangers_use_up_holds_up_no_known_tablet_and_no_card(clock, mia):
    tablet = known_tablet(mia)
    open_door(mia)
    guess_until_held_up(clock, (Client() for _each in itertools.count()), mia)
    assert tap(Client(), mia, *mia.student.pictures).status_code == 429
    assert tap(tablet, mia, *mia.student.pictures).status_code == 302
    assert scan(Client(), mia).status_code == 302


def test_what_a_classmate_uses_up_on_one_tablet_holds_up_no_other_tablet_and_no_card(clock, mia):
    shared, own = known_tablet(mia), known_tablet(mia)
    guess_until_held_up(clock, itertools.repeat(shared), mia)
    assert tap(shared, mia, *mia.student.pictures).status_code == 429
    assert tap(own, mia, *mia.student.pictures).status_code == 302
    assert scan(shared, mia).status_code == 302


def test_when_new_devices_are_used_up_the_teachers_button_helps(clock, mia):
    open_door(mia)
    guess_until_held_up(clock, (Client() for _each in itertools.count()), mia)
    open_door(mia)
    clock.now += 61
    assert tap(Client(), mia, *mia.student.pictures).status_code == 302


def test_the_teachers_button_allows_a_few_more_tries_even_where_the_month_is_used_up(clock, thirty):
    play(clock, thirty, STRANGERS)
    clock.now -= 86_400
    for _time in range(2):
        clock.now += 1
        open_door(thirty[0])
        thirty[0].classroom.refresh_from_db()
        for each in thirty:
            each.classroom = thirty[0].classroom
        assert total(play(clock, thirty[:1], STRANGERS, days=1)) == 3
        # The other nine of the class at two or three children, then one at each.
        assert 9 + 26 <= total(play(clock, thirty[1:], STRANGERS, days=1)) <= 9 + 27
    assert is_said(
        "12 more tries for the class (3 for a child), and one for each child: at most 40 in a class of thirty"
    )


def test_whoever_goes_round_the_class_on_new_devices_locks_nobody_else_out_and_the_teacher_is_told(clock, mia):
    """A former hole: after 40 guesses at others, nobody could use a new device for thirty days, and nobody was told."""
    classroom, teacher = mia.classroom, signed_in(mia.classroom.teachers.get())
    others = enrol(classroom, *(f"Child{number} Lab" for number in range(8)))
    used_up = "Many wrong pictures were tried on new devices"
    assert used_up not in teacher.get(f"/teach/{classroom.pk}/").text
    for day in range(3):
        open_door(mia)
        clock.now += 1
        for child in others:
            guess_until_held_up(clock, (Client() for _each in itertools.count()), child)
        page = teacher.get(f"/teach/{classroom.pk}/").text
        assert used_up in page
        assert day > 0 or "Pictures in this class were wrong" in page
        device = Client()
        assert tap(device, mia, *wrong(mia)).status_code == 422, "judged, not refused"
        assert tap(device, mia, *mia.student.pictures).status_code == 302
        clock.now += 86_400


def test_the_class_has_its_tries_on_new_devices_again_after_a_week(clock, thirty):
    everybody_twice = play(clock, thirty, STRANGERS, days=2)
    assert total(everybody_twice) == 93
    clock.now += 6 * 86_400
    assert total(play(clock, thirty, STRANGERS, days=1)) == 6


def test_after_the_teachers_button_a_child_gets_in_though_others_were_guessed_at_first(clock, thirty):
    play(clock, thirty, STRANGERS, days=2)
    open_door(thirty[0])
    thirty[0].classroom.refresh_from_db()
    for each in thirty:
        each.classroom = thirty[0].classroom
    play(clock, thirty[:-1], STRANGERS, days=1)
    assert guess(clock, thirty[-1], "", STRANGERS), "judged"


def test_a_child_who_mistypes_once_each_school_day_is_never_locked_out(clock, mia):
    tablet = known_tablet(mia)
    for day in range(90):
        if day % 7 < 5:
            assert tap(tablet, mia, *wrong(mia)).status_code == 422
            assert tap(tablet, mia, *mia.student.pictures).status_code == 302, day
            tablet.post("/account/logout/")
        clock.now += 86_400


def test_on_a_new_tablet_a_child_who_gets_it_right_the_third_time_has_used_up_nothing(clock, mia):
    open_door(mia)
    tablet = Client()
    tablet.get(f"/join/{mia.classroom.code}/{mia.pk}/")
    assert [tap(tablet, mia, *wrong(mia)).status_code for _mistake in range(2)] == [422, 422]
    assert tap(tablet, mia, *mia.student.pictures).status_code == 302
    assert list(PictureTry.objects.values_list("is_forgiven", flat=True)) == [True, True]


def test_the_right_pictures_make_good_two_wrong_tries_and_not_more(clock, mia):
    tablet = known_tablet(mia)
    for _mistake in range(3):
        clock.now += 1
        tap(tablet, mia, *wrong(mia))
    tap(tablet, mia, *mia.student.pictures)
    assert list(PictureTry.objects.order_by("at").values_list("is_forgiven", flat=True)) == [False, True, True]


def test_getting_it_right_later_or_elsewhere_makes_nothing_good(clock, mia):
    tablet, other = known_tablet(mia), known_tablet(mia)
    tap(tablet, mia, *wrong(mia))
    tap(other, mia, *mia.student.pictures)
    clock.now += 1_000
    tap(tablet, mia, *mia.student.pictures)
    assert list(PictureTry.objects.values_list("is_forgiven", flat=True)) == [False]


def test_a_child_who_taps_without_looking_waits_a_minute_and_not_a_day(clock, mia):
    tablet = known_tablet(mia)
    answers = [tap(tablet, mia, *wrong(mia)).status_code for _guess in range(6)]
    assert answers == [422] * 4 + [429] * 2
    clock.now += 121
    assert tap(tablet, mia, *mia.student.pictures).status_code == 302


# Who is told


def test_the_teacher_is_told_on_the_class_page_and_in_the_log(clock, mia):
    tablet = known_tablet(mia)
    guess_until_held_up(clock, itertools.repeat(tablet), mia)
    page = signed_in(mia.classroom.teachers.get()).get(f"/teach/{mia.classroom.pk}/")
    assert "Someone got Mia's pictures wrong 8 times today" in page.text
    entries = AuditEntry.objects.filter(action=Action.GUESSED_PICTURES, person=mia.student.pk)
    assert [entry.amount for entry in entries] == [8], "once a day, not once a guess"


@pytest.mark.parametrize(("tries", "is_told"), [(4, False), (5, True)])
@pytest.mark.parametrize("is_forgiven", [False, True])
def test_the_teacher_is_told_from_the_fifth_wrong_try_at_a_child_on(clock, mia, tries, is_told, is_forgiven):
    for _try in range(tries):
        tried = guess(clock, mia, "tablet", ON_ONE_TABLET)
        PictureTry.objects.filter(pk=tried.pk).update(is_forgiven=is_forgiven)
        clock.now += 61
    page = signed_in(mia.classroom.teachers.get()).get(f"/teach/{mia.classroom.pk}/").text
    assert (f"Someone got Mia's pictures wrong {tries} times today" in page) is is_told


@pytest.mark.parametrize(("tries", "is_told"), [(19, False), (20, True)])
def test_the_teacher_is_told_from_the_twentieth_wrong_try_in_a_class_on(clock, thirty, tries, is_told):
    for child in thirty[:tries]:
        tried = guess(clock, child, f"tablet of {child.pk}", ON_ONE_TABLET)
        PictureTry.objects.filter(pk=tried.pk).update(is_forgiven=child.pk % 2)
    classroom = thirty[0].classroom
    page = signed_in(classroom.teachers.get()).get(f"/teach/{classroom.pk}/").text
    assert (f"Pictures in this class were wrong {tries} times today" in page) is is_told
    assert "pictures wrong" not in page
    clock.now += 86_400
    assert picture_guard.class_notice(classroom) is None


def test_new_pictures_begin_with_new_budgets_and_without_devices(clock, mia):
    tablet = known_tablet(mia)
    guess_until_held_up(clock, itertools.repeat(tablet), mia)
    reset_student(mia.student, by=mia.classroom.teachers.get(), classroom=mia.classroom)
    assert not PictureTry.objects.exists()
    assert tap(tablet, mia, *mia.student.pictures).status_code == 422, "it's a new device again"


def test_tries_and_devices_are_forgotten_when_nothing_counts_them_anymore(clock, mia):
    tablet = known_tablet(mia)
    tap(tablet, mia, *wrong(mia))
    now = datetime.fromtimestamp(clock.now, UTC)
    picture_guard.forget_old(now + timedelta(days=31))
    devices.forget_old(now + timedelta(days=401))
    assert not PictureTry.objects.exists()
    assert not mia.student.devices.exists()
