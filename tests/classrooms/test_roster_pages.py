"""The roster pages: imported lists, and what a teacher can do for one student."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from classrooms.accounts.guardians import use_code
from classrooms.classes.rosters.proposals import CHUNK
from classrooms.models import Action, AuditEntry, Classroom, Guardianship, HandOver, RosterImport, User
from tests.builders.pages import text_of
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in
from tests.classrooms.test_rosters import FILE, many, three, zipped

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def rosa() -> User:
    return make_adult("Rosa")


@pytest.fixture
def classroom(rosa) -> Classroom:
    return make_classroom(rosa)


@pytest.fixture
def client(rosa) -> Client:
    return signed_in(rosa)


@pytest.fixture
def mia(classroom):
    return enrol(classroom, "Mia Okafor", "Noah Brandt")[0]


def home(classroom) -> str:
    return f"/teach/{classroom.pk}/students/"


def upload(client, classroom, *contents, shown="first"):
    files = [SimpleUploadedFile(name, text.encode() if isinstance(text, str) else text) for name, text in contents]
    return client.post(f"{home(classroom)}import/", {"files": files, "shown": shown})


def paste(client, classroom, names: str, shown: str = "first"):
    return client.post(f"{home(classroom)}paste/", {"names": names, "shown": shown})


def edit(mia) -> str:
    return f"/teach/{mia.classroom_id}/students/{mia.pk}/"


# The roster


def test_an_empty_class_says_what_to_do(client, classroom):
    response = client.get(home(classroom))
    assert response.status_code == 200
    assert "Nobody is in this class yet" in text_of(response)
    assert "Print login cards" not in text_of(response)


def test_the_register_shows_both_names_the_group_and_the_ways_on(client, classroom, mia):
    client.post(f"{edit(mia)}edit/", {"real_name": "Mia Okafor", "display_name": "Comet", "group": "Owls"})
    response = client.get(home(classroom))
    for word in ("Mia Okafor", "Comet", "Owls", "Noah Brandt", "2 students"):
        assert word in text_of(response)
    assert f"{edit(mia)}edit/" in response.text
    assert f'href="{edit(mia)}"' in response.text


def test_a_name_that_no_font_has_is_told_before_it_is_printed(client, classroom):
    enrol(classroom, "ᏣᎳᎩ", "李小龙", "Мария Иванова")
    assert [each.real_name for _number, each in client.get(home(classroom)).context["unprintable"]] == ["ᏣᎳᎩ"]


def test_deleted_students_are_not_in_the_register(client, classroom, mia):
    User.objects.filter(pk=mia.student_id).update(deleted_at=timezone.now())
    assert "Mia" not in text_of(client.get(home(classroom)))
    assert client.get(f"{edit(mia)}edit/").status_code == 404


def test_forty_students_take_as_many_queries_as_two(client, classroom, mia):
    def queries(path: str) -> int:
        with CaptureQueriesContext(connection) as asked:
            assert client.get(path).status_code == 200
        return len(asked)

    pages = (home(classroom), f"{edit(mia)}edit/", f"/teach/{classroom.pk}/cards/")
    before = [queries(path) for path in pages]
    enrol(classroom, *(f"Student {number}" for number in range(38)))
    assert [queries(path) for path in pages] == before


# Permissions


PAGES = [
    ("get", "students/"),
    ("post", "students/paste/"),
    ("post", "students/import/"),
    ("get", "students/import/{plan}/"),
    ("post", "students/import/{plan}/choose/"),
    ("post", "students/import/{plan}/apply/"),
    ("post", "students/import/{plan}/cancel/"),
    ("post", "students/codes/"),
    ("get", "students/{mia}/edit/"),
    ("post", "students/{mia}/edit/"),
    ("post", "students/{mia}/reset/"),
    ("post", "students/{mia}/move/"),
    ("get", "students/{mia}/remove/"),
    ("post", "students/{mia}/remove/"),
    ("post", "students/{mia}/code/"),
    ("post", "students/{mia}/guardians/{link}/end/"),
    ("get", "cards/"),
]


@pytest.mark.parametrize(("method", "path"), PAGES)
def test_pages_are_for_the_teachers_of_the_class(classroom, mia, rosa, method, path):
    link = Guardianship.objects.create(guardian=make_adult("Gus"), child=mia.student)
    plan = RosterImport.objects.create(classroom=classroom, made_by=rosa, rows=[])
    address = f"/teach/{classroom.pk}/{path.format(mia=mia.pk, plan=plan.pk, link=link.pk)}"
    assert getattr(Client(), method)(address).status_code == 302
    assert getattr(signed_in(make_adult("Other")), method)(address).status_code == 404
    assert getattr(signed_in(mia.student), method)(address).status_code == 404
    assert getattr(signed_in(link.guardian), method)(address).status_code == 404
    assert (RosterImport.objects.count(), classroom.enrolments.present().count()) == (1, 2)
    if method == "post" and not path.endswith(("edit/", "remove/")) and "import/" not in path:
        assert signed_in(rosa).get(address).status_code == 405


def test_a_student_or_a_list_of_another_class_is_not_there(client, rosa, classroom, mia):
    other = make_classroom(rosa, "Class 3A")
    plan = RosterImport.objects.create(classroom=classroom, made_by=rosa, rows=[])
    assert client.get(f"/teach/{other.pk}/students/{mia.pk}/edit/").status_code == 404
    assert client.get(f"/teach/{other.pk}/students/import/{plan.pk}/").status_code == 404


# Lists


def test_names_are_pasted_looked_at_and_written(client, classroom):
    response = paste(client, classroom, "Mia Okafor\nBrandt, Noah")
    assert not classroom.enrolments.exists(), "nothing is written before it is seen"
    plan = RosterImport.objects.get()
    assert response.headers["Location"] == f"{home(classroom)}import/{plan.pk}/"
    page = client.get(response.headers["Location"])
    assert "Noah Brandt" in text_of(page)
    assert "2 added" in text_of(page)
    done = client.post(f"{home(classroom)}import/{plan.pk}/apply/", follow=True)
    assert "The list is in the class." in text_of(done)
    assert [each.student.display_name for each in classroom.enrolments.present()] == ["Mia", "Noah"]
    assert not RosterImport.objects.exists()


def test_display_names_can_be_made_up(client, classroom):
    paste(client, classroom, "Mia Okafor\nNoah Brandt", shown="generated")
    client.post(f"{home(classroom)}import/{RosterImport.objects.get().pk}/apply/")
    assert not {each.student.display_name for each in classroom.enrolments.present()} & {"Mia", "Noah"}


@pytest.mark.parametrize("names", ["", "  \n", "=cmd()", "Mia\nMia"])
def test_bad_names_are_told_and_nothing_is_lost(client, classroom, names):
    response = paste(client, classroom, names)
    assert response.status_code == 422
    assert response.context["paste"]["names"].value() == names
    assert not RosterImport.objects.exists()


def test_a_file_is_shown_row_by_row(client, classroom, mia):
    response = upload(client, classroom, ("list.csv", FILE + "Lina Haddad,,,s3\n"))
    page = client.get(response.headers["Location"])
    text = text_of(page)
    assert "1 added" in text
    assert "2 changed" in text
    assert page.context["counts"] == {"added": 1, "changed": 2, "same": 0}
    assert "before: Mia" not in text, "what stays is not told as a change"
    assert "now: Owls" in text
    assert "now: s1" in text


def test_a_bad_file_is_refused_whole_with_its_lines(client, classroom):
    rows = "".join(f"=row{number}\n" for number in range(30))
    response = upload(client, classroom, ("list.csv", f"name\nMia\n{rows}"))
    assert response.status_code == 422
    text = text_of(response)
    assert "Line 3:" in text
    assert "Line 22:" in text
    assert "Line 23:" not in text
    assert "and 10 more lines" in text
    assert not RosterImport.objects.exists()


@pytest.mark.parametrize("content", [b"", b"\x89PNG\0", b"PK\x03\x04", b"name\nJos\x8e\x81", b"x,y\n1,2\n"])
def test_what_is_no_list_is_refused(client, classroom, content):
    assert upload(client, classroom, ("list.csv", content)).status_code == 422
    assert client.post(f"{home(classroom)}import/", {"shown": "first"}).status_code == 422


def test_a_huge_file_is_refused(client, classroom):
    response = upload(client, classroom, ("list.csv", b"name\n" + b"x" * 3_000_000))
    assert response.status_code == 422
    assert "larger than 2 MB" in text_of(response)


def test_of_an_export_with_several_classes_one_is_chosen(client, classroom):
    response = upload(client, classroom, ("export.zip", zipped(three())), shown="generated")
    where = response.headers["Location"].partition("?")[0]
    page = client.get(response.headers["Location"])
    assert "2B (2 students)" in text_of(page)
    assert page.context["form"]["shown"].value() == "generated"
    assert client.post(f"{where}apply/").headers["Location"] == where
    assert client.post(f"{where}choose/", {"shown": "first"}).status_code == 422
    assert client.post(f"{where}choose/", {"shown": "first", "listed": "0"}).status_code == 302
    assert client.post(f"{where}choose/", {"shown": "first", "listed": "0"}).status_code == 404
    client.post(f"{where}apply/")
    assert {each.source_id for each in classroom.enrolments.present()} == {"u1", "u2"}


def test_the_three_files_of_an_export_do_as_well_as_the_zip(client, classroom):
    more = ("demographics.csv", "x")
    response = upload(client, classroom, *three().items(), more)
    assert "3A (1 student)" in text_of(client.get(response.headers["Location"]))


def test_with_scripts_a_long_list_is_written_some_rows_at_a_time(client, classroom):
    total = 2 * CHUNK + 1
    where = upload(client, classroom, ("list.csv", many(total))).headers["Location"]
    assert client.get(where).text.count('class="is-added"') == total, "every row is shown"
    seen = []
    for _step in range(2):
        response = client.post(f"{where}apply/", headers=HTMX)
        assert 'data-hx-trigger="load"' in response.text
        seen += re.findall(r'<progress [^>]*max="(\d+)" value="(\d+)"', response.text)
    assert seen == [(str(total), str(CHUNK)), (str(total), str(2 * CHUNK))]
    assert f"{2 * CHUNK} of {total} rows are written" in text_of(client.get(where)), "a reload goes on where it was"
    response = client.post(f"{where}apply/", headers=HTMX)
    assert response.headers["HX-Redirect"] == home(classroom)
    assert classroom.enrolments.count() == total
    assert client.post(f"{where}apply/", headers=HTMX).status_code == 404


def test_a_list_can_be_forgotten_and_is_offered_until_then(client, classroom):
    where = paste(client, classroom, "Mia Okafor").headers["Location"]
    assert "A list was read and is not in the class yet." in text_of(client.get(home(classroom)))
    client.post(f"{where}cancel/")
    assert "A list was read" not in text_of(client.get(home(classroom)))
    assert not classroom.enrolments.exists()


# One student


def test_a_student_is_renamed_and_put_into_a_new_group(client, mia):
    data = {"real_name": "  Mia   Stone ", "display_name": "Comet", "group": "Owls"}
    assert client.post(f"{edit(mia)}edit/", data).status_code == 302
    mia.refresh_from_db()
    assert (mia.real_name, mia.student.display_name, mia.group.name) == ("Mia Stone", "Comet", "Owls")
    client.post(f"{edit(mia)}edit/", {**data, "group": ""})
    mia.refresh_from_db()
    assert mia.group is None
    assert AuditEntry.objects.filter(action=Action.CHANGED_STUDENT, person=mia.student_id).count() == 2


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Sh1thead", "not a name to show to a class"),
        ("noah", "Somebody else"),
        ("", "required"),
        ("\u200b", "Write a name"),
    ],
)
def test_a_display_name_that_will_not_do_is_told(client, mia, name, why):
    response = client.post(f"{edit(mia)}edit/", {"real_name": "Mia Okafor", "display_name": name, "group": ""})
    assert response.status_code == 422
    assert why in text_of(response)
    mia.student.refresh_from_db()
    assert mia.student.display_name == "Mia"


def test_a_reset_gives_new_pictures_and_ends_the_old_card(client, mia):
    assert client.post(f"{edit(mia)}reset/").status_code == 302
    mia.student.refresh_from_db()
    assert mia.student.card_number == 2
    assert AuditEntry.objects.filter(action=Action.RESET_STUDENT).exists()


@pytest.fixture
def at_home(mia):
    User.objects.filter(pk=mia.student_id).update(is_home=True)
    mia.refresh_from_db()
    Guardianship.objects.create(guardian=make_adult("Gus"), child=mia.student)
    return mia


def test_the_school_cannot_reset_rename_or_unlink_an_account_from_home(client, at_home):
    link = at_home.student.guardian_links.get()
    data = {"real_name": "M. O.", "display_name": "Comet", "group": "Owls"}
    assert client.post(f"{edit(at_home)}edit/", data).status_code == 302
    for path in ("reset/", "code/", f"guardians/{link.pk}/end/"):
        assert "A guardian made this account" in text_of(client.post(f"{edit(at_home)}{path}", follow=True))
    at_home.refresh_from_db()
    assert (at_home.student.display_name, at_home.student.card_number, at_home.real_name) == ("Mia", 1, "M. O.")
    assert at_home.student.guardian_links.exists()
    assert not at_home.student.guardian_codes.exists()


def test_the_pictures_of_an_account_from_home_are_not_shown(client, at_home):
    assert "Pictures and card" not in text_of(client.get(f"{edit(at_home)}edit/"))


def test_a_student_moves_to_another_class_of_mine(client, rosa, mia):
    other = make_classroom(rosa, "Class 3A")
    assert client.post(f"{edit(mia)}move/", {"to": other.pk}).status_code == 302
    assert [each.real_name for each in other.enrolments.present()] == ["Mia Okafor"]


def test_a_class_that_is_not_open_to_me_takes_nobody(client, rosa, classroom, mia):
    strange = make_classroom(make_adult("Colleague"))
    archived = make_classroom(rosa)
    Classroom.objects.filter(pk=archived.pk).update(archived_at=timezone.now())
    tries = [{}, {"to": strange.pk}, {"to": archived.pk}, {"code": archived.code}, {"code": classroom.code}]
    for data in [*tries, {"code": "NOPE22"}, {"to": classroom.pk}, {"code": strange.code, "to": strange.pk}]:
        assert client.post(f"{edit(mia)}move/", data).status_code == 422
    assert classroom.enrolments.filter(pk=mia.pk).exists()


@pytest.mark.usefixtures("clock_of_limits")
def test_codes_cannot_be_tried_without_end(client, mia):
    answers = [text_of(client.post(f"{edit(mia)}move/", {"code": "NOPE22"})) for _try in range(11)]
    assert ["No other class has this code" in answer for answer in answers] == [True] * 10 + [False]
    other = make_classroom(make_adult("Colleague"))
    right = client.post(f"{edit(mia)}move/", {"code": other.code})
    assert right.status_code == 422
    assert "Wait ten minutes" in text_of(right)
    assert "No other class" not in text_of(right)
    assert "Wait ten minutes" in answers[-1], "past the limit the right code and a wrong one look the same"
    assert not HandOver.objects.exists()


@pytest.mark.usefixtures("clock_of_limits")
def test_a_whole_class_is_handed_over_by_the_right_code_without_a_wait(client, classroom):
    other = make_classroom(make_adult("Colleague"))
    for child in enrol(classroom, *(f"Child{number} Lab" for number in range(25))):
        assert client.post(f"{edit(child)}move/", {"code": other.code}).status_code == 302


def test_removing_says_what_happens_and_then_does_it(client, mia):
    page = client.get(f"{edit(mia)}remove/")
    assert "it is deleted with everything" in text_of(page)
    assert mia.classroom.enrolments.present().filter(pk=mia.pk).exists()
    client.post(f"{edit(mia)}remove/")
    mia.student.refresh_from_db()
    assert mia.student.deleted_at


def test_an_account_that_is_elsewhere_or_from_home_is_only_taken_out(client, rosa, at_home, classroom):
    assert "A guardian made this account, so it stays" in text_of(client.get(f"{edit(at_home)}remove/"))
    client.post(f"{edit(at_home)}remove/")
    at_home.student.refresh_from_db()
    assert at_home.student.deleted_at is None
    assert not classroom.enrolments.filter(pk=at_home.pk).exists()
    noah = classroom.enrolments.get()
    make_classroom(rosa).enrolments.create(student=noah.student)
    assert "in another class too" in text_of(client.get(f"{edit(noah)}remove/"))


# Guardians


def codes_of(response) -> list[str]:
    return re.findall(r'class="slip-code">([^<]+)<', response.text)


def test_a_slip_has_a_code_that_links_a_guardian(client, mia):
    response = client.post(f"{edit(mia)}code/")
    assert "no-store" in response.headers["Cache-Control"]
    (code,) = codes_of(response)
    link = use_code(code, by=make_adult("Gus"))
    assert link.child == mia.student
    page = client.get(f"{edit(mia)}edit/")
    assert "Gus" in text_of(page)
    assert code not in page.text
    client.post(f"{edit(mia)}guardians/{link.pk}/end/")
    assert not mia.student.guardian_links.exists()
    assert AuditEntry.objects.filter(action=Action.UNLINKED_GUARDIAN, classroom=mia.classroom_id).exists()


def test_a_class_gets_a_slip_for_each_student_of_the_school(client, classroom, at_home):
    enrol(classroom, "Ada Wolf")
    response = client.post(f"{home(classroom)}codes/")
    assert len(set(codes_of(response))) == 2
    assert "Mia Okafor" not in text_of(response)
    assert AuditEntry.objects.filter(action=Action.MADE_CODE).count() == 2


def test_the_link_of_another_child_cannot_be_ended_here(client, classroom, mia):
    noah = classroom.enrolments.get(real_name="Noah Brandt")
    link = Guardianship.objects.create(guardian=make_adult("Gus"), child=noah.student)
    assert client.post(f"{edit(mia)}guardians/{link.pk}/end/").status_code == 404
