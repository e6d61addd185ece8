"""Consent: who agreed to a child's account or declared the school's authority, when, and to which text."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO

import pytest
from django.db import IntegrityError, transaction

from classrooms.classes.service import change_class
from classrooms.classes.students import make_home_child
from classrooms.consents import HOME, SCHOOL, TEXTS
from classrooms.models import Classroom, Consent, User
from classrooms.privacy import service as privacy
from tests.classrooms.people import make_adult, make_classroom, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return make_adult("Ada")


def data_of(content: bytes) -> dict:
    with zipfile.ZipFile(BytesIO(content)) as archive:
        return json.loads(archive.read("data.json"))


def test_a_childs_account_at_home_takes_consent_and_records_who_when_and_which_text(ada):
    client = signed_in(ada)
    refused = client.post("/family/children/", {"display_name": "Zoe"})
    assert refused.status_code == 422
    assert not User.objects.filter(is_home=True).exists()
    client.post("/family/children/", {"display_name": "Zoe", "consent": "on"})
    consent = Consent.objects.get()
    assert (consent.child.display_name, consent.given_by, consent.text) == ("Zoe", ada, HOME)
    page = client.get(f"/family/{consent.child.pk}/").text
    assert "Ada agreed to this account on" in page


def test_the_words_of_a_consent_are_on_the_page_that_asks_for_it(ada):
    assert str(TEXTS[HOME]).replace("'", "&#x27;") in signed_in(ada).get("/family/").text
    assert str(TEXTS[SCHOOL]) in signed_in(ada).get("/teach/new/").text


def test_a_class_takes_the_teachers_word_that_the_school_allows_it(ada):
    form = {"name": "Class 2B", "language": "en-us", "edition": "us", "authorised_by": "The head of school"}
    client = signed_in(ada)
    assert client.post("/teach/new/", form).status_code == 422
    assert not Classroom.objects.exists()
    client.post("/teach/new/", form | {"has_authority": "on"})
    consent = Consent.objects.get()
    assert (consent.given_by, consent.text, consent.authority) == (ada, SCHOOL, "The head of school")
    assert "Ada confirmed that the school allows" in client.get(f"/teach/{consent.classroom.pk}/settings/").text


def test_another_authority_is_another_declaration_and_the_old_one_stays(ada):
    classroom = make_classroom(ada)
    stone = make_adult("Stone")
    change_class(classroom, by=stone, name="Class 3A", authorised_by="The head of school")
    assert classroom.consents.count() == 1
    change_class(classroom, by=stone, authorised_by="The parents, this year")
    assert [(each.given_by, each.authority) for each in classroom.consents.all()] == [
        (ada, "The head of school"),
        (stone, "The parents, this year"),
    ]


def test_a_guardian_of_an_account_from_before_is_asked_once(ada):
    child = make_home_child("Leo", by=ada)
    Consent.objects.all().delete()
    client = signed_in(ada)
    assert "We didn't ask when you made Leo" in client.get("/family/").text.replace("&#x27;", "'")
    client.post(f"/family/{child.pk}/consent/")
    assert "We didn't ask" not in client.get("/family/").text.replace("&#x27;", "'")
    assert Consent.objects.get().given_by == ada


def test_nobody_but_a_guardian_consents_for_a_child(ada):
    child = make_home_child("Leo", by=ada)
    Consent.objects.all().delete()
    assert signed_in(make_adult("Bea")).post(f"/family/{child.pk}/consent/").status_code == 404
    assert not Consent.objects.exists()


def test_consents_are_in_the_exports_of_who_gave_them_of_the_child_and_of_the_class(ada):
    child = make_home_child("Leo", by=ada)
    classroom = make_classroom(ada)
    assert [row["text"] for row in data_of(privacy.export_child(child))["consents"]] == [HOME]
    assert {row["text"] for row in data_of(privacy.export_guardian(ada))["consents"]} == {HOME, SCHOOL}
    assert [row["authority"] for row in data_of(privacy.export_class(classroom))["consents"]] == ["The head of school"]


def test_a_consent_is_for_a_child_or_a_class_and_never_for_both_or_none(ada):
    child, classroom = make_home_child("Leo", by=ada), make_classroom(ada)
    for bad in ({}, {"child": child, "classroom": classroom}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Consent.objects.create(given_by=ada, text=HOME, **bad)


def test_the_privacy_page_tells_of_consents(client):
    assert "Which guardian agreed to a child" in client.get("/privacy/").text
