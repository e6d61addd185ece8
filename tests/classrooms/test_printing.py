"""Printing pages: options, preview and printing; certificates for people who have mastered something."""

from __future__ import annotations

import re
import time

import pytest
from django.core.cache import cache
from django.core.files.storage import default_storage
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from classrooms.models import Action, AuditEntry, Enrolment
from core.jobs import queue, runs
from core.models import Job, JobState
from core.printing.paper import Paper
from core.printing.pdf import pages_pdf
from games import limits
from games.art.palettes import STANDARD
from games.printing.cards import Face
from games.rules import is_set
from lessons.jobs import own_certificate
from lessons.progress.mastery import mastered_skills
from lessons.progress.snapshots import skill_states
from lessons.skills import ExerciseKind, Skill
from lessons.words import SKILLS
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in
from tests.classrooms.tries import a_set, answered, broken_by, player_of
from tests.lessons.skill_levels import stand_at
from tests.printed import pictures_in, read_card, scanned, sheets, sizes, texts

pytestmark = pytest.mark.django_db

DECK = {"paper": "a4", "palette": "standard", "cards": "easy", "backs": "on"}
SHEET = {
    "paper": "letter",
    "palette": "black-and-white",
    "kind": "is-set",
    "level": "fair",
    "tasks": "6",
    "seed": "apple",
    "key": "on",
}


@pytest.fixture(autouse=True)
def no_queue(monkeypatch, settings, tmp_path):
    monkeypatch.setattr(queue, "_starters", [])
    settings.MEDIA_ROOT = tmp_path
    cache.clear()


def job_of(response) -> Job:
    assert response.status_code == 302, response.text
    return Job.objects.get(pk=response.headers["Location"].split("/")[2])


def made(client: Client, path: str, form: dict) -> tuple[Job, bytes]:
    """Request it, run the job, and download it as its owner."""
    job = job_of(client.post(path, form))
    run = queue.claim(job.pk)
    runs.perform(run)
    job.refresh_from_db()
    assert job.state == JobState.DONE, job.error
    return job, b"".join(client.get(f"/jobs/{job.pk}/file/").streaming_content)


def master(who: Enrolment) -> None:
    """Record right answers over several days, ending today."""
    now = time.time()
    for number in range(24):
        yes = number % 2 == 0
        cards = a_set(number) if yes else broken_by("color", skip=number)
        answered(who, ExerciseKind.IS_SET, cards, {"yes": yes}, at=now - (24 - number) * 3600)
    assert Skill.IS_SET in mastered(who)


def mastered(who: Enrolment) -> list[Skill]:
    return mastered_skills(skill_states(player_of(who)), time.time())


@pytest.fixture
def teacher(classroom) -> Client:
    return signed_in(classroom.teachers.get())


# Decks and worksheets, for anybody


def test_anybody_makes_a_deck_after_looking_at_it(client):
    page = client.get("/print/deck/", DECK)
    assert page.text.count('class="sheet"') == 3
    assert "6 pages" in page.text
    job, pdf = made(client, "/print/deck/", DECK)
    assert sizes(pdf) == [(842, 595)] * 6
    assert job.file_name == "setsite-deck.pdf"
    result = client.get(f"/jobs/{job.pk}/").text
    assert 'class="sheet"' in result
    assert "6 pages." in result
    assert Client().get(f"/jobs/{job.pk}/file/").status_code == 404


def test_anybody_makes_a_worksheet_whose_code_leads_to_this_site(client):
    page = client.get("/print/worksheet/", SHEET)
    assert 'name="seed" value="apple"' in page.text
    job, pdf = made(client, "/print/worksheet/", SHEET)
    assert sizes(pdf) == [(612, 792)] * 2
    (address,) = scanned(sheets(pdf)[0])
    assert address == "http://localhost:8000/learn/sheet/is-set/apple-6-fair/"
    assert client.get(address.removeprefix("http://localhost:8000")).context["sheet"].tasks == 6
    assert "Answers" in texts(pdf)[1]
    assert job.file_name == "setsite-is-set-apple-6-fair.pdf"


