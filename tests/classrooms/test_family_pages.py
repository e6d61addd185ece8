"""The guardian's pages: content, actions and permissions."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from classrooms.accounts import guardians
from classrooms.accounts.signing_in import card_token
from classrooms.classes.students import make_home_child
from classrooms.models import Action, AuditEntry, Guardianship, User
from classrooms.reports.family import CAN, LEARNING, TOGETHER, child_report, child_reports, who_can_see
from classrooms.reports.mailings import stop_token
from games.rules import Feature, is_set
from lessons.skills import ExerciseKind, Skill
from tests.builders.pages import text_of
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in
from tests.classrooms.tries import DAY, NOW, a_set, answered, broken_by

pytestmark = pytest.mark.django_db

MOMENT = datetime.fromtimestamp(NOW, UTC)


@pytest.fixture(autouse=True)
def _no_counts():
    cache.clear()


@pytest.fixture
def ada() -> User:
    return make_adult("Ada")


@pytest.fixture
def child(ada) -> User:
    return make_home_child("Zoe", by=ada)


def pupil_of(parent: User) -> User:
    """A child whose account the school manages."""
    classroom = make_classroom(make_adult("Rivera"))
    student = enrol(classroom, "Mia Okafor")[0].student
    guardians.use_code(guardians.make_code(student, by=classroom.teachers.get()), by=parent)
    return student


def sure_of_sets(child: User, *, at: float = NOW - DAY) -> None:
    for number in range(12):
        answered(child, ExerciseKind.IS_SET, a_set(number), {"yes": True}, at=at + number)


# What the report says


def test_a_child_who_never_practiced_has_not_started(child):
    report = child_report(child, MOMENT)
    assert report.in_a_sentence == "Zoe has not started yet."
    assert (report.can, report.learning, report.practiced_days) == ((), (), [])


def test_the_report_says_what_a_child_can_and_learns(child):
    sure_of_sets(child)
    answered(child, ExerciseKind.WHICH_BREAKS, broken_by(Feature.COLOR), {"breaks": "shape"}, at=NOW - 60)
    report = child_report(child, MOMENT)
    assert CAN[Skill.IS_SET] in report.can
    assert LEARNING[Skill.WHICH_BREAKS] in report.learning
    assert str(LEARNING[Skill.IS_SET]) not in map(str, report.learning)
    assert report.last_practiced == datetime.fromtimestamp(NOW - 60, UTC)


def test_every_skill_and_every_feature_has_its_words():
    assert set(CAN) == set(LEARNING) == set(Skill)
    assert set(TOGETHER) == set(Feature)


@pytest.mark.parametrize("feature", Feature)
def test_the_kitchen_table_is_for_the_feature_that_is_missed(child, feature):
    for number in range(3):
        answered(child, ExerciseKind.IS_SET, broken_by(feature, skip=number), {"yes": True})
    table = child_report(child, MOMENT).table
    assert table.feature is feature
    assert [each.feature for each in table.verdict.broken] == [feature]
    kept = [card for card in table.cards if card is not table.odd]
    assert is_set(*kept, table.mended)


def test_the_cards_stay_for_a_week_and_then_are_others(child):
    monday = datetime(2027, 1, 11, 8, tzinfo=UTC)
    cards = [child_report(child, monday + timedelta(days=days)).table.cards for days in (0, 6, 7)]
    assert cards[0] == cards[1] != cards[2]


def test_the_calendar_shows_four_weeks_of_days_with_practice(child):
    for days in (1, 3, 3, 40):
        answered(child, ExerciseKind.IS_SET, a_set(days), {"yes": True}, at=NOW - days * DAY)
    report = child_report(child, MOMENT)
    expected = [(MOMENT - timedelta(days=days)).date() for days in (3, 1)]
    assert report.practiced_days == expected
    assert [week[0].day.weekday() for week in report.weeks] == [0, 0, 0, 0]
    assert report.weeks[-1][-1].day == MOMENT.date()


def test_ten_children_take_as_many_queries_as_one(ada, django_assert_num_queries):
    children = [make_home_child(f"Child {number}", by=ada) for number in range(10)]
    for each in children:
        sure_of_sets(each)
    with django_assert_num_queries(13) as queries:
        child_reports(children[:1], MOMENT)
    with django_assert_num_queries(len(queries)):
        child_reports(children, MOMENT)


def test_who_can_see_a_student_are_guardians_and_teachers(ada):
    student = pupil_of(ada)
    assert [(each.name, each.why) for each in who_can_see(student)] == [
        ("Ada", "guardian"),
        ("Rivera", "teaches Class 2B"),
    ]


# The pages


def test_strangers_are_asked_to_sign_in_and_students_find_nothing(client, child):
    assert client.get("/family/").status_code == 302
    assert client.get(f"/family/{child.pk}/").status_code == 302
    assert signed_in(child).get("/family/").status_code == 404
    assert signed_in(child).get(f"/family/{child.pk}/").status_code == 404


def test_the_first_visit_shows_two_ways_to_begin(ada):
    text = text_of(signed_in(ada).get("/family/"))
    assert "There are two ways to begin" in text


def test_the_home_page_has_one_card_a_child(ada, child):
    make_home_child("Yan", by=ada)
    text = text_of(signed_in(ada).get("/family/"))
    assert "Zoe has not started yet." in text
    assert "Yan has not started yet." in text


def test_every_row_of_the_calendar_has_seven_days_also_of_the_week_that_is_not_over(ada, child):
    page = signed_in(ada).get(f"/family/{child.pk}/").text
    rows = re.search(r'<table class="calendar">.*?<tbody>(.*?)</tbody>', page, re.DOTALL)[1].split("</tr>")[:-1]
    assert [row.count("<td>") for row in rows] == [7, 7, 7, 7]


def test_a_code_leads_to_the_child(ada):
    classroom = make_classroom(make_adult("Rivera"))
    student = enrol(classroom, "Mia Okafor")[0].student
    code = guardians.make_code(student, by=classroom.teachers.get())
    response = signed_in(ada).post("/family/code/", {"code": code})
    assert response["Location"] == f"/family/{student.pk}/"


def test_a_wrong_code_is_told_and_stays_in_the_field(ada):
    response = signed_in(ada).post("/family/code/", {"code": "BCDFG-HJKLM"})
    assert response.status_code == 422
    assert "We do not know this code." in text_of(response)
    assert 'value="BCDFG-HJKLM"' in response.content.decode()


def test_a_guardian_makes_an_account_at_home(ada):
    response = signed_in(ada).post("/family/children/", {"display_name": "  Zoe \u202e ", "consent": "on"})
    made = User.objects.get(is_home=True)
    assert made.display_name == "Zoe"
    assert response["Location"] == f"/family/{made.pk}/"


@pytest.mark.parametrize("name", ["", "   ", "\u200b", "shit", "x" * 41])
def test_a_name_that_does_not_fit_makes_no_account(ada, name):
    assert signed_in(ada).post("/family/children/", {"display_name": name, "consent": "on"}).status_code == 422
    assert not User.objects.filter(is_home=True).exists()


def test_the_page_of_a_child_is_for_its_guardians_only(ada, child):
    bea = make_adult("Bea")
    assert signed_in(ada).get(f"/family/{child.pk}/").status_code == 200
    for page in ("", "together/", "unlink/"):
        assert signed_in(bea).get(f"/family/{child.pk}/{page}").status_code == 404
    for page in ("letter/", "invite/", "card/", "reset/", "unlink/"):
        assert signed_in(bea).post(f"/family/{child.pk}/{page}").status_code == 404


def test_a_deleted_child_is_not_there(ada, child):
    User.objects.filter(pk=child.pk).update(deleted_at=MOMENT)
    assert signed_in(ada).get(f"/family/{child.pk}/").status_code == 404
    assert "Zoe" not in text_of(signed_in(ada).get("/family/"))


def test_the_page_of_a_child_tells_no_rank_no_percentage_and_no_other_child(ada):
    student = pupil_of(ada)
    enrol(student.classrooms_joined.get(), "Ben Classmate")
    sure_of_sets(student)
    text = text_of(signed_in(ada).get(f"/family/{student.pk}/"))
    assert "Ben" not in text
    assert "%" not in text
    assert "Okafor" not in text


def test_the_page_shows_three_cards_and_who_can_see(ada, child):
    page = signed_in(ada).get(f"/family/{child.pk}/")
    assert page.content.decode().count('<span class="card">') == 3
    assert "Ada guardian" in text_of(page)


def test_the_activity_can_be_printed(ada, child):
    page = signed_in(ada).get(f"/family/{child.pk}/together/")
    assert page.content.decode().count('<span class="card">') == 3
    assert "One way to make it a SET" in text_of(page)


def test_the_letter_is_stopped_and_wanted_again(ada, child):
    client = signed_in(ada)
    client.post(f"/family/{child.pk}/letter/", {"wants": "0"})
    assert not child.guardian_links.get().wants_letter
    client.post(f"/family/{child.pk}/letter/", {"wants": "1"})
    assert child.guardian_links.get().wants_letter


def test_a_guardian_prints_the_card_of_a_home_child_and_it_is_noted(ada, child):
    page = signed_in(ada).post(f"/family/{child.pk}/card/")
    assert reverse("join:card", args=[card_token(child)]) in page.content.decode()
    assert AuditEntry.objects.filter(action=Action.PRINTED_CARDS, person=child.pk, actor=ada.pk).exists()


def test_a_new_card_ends_the_old_one(ada, child):
    old = card_token(child)
    signed_in(ada).post(f"/family/{child.pk}/reset/")
    child.refresh_from_db()
    assert card_token(child) != old
    assert Client().get(reverse("join:card", args=[old])).status_code == 404


def test_another_guardian_comes_by_a_code_that_is_shown_once(ada, child):
    page = text_of(signed_in(ada).post(f"/family/{child.pk}/invite/"))
    (code,) = re.findall(r"[B-Z2-9]{5}-[B-Z2-9]{5}", page)
    bea = make_adult("Bea")
    signed_in(bea).post("/family/code/", {"code": code})
    assert child.guardian_links.count() == 2


def test_what_the_school_manages_a_guardian_cannot_reset_print_or_share(ada):
    student = pupil_of(ada)
    for page in ("card/", "reset/", "invite/"):
        assert signed_in(ada).post(f"/family/{student.pk}/{page}").status_code == 404


def test_a_guardian_leaves_after_a_question(ada):
    student = pupil_of(ada)
    client = signed_in(ada)
    assert "No longer see" in text_of(client.get(f"/family/{student.pk}/unlink/"))
    assert Guardianship.objects.count() == 1
    assert client.post(f"/family/{student.pk}/unlink/")["Location"] == "/family/"
    assert not Guardianship.objects.exists()


def test_the_only_guardian_of_a_home_child_is_told_why_not(ada, child):
    response = signed_in(ada).post(f"/family/{child.pk}/unlink/")
    assert response.status_code == 422
    assert "You are the only guardian" in text_of(response)
    assert Guardianship.objects.exists()


@pytest.mark.parametrize("page", ["code/", "children/", "1/letter/", "1/invite/", "1/card/", "1/reset/"])
def test_changes_are_posted(ada, page):
    assert signed_in(ada).get(f"/family/{page}").status_code == 405


# Stopping the letter


def test_one_click_stops_the_letters_without_signing_in(ada, child):
    address = f"/family/letters/{stop_token(ada)}/"
    # Mail programs post by themselves, without our cookie or token.
    client = Client(enforce_csrf_checks=True)
    assert client.get(address).status_code == 200
    assert child.guardian_links.get().wants_letter
    assert client.post(address, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert not child.guardian_links.get().wants_letter


def test_a_token_that_is_not_ours_stops_nothing(client, child):
    assert client.post("/family/letters/1:abc:def/").status_code == 404
    assert child.guardian_links.get().wants_letter
