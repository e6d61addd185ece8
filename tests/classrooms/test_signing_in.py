"""A student's way in, by pictures or by card; and how guessing is held up without locking anybody out."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user
from django.test import Client

from classrooms import signing_in
from classrooms.classes import archive
from classrooms.models import Enrolment
from classrooms.pictures import NAMES
from classrooms.students import reset_student
from tests.classrooms.people import enrol, make_adult, make_classroom

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock_of_limits")]


@pytest.fixture
def mia() -> Enrolment:
    return enrol(make_classroom(make_adult()), "Mia Okafor", "Noah Brandt")[0]


def pad(enrolment: Enrolment) -> str:
    return f"/join/{enrolment.classroom.code}/{enrolment.pk}/"


def tap(client: Client, enrolment: Enrolment, *pictures: str, **more):
    """Tap one picture after the other, as the page has it."""
    tapped: list[str] = []
    for picture in pictures:
        response = client.post(pad(enrolment), {"tapped": tapped, "picture": picture}, **more)
        tapped.append(picture)
    return response


def wrong(enrolment: Enrolment) -> list[str]:
    return list(reversed(enrolment.student.pictures))


# By pictures


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


@pytest.mark.parametrize("pictures", [[], ["cat", "dog", "cow"], ["sun", "sun", "sun"], ["sun"] * 50, ["\0"]])
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
    page = client.get(card(mia))
    assert "Hello, Mia!" in page.text
    assert get_user(client).is_anonymous, "looking at an address changes nothing"
    assert client.post(card(mia)).headers["Location"] == "/learn/"
    assert get_user(client) == mia.student


def test_a_new_card_makes_the_old_one_worthless_and_ends_what_it_began(client, mia):
    old = card(mia)
    client.post(old)
    reset_student(mia.student, by=make_adult(), classroom=mia.classroom)
    assert get_user(client).is_anonymous
    for method in (client.get, client.post):
        assert method(old).status_code == 404
    assert client.post(card(mia)).status_code == 302


@pytest.mark.parametrize("change", [lambda t: t[:-1] + ("0" if t[-1] != "0" else "1"), lambda t: "1" + t, str.upper])
def test_a_card_that_was_changed_is_none(client, mia, change):
    token = change(signing_in.card_token(mia.student))
    response = client.post(f"/join/card/{token}/")
    assert response.status_code == 404
    assert "This card is an old one" in response.text


def test_an_adult_has_no_card(client):
    assert client.post(f"/join/card/{signing_in.card_token(make_adult())}/").status_code == 404


# Guessing


def test_a_browser_that_guesses_is_held_up_and_told_so(client, mia):
    for _guess in range(signing_in.WRONG_OF_BROWSER.most):
        assert tap(client, mia, *wrong(mia)).status_code == 422
    held_up = tap(client, mia, *mia.student.pictures)
    assert held_up.status_code == 429
    assert "Wait a minute" in held_up.text
    assert get_user(client).is_anonymous


def test_a_classmate_who_guesses_holds_up_neither_another_child_nor_another_browser(client, mia):
    noah = mia.classroom.enrolments.get(real_name="Noah Brandt")
    for _guess in range(signing_in.WRONG_OF_BROWSER.most + 1):
        tap(client, mia, *wrong(mia))
    assert tap(client, noah, *noah.student.pictures).status_code == 302
    assert tap(Client(), mia, *mia.student.pictures).status_code == 302


def guess_from_everywhere(enrolment: Enrolment) -> None:
    for guess in range(signing_in.WRONG_OF_STUDENT.most):
        stranger = Client()
        stranger.cookies["csrftoken"] = f"browser{guess:025}"
        assert tap(stranger, enrolment, *wrong(enrolment)).status_code == 422


def test_many_guesses_from_many_browsers_hold_up_strange_browsers(mia):
    guess_from_everywhere(mia)
    assert tap(Client(), mia, *mia.student.pictures).status_code == 429


def test_nobody_can_lock_a_child_out_of_a_tablet_that_knows_it_or_out_of_its_card(mia):
    tablet = Client()
    tap(tablet, mia, *mia.student.pictures)
    tablet.post("/account/logout/")
    guess_from_everywhere(mia)
    assert tap(tablet, mia, *mia.student.pictures).status_code == 302
    assert Client().post(card(mia)).status_code == 302


def test_a_whole_lab_of_one_address_signs_in_at_once():
    classroom = make_classroom(make_adult())
    enrolments = enrol(classroom, *(f"Child{number} Lab" for number in range(30)))
    for enrolment in enrolments:
        tablet = Client()
        assert tap(tablet, enrolment, *wrong(enrolment)).status_code == 422
        assert tap(tablet, enrolment, *enrolment.student.pictures).status_code == 302


def test_codes_are_not_tried_out_one_after_the_other(client):
    client.cookies["csrftoken"] = "b" * 32
    statuses = [client.post("/join/", {"code": f"WRNG{number}"}).status_code for number in range(12)]
    assert statuses == [422] * signing_in.WRONG_CODES.most + [429] * 2


def test_every_picture_has_a_name_and_they_are_twelve(client, mia):
    page = client.get(pad(mia)).text
    assert len(NAMES) == 12
    for slug, name in NAMES.items():
        assert f'value="{slug}" class="picture-button" aria-label="{name}"' in page