def test_the_first_look_has_the_usual_choices_and_a_new_seed_each_time(client):
    first, second = client.get("/print/worksheet/"), client.get("/print/worksheet/")
    assert first.status_code == 200
    assert first.context["form"].data["seed"] != second.context["form"].data["seed"]
    assert first.context["form"].data["paper"] == Paper.LETTER
    british = client.get("/print/worksheet/", headers={"Accept-Language": "en-gb"})
    assert british.context["form"].data["paper"] == Paper.A4


def test_what_is_made_is_what_was_looked_at(client):
    """The form under the preview holds all options, checkboxes too."""
    for choices in (DECK, {**DECK, "marks": "on"}, {k: v for k, v in DECK.items() if k != "backs"}):
        page = client.get("/print/deck/", choices).text
        sent = dict(re.findall(r'<input type="hidden" name="(\w+)" value="(\S+)">', page))
        assert len(re.findall(r'id="id_marks"', page)) == 1
        job = job_of(client.post("/print/deck/", sent))
        assert (job.asked["paper"], job.asked["cards"]) == ("a4", "easy")
        assert job.asked["marks"] is ("marks" in choices)
        assert job.asked["backs"] is ("backs" in choices)


def test_with_scripts_only_the_picture_changes(client):
    fragment = client.get("/print/deck/", DECK, headers={"HX-Request": "true"})
    assert "<html" not in fragment.text
    assert 'class="sheet"' in fragment.text
    assert "Make the PDF" in fragment.text


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/print/deck/", DECK | {"paper": "a5"}),
        ("/print/deck/", DECK | {"palette": "none"}),
        ("/print/deck/", DECK | {"cards": "52"}),
        ("/print/worksheet/", SHEET | {"kind": "find-one"}),
        ("/print/worksheet/", SHEET | {"tasks": "0"}),
        ("/print/worksheet/", SHEET | {"tasks": "25"}),
        ("/print/worksheet/", SHEET | {"tasks": "x"}),
        ("/print/worksheet/", SHEET | {"seed": "../x"}),
        ("/print/worksheet/", SHEET | {"seed": "apple\n"}),
        ("/print/worksheet/", SHEET | {"seed": ""}),
        ("/print/worksheet/", SHEET | {"level": "mad"}),
    ],
)
def test_what_cannot_be_printed_is_told_with_the_form(client, path, form):
    for response in (client.get(path, form), client.post(path, form)):
        assert response.status_code == 422
        assert "This cannot be printed yet" in response.text
        assert 'class="sheet"' not in response.text
        assert not Job.objects.exists()


@pytest.mark.usefixtures("clock_of_limits")
def test_who_asks_very_often_waits(client, monkeypatch):
    monkeypatch.setattr(limits, "OPENINGS", limits.Limit("openings", most=1, seconds=300))
    assert client.post("/print/deck/", DECK).status_code == 302
    response = client.post("/print/deck/", DECK)
    assert response.status_code == 429
    assert "Too many tries" in response.text
    assert Job.objects.count() == 1


# The first page


def test_the_first_page_offers_what_one_may_print(client, classroom, teacher):
    page = client.get("/print/").text
    for path in ("/print/deck/", "/print/worksheet/"):
        assert f'href="{path}"' in page
    assert "For my classes" not in page
    assert 'href="/print/certificate/"' not in page
    page = teacher.get("/print/").text
    assert f'href="/print/certificates/{classroom.pk}/"' in page
    assert f'href="/teach/{classroom.pk}/cards/"' not in page, "nobody is in it"
    (mia,) = enrol(classroom, "Mia Okafor")
    assert f'href="/teach/{classroom.pk}/cards/"' in teacher.get("/print/").text
    master(mia)
    student = signed_in(mia.student)
    assert 'href="/print/certificate/"' in student.get("/print/").text
    assert 'href="/print/certificate/"' in student.get("/learn/me/").text
    assert "For my classes" not in student.get("/print/").text


# Certificates


