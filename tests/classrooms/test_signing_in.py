"""Student sign-in by pictures or card; guessing is slowed down without locking anybody out."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from django.contrib.auth import get_user
from django.test import Client
from django.utils import timezone

from classrooms.accounts import signing_in
from classrooms.accounts.devices import let_new_devices_in, stop_new_devices
from classrooms.accounts.pictures import NAMES
from classrooms.classes.service import archive
from classrooms.classes.students import reset_student
from classrooms.models import DeviceStanding, Enrolment, PictureTry
from tests.classrooms.people import enrol, make_adult, make_classroom

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock_of_limits")]


@pytest.fixture
def mia() -> Enrolment:
    return enrol(make_classroom(make_adult()), "Mia Okafor", "Noah Brandt")[0]


def pad(enrolment: Enrolment) -> str:
    return f"/join/{enrolment.classroom.code}/{enrolment.pk}/"


def tap(client: Client, enrolment: Enrolment, *pictures: str, **more):
    """Tap pictures one after another, as on the page."""
    tapped: list[str] = []
    for picture in pictures:
        response = client.post(pad(enrolment), {"tapped": tapped, "picture": picture}, **more)
        tapped.append(picture)
    return response


def scan(client: Client, enrolment: Enrolment):
    """Scan the login card and tap the button."""
    client.get(card(enrolment))
    return client.post("/join/card/")


def wrong(enrolment: Enrolment) -> list[str]:
    return list(reversed(enrolment.student.pictures))


# By pictures


@pytest.mark.parametrize("on", [{}, {"headers": {"HX-Request": "true"}}], ids=["page", "htmx"])
def test_where_pictures_do_not_help_there_is_another_way_in_and_nothing_to_tap(mia, on):
    stop_new_devices(mia.classroom)
    stranger = tap(Client(), mia, *mia.student.pictures, **on)
    assert stranger.status_code == 422
    let_new_devices_in(mia.classroom, by=mia.classroom.teachers.get())
    client = Client()
    PictureTry.objects.bulk_create(
        [PictureTry(student=mia.student, classroom=mia.classroom, standing=DeviceStanding.NEW) for _try in range(100)]
    )
    PictureTry.objects.update(at=timezone.now() + timedelta(seconds=1))
    guesser = tap(client, mia, *wrong(mia), **on)
    assert guesser.status_code == 429
    for page in (stranger, guesser):
        assert "login card" in page.text
        assert "picture-button" not in page.text
        assert "Tap your three pictures" not in page.text
        # The response replaces the whole pad.
        assert page.headers.get("HX-Retarget") == ("#pad" if on else None)
    assert 'id="pad"' in client.get(pad(mia)).text


def test_the_teachers_button_never_shortens_a_first_day(mia):
    first_day = mia.classroom.new_devices_until
    let_new_devices_in(mia.classroom, by=mia.classroom.teachers.get())
    assert mia.classroom.new_devices_until == first_day


def test_a_code_a_name_and_three_pictures_let_a_child_in(client, mia):
    response = client.post("/join/", {"code": f" {mia.classroom.code.lower()} "})
    page = client.get(response.headers["Location"])
    assert page.text.index(">Mia<") < page.text.index(">Noah<")
    assert "Okafor" not in page.text
    response = tap(client, mia, *mia.student.pictures)
    assert (response.status_code, response.headers["Location"]) == (302, "/learn/")
    assert get_user(client) == mia.student


def test_the_pad_shows_what_was_tapped_and_lets_one_start_again(client, mia):
    first = mia.student.pictures[0]
    page = tap(client, mia, first)
    assert f'name="tapped" value="{first}"' in page.text
    page = client.post(pad(mia), {"tapped": [first], "again": "1"})
    assert 'name="tapped"' not in page.text
    assert get_user(client).is_anonymous


def test_with_htmx_only_the_pad_comes_back_and_in_the_end_another_page(client, mia):
    headers = {"HX-Request": "true"}
    page = tap(client, mia, mia.student.pictures[0], headers=headers)
    assert "<html" not in page.text
    done = client.post(pad(mia), {"tapped": mia.student.pictures}, headers=headers)
    assert done.headers["HX-Redirect"] == "/learn/"


def test_the_order_of_the_pictures_counts(client, mia):
    response = tap(client, mia, *wrong(mia))
    assert response.status_code == 422
    assert "try once more" in response.text
    assert get_user(client).is_anonymous


def test_what_a_guest_has_learned_is_the_childs_afterwards(client, mia):
    client.post("/learn/cards/four-features/")
    tap(client, mia, *mia.student.pictures)
    assert client.get("/learn/").context["path"][0].done == 1


@pytest.mark.parametrize("pictures", [[], ["cat", "dog", "cow"], ["sun", "sun", "sun"], ["sun"] * 50])
def test_pictures_that_are_none_are_refused_in_words(client, mia, pictures):
    response = client.post(pad(mia), {"tapped": pictures, "picture": "nonsense"})
    assert response.status_code in {200, 422}
    assert get_user(client).is_anonymous


def test_a_code_opens_nothing_by_itself(client, mia):
    client.get(f"/join/{mia.classroom.code}/")
    client.get(pad(mia))
    assert get_user(client).is_anonymous
    assert client.get(f"/teach/{mia.classroom.pk}/").status_code == 302


def test_a_code_that_no_class_has_is_told_in_words(client):
    response = client.post("/join/", {"code": "NOPE22"})
    assert response.status_code == 422
    assert "No class has this code" in response.text
    assert 'value="NOPE22"' in response.text
    assert client.get("/join/NOPE22/").status_code == 404


def test_a_class_in_the_archive_lets_nobody_in(client, mia):
    archive(mia.classroom, by=None)
    assert client.get(pad(mia)).status_code == 404
    assert tap(client, mia, *mia.student.pictures).status_code == 404


def test_a_child_of_another_class_is_not_found_by_this_code(client, mia):
    (other,) = enrol(make_classroom(make_adult(), "Class 3A"), "Zoe Stern")
    assert client.get(f"/join/{mia.classroom.code}/{other.pk}/").status_code == 404


# By card


def card(enrolment: Enrolment) -> str:
    return f"/join/card/{signing_in.card_token(enrolment.student)}/"


def test_a_card_asks_once_and_lets_in(client, mia):
    page = client.get(card(mia), follow=True)
    assert "Hello, Mia!" in page.text
    assert get_user(client).is_anonymous, "looking at an address changes nothing"
    assert client.post("/join/card/").headers["Location"] == "/learn/"
    assert get_user(client) == mia.student


def test_a_cards_token_is_in_no_address_that_a_page_is_shown_at(client, mia):
    answer = client.get(card(mia))
    assert (answer.status_code, answer.headers["Location"]) == (302, "/join/card/")
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "no-store" in answer.headers["Cache-Control"]
    assert client.post(card(mia)).status_code == 405
    page = client.get("/join/card/")
    assert signing_in.card_token(mia.student) not in page.text


def test_a_card_is_for_the_browser_that_scanned_it_and_for_ten_minutes(client, mia, monkeypatch):
    client.get(card(mia))
    assert Client().post("/join/card/").headers["Location"] == "/join/"
    now = time.time()
    monkeypatch.setattr(signing_in.time, "time", lambda: now + 601)
    assert client.post("/join/card/").headers["Location"] == "/join/"
    assert get_user(client).is_anonymous


def test_a_card_works_once_for_each_scan(client, mia):
    scan(client, mia)
    client.post("/account/logout/")
    assert client.post("/join/card/").headers["Location"] == "/join/"


def test_a_new_card_makes_the_old_one_worthless_and_ends_what_it_began(client, mia):
    old = card(mia)
    scan(client, mia)
    scanned = Client()
    scanned.get(old)
    reset_student(mia.student, by=make_adult(), classroom=mia.classroom)
    assert get_user(client).is_anonymous
    assert client.get(old).status_code == 404
    assert scanned.post("/join/card/").status_code == 404
    assert scan(client, mia).status_code == 302


@pytest.mark.parametrize("change", [lambda t: t[:-1] + ("0" if t[-1] != "0" else "1"), lambda t: "1" + t, str.upper])
def test_a_card_that_was_changed_is_none(client, mia, change):
    token = change(signing_in.card_token(mia.student))
    response = client.get(f"/join/card/{token}/")
    assert response.status_code == 404
    assert "This card is an old one" in response.text


def test_an_adult_has_no_card(client):
    assert client.get(f"/join/card/{signing_in.card_token(make_adult())}/").status_code == 404


# Guessing: see also tests/safety/test_guessing.py


def test_a_whole_lab_of_one_address_signs_in_at_once():
    classroom = make_classroom(make_adult())
    enrolments = enrol(classroom, *(f"Child{number} Lab" for number in range(30)))
    for enrolment in enrolments:
        tablet = Client()
        assert tap(tablet, enrolment, *wrong(enrolment)).status_code == 422
        assert tap(tablet, enrolment, *enrolment.student.pictures).status_code == 302


def test_every_picture_has_a_name_and_they_are_twelve(client, mia):
    page = client.get(pad(mia)).text
    assert len(NAMES) == 12
    for slug, name in NAMES.items():
        assert f'value="{slug}" class="picture-button" aria-label="{name}"' in page