def test_a_learner_prints_a_certificate_of_what_is_mastered(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    student = signed_in(mia.student)
    assert "waits for the first skill" in student.get("/print/certificate/").text
    assert student.post("/print/certificate/", {"paper": "a4", "palette": "standard"}).status_code == 200
    assert not Job.objects.exists()
    master(mia)
    assert 'class="sheet"' in student.get("/print/certificate/").text
    job, pdf = made(student, "/print/certificate/", {"paper": "a4", "palette": "standard"})
    assert sizes(pdf) == [(842, 595)]
    (text,) = texts(pdf)
    assert "Mia" in text
    assert "Okafor" not in text
    for skill in Skill:
        assert (str(SKILLS[skill]) in text) is (skill in mastered(mia))
    assert pictures_in(pdf) == 0
    assert job.asked["skills"] == mastered(mia)


def test_a_certificate_shows_a_set_and_the_day():
    for name in ("Mia", "李小龙", "ᏣᎳᎩ"):
        asked = {"name": name, "skills": ["color"], "on": "2026-07-23", "paper": "letter", "palette": "standard"}
        (page,) = own_certificate(asked)
        pdf = pages_pdf([page], title="Certificate")
        (picture,) = sheets(pdf)
        faces = [item for item in page.items if isinstance(item, Face)]
        assert is_set(*(read_card(picture, face.x, face.y, face.width, STANDARD) for face in faces))
        assert "July 23, 2026" in texts(pdf)[0]


def test_a_teacher_prints_certificates_for_those_who_have_mastered_something(classroom, teacher):
    mia, noah, _zoe = enrol(classroom, "Mia Okafor", "Noah Brandt", "Zoe Stern")
    path = f"/print/certificates/{classroom.pk}/"
    assert "Nobody in Class 2B" in teacher.get(path).text
    master(mia)
    master(noah)
    page = teacher.get(path)
    assert page.text.count('class="sheet"') == 2
    assert "Zoe" not in re.sub(r"<[^>]*>", "", page.text), "which has secrets of any letters in its tags"
    form = {"paper": "letter", "palette": "standard", "students": [mia.pk, noah.pk]}
    job, pdf = made(teacher, path, form)
    assert sizes(pdf) == [(792, 612)] * 2
    first, second = texts(pdf)
    assert "Mia" in first
    assert "Noah" in second
    assert "Okafor" not in first
    assert "Class 2B" in first
    assert "Mia" not in str(job.asked) + str(job.result), "a name is in the file only"
    entry = AuditEntry.objects.get(action=Action.EXPORTED)
    assert (entry.classroom, entry.amount) == (classroom.pk, 2)
    _job, pdf = made(teacher, path, form | {"students": [mia.pk], "real_names": "on"})
    assert ["Mia Okafor" in text for text in texts(pdf)] == [True]


def test_nobody_gets_a_certificate_who_is_not_of_the_class_or_has_mastered_nothing(classroom, teacher):
    mia, zoe = enrol(classroom, "Mia Okafor", "Zoe Stern")
    (stranger,) = enrol(make_classroom(make_adult("Stone"), "Class 3A"), "Other Child")
    master(mia)
    master(stranger)
    path = f"/print/certificates/{classroom.pk}/"
    for wrong in ([zoe.pk], [stranger.pk], [mia.pk, stranger.pk], ["x"], []):
        response = teacher.post(path, {"paper": "a4", "palette": "standard", "students": wrong})
        assert response.status_code == 422
    assert not Job.objects.exists()
    assert not AuditEntry.objects.filter(action=Action.EXPORTED).exists()


def test_a_class_that_was_deleted_meanwhile_gets_none(classroom, teacher):
    (mia,) = enrol(classroom, "Mia Okafor")
    master(mia)
    form = {"paper": "a4", "palette": "standard", "students": [mia.pk]}
    job = job_of(teacher.post(f"/print/certificates/{classroom.pk}/", form))
    classroom.teachers.clear()
    run = queue.claim(job.pk)
    runs.perform(run)
    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert "mastered" in job.error
    assert not default_storage.exists(f"jobs/{job.pk}-1")


def test_a_large_class_costs_no_more_queries(classroom, teacher):
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as caught:
            teacher.get(f"/print/certificates/{classroom.pk}/")
        return len(caught)

    first, *_others = enrol(classroom, *(f"Child {number}" for number in range(3)))
    master(first)
    few = queries()
    enrolled = enrol(classroom, *(f"More {number}" for number in range(30)))
    for each in enrolled:
        stand_at(player_of(each), {Skill.IS_SET: 0.95}, now=time.time())
    assert queries() == few
