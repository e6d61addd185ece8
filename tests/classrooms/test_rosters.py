"""Rosters: reading, refusing, planning changes, and saving them."""

from __future__ import annotations

import io
import time
import zipfile
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from classrooms.classes import students
from classrooms.classes.rosters import proposals as rosters
from classrooms.classes.rosters.files import read_files, read_names
from classrooms.classes.rosters.oneroster import ListedClass
from classrooms.classes.rosters.proposals import CHUNK, What, choose, plan, planned_rows, propose, write_all, write_next
from classrooms.classes.rosters.row_form import MOST_STUDENTS
from classrooms.classes.rosters.tables import BadFile
from classrooms.classes.students import move_student, remove_student
from classrooms.models import Action, AuditEntry, Classroom, Enrolment, RosterImport, User
from tests.classrooms.people import enrol, make_adult, make_classroom

FILE = "name,display name,group,id\nMia Okafor,Mia,Owls,s1\nNoah Brandt,,Foxes,s2\n"


def csv_rows(text: str | bytes, name: str = "list.csv"):
    return read_files({name: text.encode() if isinstance(text, str) else text})


def names(rows) -> list[str]:
    return [row.real_name for row in rows]


def faults(text: str | bytes) -> list[str]:
    with pytest.raises(BadFile) as refused:
        csv_rows(text)
    return [str(fault) for fault in refused.value.faults]


# Pasted names


def test_a_name_a_line_in_either_order():
    rows = read_names("Mia Okafor\r\n\r\nBrandt, Noah\n  Lina   Haddad  \n")
    assert [(row.line, row.real_name) for row in rows] == [(1, "Mia Okafor"), (3, "Noah Brandt"), (4, "Lina Haddad")]


def test_numbers_dots_and_cells_of_a_spreadsheet_are_no_part_of_a_name():
    assert names(read_names("1. Mia Okafor\n2) Noah Brandt\n• Lina Haddad\n- Ada Wolf\nZoe\tStern")) == [
        "Mia Okafor",
        "Noah Brandt",
        "Lina Haddad",
        "Ada Wolf",
        "Zoe Stern",
    ]


def test_names_of_all_kinds_are_names():
    kept = ["Renée-Lou d'Àrc", "Łukasz Żółć", "O'Neil Jr.", "'t Hooft", "李小龙", "Мария Иванова", "محمد علي", "Prince"]
    assert names(read_names("\n".join(kept))) == kept


def test_a_name_twice_an_empty_list_and_no_name_are_refused_with_their_lines():
    with pytest.raises(BadFile) as refused:
        read_names("Mia Okafor\nNoah\nOkafor, Mia\n12345\n=cmd()\n" + "x" * 81)
    assert [fault.line for fault in refused.value.faults] == [3, 4, 5, 6]
    with pytest.raises(BadFile, match="no students"):
        read_names(" \n\n - \n")


# CSV


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_csv_file_is_read_however_spreadsheets_write_it(delimiter, bom, end):
    rows = csv_rows(bom + FILE.replace(",", delimiter).replace("\n", end).encode())
    assert names(rows) == ["Mia Okafor", "Noah Brandt"]
    assert (rows[0].display_name, rows[0].group, rows[0].source_id, rows[0].line) == ("Mia", "Owls", "s1", 2)


@pytest.mark.parametrize(
    "header",
    ["First name,Last name", "given_name,Family Name", "FORENAME,surname", "Prénom,Nom", "Nombre,Apellidos"],
)
def test_columns_go_by_many_names(header):
    assert names(csv_rows(f"{header}\nMia,Okafor")) == ["Mia Okafor"]


@pytest.mark.parametrize("header", ["name", "Full name", "Nom", "Student", "First Name"])
def test_one_column_of_names_is_a_list_too(header):
    assert names(csv_rows(f"{header}\nOkafor, Mia\nNoah\n\n")) == ["Mia Okafor", "Noah"]


def test_other_columns_are_passed_over_whatever_they_hold():
    assert names(csv_rows('Phone,Name,Mark\n+44 20,"Okafor, Mia",=A1\n')) == ["Mia Okafor"]


def test_a_dash_alone_means_nothing():
    row = csv_rows("name,group,id\nMia Okafor,-,--\n")[0]
    assert (row.group, row.source_id) == ("", "")


def test_two_of_one_name_are_told_apart_by_their_ids():
    assert len(csv_rows("name,id\nMia Okafor,1\nMia Okafor,2\n")) == 2
    assert faults("name,id\nMia Okafor,1\nMia Okafor,\n")[0].startswith("Line 3:")


@pytest.mark.parametrize(
    ("content", "line", "why"),
    [
        (b"name\nJos\x8e\nZo\x91\x81\n", 3, "UTF-8"),
        (b"", None, "empty"),
        (b"\xef\xbb\xbf \n", None, "no students|empty"),
        ("name\n", None, "no students"),
        ("group,id\nOwls,3\n", 1, "missing"),
        ("surname,id\nOkafor,3\n", 1, "missing"),
        ("Mia Okafor\nNoah Brandt\n", 1, "missing"),
        ("name,full name\nMia,Mia\n", 1, "could be the same"),
        ("name\nMia Okafor\nMia Okafor\n", 3, "already on line 2"),
        ("name,id\nMia,7\nNoah,7\n", 3, "already on line 2"),
        ("name,display name\nMia,Fox\nNoah,fox\n", 3, "already on line 2"),
        ("name,display name\nMia,sh1t\n", 2, "not a name to show"),
        (f"name\n{'x' * 81}\n", 2, "longer than 80"),
        (f"first name,last name\n{'x' * 50},{'y' * 50}\n", 2, "longer than 80"),
        (f"name,group\nMia,{'x' * 41}\n", 2, "longer than 40"),
        (f"name,id\nMia,{'x' * 65}\n", 2, "longer than 64"),
        (f"name,display name\nMia,{'x' * 41}\n", 2, "longer than 40"),
        ('name,group\n"Mia\nOkafor",Owls\n', 2, "line break"),
        ("name,group\nMia\x07 Okafor,Owls\n", 2, "control character"),
        ("name,group\n=HYPERLINK(1),Owls\n", 2, "formula"),
        ("name,group\nMia,+1\n", 2, "formula"),
        ("name,group\nMia,-1\n", 2, "formula"),
        ("name,group\nMia,@SUM\n", 2, "formula"),
        ('name,group\nMia,"\tx"\n', 2, "formula"),
        ('name,group\nMia,"  =x"\n', 2, "formula"),
        ("name,group\nMia,＝x\n", 2, "formula"),  # noqa: RUF001 (the wide sign is what is tested)
        ("name,group\n,Owls\n", 2, "no name"),
        ("name,group\nOkafor, Mia,Owls\n", 2, "3 cells for 2 columns"),
        ('name,group\n"Mia" Okafor,Owls\n', 2, "quotation marks"),
        ('name,group\n"Mia Okafor,Owls\n', 2, "quotation marks"),
        (f'name,group\nMia,"{"x" * 200_000}"\n', 2, "too long"),
        ("name\n" + "".join(f"Student A{n}\n" for n in range(MOST_STUDENTS + 1)), None, "400"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", None, "can't read this kind"),
        (b"PK\x03\x04 and not much more", None, "damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", None, "can't read this kind"),
        (b"%PDF-1.7\n", None, "can't read this kind"),
        ("<html><body>name</body></html>", None, "can't read this kind"),
        ('{"name": "Mia"}', None, "can't read this kind"),
        ("sourcedId,status,role,givenName,familyName\n1,,student,Mia,Okafor\n", None, "part of a OneRoster"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(content, line, why):
    with pytest.raises(BadFile, match=why) as refused:
        csv_rows(content)
    assert line in [fault.line for fault in refused.value.faults]


def test_all_faulty_lines_are_told_and_not_the_first_only():
    told = faults("name,group,id\n=1,Owls,1\nMia,Owls,2\n,Owls,3\nNoah,Owls,2\n")
    assert [line.split(":")[0] for line in told] == ["Line 2", "Line 4", "Line 5"]


def test_a_huge_file_is_refused_unread():
    huge = SimpleNamespace(name="list.csv", size=2_000_001)
    with pytest.raises(BadFile, match="larger than 2 MB"):
        rosters.read_uploads([huge])


def test_no_file_at_all_is_told_kindly():
    with pytest.raises(BadFile, match="Choose a file"):
        rosters.read_uploads([])


# OneRoster

USERS = (
    "sourcedId,status,dateLastModified,enabledUser,orgSourcedIds,role,username,givenName,familyName\n"
    "u1,,,true,o,student,mia,Mia,Okafor\n"
    "u2,active,,true,o,student,noah,Noah,Brandt\n"
    "u3,tobedeleted,,true,o,student,gone,Gone,Away\n"
    "u4,,,true,o,teacher,rivera,Rosa,Rivera\n"
    "u5,,,true,o,student,lina,Lina,Haddad\n"
)
CLASSES = "sourcedId,status,dateLastModified,title\nc1,,,2B\nc2,,,3A\nc3,tobedeleted,,Old\n"
PLACES = (
    "sourcedId,status,dateLastModified,classSourcedId,schoolSourcedId,userSourcedId,role\n"
    "e1,,,c1,o,u1,student\ne2,,,c1,o,u2,student\ne3,,,c1,o,u3,student\ne4,,,c1,o,u4,teacher\n"
    "e5,,,c2,o,u5,student\ne6,tobedeleted,,c2,o,u1,student\ne7,,,c3,o,u5,student\ne8,,,c1,o,u1,student\n"
)


def three(users: str = USERS, classes: str = CLASSES, places: str = PLACES) -> dict[str, str]:
    return {"users.csv": users, "classes.csv": classes, "enrollments.csv": places}


def read_three(**changes: str) -> list[ListedClass]:
    return read_files({name: text.encode() for name, text in three(**changes).items()})


def zipped(files: dict[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def told(listed: list[ListedClass]) -> dict[str, list[tuple[str, str]]]:
    return {each.title: [(row.source_id, row.real_name) for row in each.rows] for each in listed}


def test_a_oneroster_export_gives_the_students_of_its_classes():
    expected = {"2B": [("u1", "Mia Okafor"), ("u2", "Noah Brandt")], "3A": [("u5", "Lina Haddad")]}
    assert told(read_three()) == expected
    in_a_folder = {f"export/{name}": text for name, text in three().items()}
    assert told(csv_rows(zipped({**in_a_folder, "manifest.csv": "x", "__MACOSX/users.csv": "\0"}))) == expected


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"users": USERS.replace("u2,", "u1,")}, "users.csv, line 3: The id “u1” is already on line 2"),
        ({"users": USERS.replace("Noah,Brandt", ",")}, "users.csv, line 3: There is no name"),
        ({"users": USERS.replace("Noah,", "=Noah,")}, "users.csv, line 3: “=Noah” could act as a formula"),
        ({"users": USERS.replace("givenName", "gn")}, "users.csv, line 1: The column givenName is missing"),
        ({"classes": CLASSES.replace("title", "t")}, "classes.csv, line 1: The column title is missing"),
        ({"classes": ""}, "classes.csv: The file is empty"),
        ({"places": PLACES.replace("o,u5", "o,u9")}, "enrollments.csv, line 6: This line names"),
        ({"places": PLACES.replace("c2,o,u5", "c9,o,u5")}, "enrollments.csv, line 6: This line names"),
        ({"places": PLACES.replace("student", "aide")}, "There are no students"),
    ],
)
def test_a_bad_oneroster_export_is_refused_with_file_and_line(changes, where):
    with pytest.raises(BadFile, match=where):
        read_three(**changes)


def test_a_part_of_an_export_or_a_strange_zip_is_refused():
    with pytest.raises(BadFile, match=r"classes\.csv: The file is missing"):
        csv_rows(zipped({"users.csv": USERS, "enrollments.csv": PLACES}))
    with pytest.raises(BadFile, match="can't read this kind"):
        csv_rows(zipped({"xl/workbook.xml": "<x/>"}))


def test_a_zip_bomb_does_not_go_off():
    with pytest.raises(BadFile, match="larger than 10 MB"):
        csv_rows(zipped({**three(), "users.csv": b"x" * 10_000_001}))
    with pytest.raises(BadFile, match="too many files"):
        csv_rows(zipped({f"{number}.csv": "" for number in range(201)}))


def test_a_zip_that_lies_about_its_sizes_is_not_believed():
    content = zipped({**three(), "users.csv": b"x" * 10_000_001})
    lying = content.replace((10_000_001).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    assert lying != content
    with pytest.raises(BadFile):
        csv_rows(lying)


# What would change


@pytest.fixture
def classroom(db) -> Classroom:
    return make_classroom(make_adult("Rosa"))


@pytest.fixture
def teacher(classroom) -> User:
    return classroom.teachers.get()


def whats(planned) -> list[str]:
    return [each.what.value for each in planned]


def register(classroom) -> dict[str, tuple[str, str, str]]:
    return {
        each.real_name: (each.student.display_name, each.group.name if each.group else "", each.source_id)
        for each in classroom.enrolments.present()
    }


def take_in(classroom, text: str) -> RosterImport:
    teacher = classroom.teachers.all()[0]
    proposal = propose(classroom, csv_rows(text), by=teacher)
    write_all(proposal, by=teacher)
    return proposal


def test_a_plan_tells_who_is_added_changed_and_left_alone_and_writes_nothing(classroom):
    enrol(classroom, "Mia Okafor", "Noah Brandt", "Ada Wolf")
    before = register(classroom)
    planned = plan(classroom, csv_rows("name,group,id\nMia Okafor,Owls,s1\nNoah Brandt,,\nLina Haddad,Owls,s3\n"))
    assert whats(planned) == ["changed", "same", "added"]
    assert planned[0].changes == {"group": ("", "Owls"), "source_id": ("", "s1")}
    assert planned[2].row.display_name == "Lina", "the name that she will have is shown"
    assert register(classroom) == before


def test_a_student_is_found_by_the_id_also_under_a_new_name(classroom):
    take_in(classroom, FILE)
    planned = plan(classroom, csv_rows("name,id\nMia Okafor-Stone,s1\nNoah Brandt,s9\n"))
    assert planned[0].changes == {"real_name": ("Mia Okafor", "Mia Okafor-Stone")}
    assert planned[1].what is What.ADDED, "another id is another student"


def test_what_was_written_is_left_alone_the_next_time(classroom):
    take_in(classroom, FILE)
    assert register(classroom) == {"Mia Okafor": ("Mia", "Owls", "s1"), "Noah Brandt": ("Noah", "Foxes", "s2")}
    assert set(whats(plan(classroom, csv_rows(FILE)))) == {"same"}
    take_in(classroom, FILE)
    assert classroom.enrolments.count() == 2


def test_an_empty_cell_takes_nothing_away(classroom):
    take_in(classroom, FILE)
    assert whats(plan(classroom, csv_rows("name,display name,group,id\nMia Okafor,,,\n"))) == ["same"]


def test_changes_are_written(classroom):
    take_in(classroom, FILE)
    take_in(classroom, "name,display name,group,id\nMia Stone,Comet,Foxes,s1\nNoah Brandt,,,s2\n")
    assert register(classroom) == {"Mia Stone": ("Comet", "Foxes", "s1"), "Noah Brandt": ("Noah", "Foxes", "s2")}
    assert AuditEntry.objects.filter(action=Action.CHANGED_STUDENT).count() == 1


def test_two_students_of_one_name_stay_two(classroom):
    enrol(classroom, "Mia Okafor")
    text = "name,id\nMia Okafor,1\nMia Okafor,2\n"
    assert whats(plan(classroom, csv_rows(text))) == ["changed", "added"]
    take_in(classroom, text)
    assert sorted(classroom.enrolments.values_list("source_id", flat=True)) == ["1", "2"]
    assert set(whats(plan(classroom, csv_rows(text)))) == {"same"}


def test_of_two_who_share_a_name_neither_is_changed_by_a_name_alone(classroom):
    take_in(classroom, "name,id\nMia Okafor,1\nMia Okafor,2\n")
    assert whats(plan(classroom, csv_rows("name,group\nMia Okafor,Owls\n"))) == ["same"]


def test_a_display_name_that_somebody_has_is_not_given_twice(classroom):
    enrol(classroom, "Mia Okafor", "Noah Brandt")
    text = "name,display name\nNoah Brandt,Mia\nLina Haddad,Noah\n"
    planned = plan(classroom, csv_rows(text))
    assert whats(planned) == ["same", "added"]
    assert planned[1].row.display_name == "Noah 2"


def test_generated_names_hold_no_part_of_the_real_ones(classroom):
    planned = plan(classroom, read_names("Mia Okafor\nNoah Brandt"), generated=True)
    shown = [each.row.display_name for each in planned]
    assert len(set(shown)) == 2
    assert not {"Mia", "Noah"} & set(" ".join(shown).split())


def test_the_name_of_an_account_from_home_is_left_alone(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    User.objects.filter(pk=mia.student.pk).update(is_home=True)
    assert whats(plan(classroom, csv_rows("name,display name\nMia Okafor,Comet\n"))) == ["same"]


def test_nobody_is_removed_by_a_list(classroom):
    enrol(classroom, "Ada Wolf")
    take_in(classroom, FILE)
    assert "Ada Wolf" in register(classroom)


def test_a_student_who_was_removed_comes_back_as_a_new_one(classroom, teacher):
    take_in(classroom, FILE)
    remove_student(classroom.enrolments.get(source_id="s1"), by=teacher)
    assert whats(plan(classroom, csv_rows(FILE))) == ["added", "same"]
    take_in(classroom, FILE)
    assert set(register(classroom)) == {"Mia Okafor", "Noah Brandt"}
    assert classroom.enrolments.count() == 3


def test_the_queries_of_a_plan_do_not_grow_with_its_rows(classroom):
    enrol(classroom, *(f"Student {number:03}" for number in range(40)))

    def queries(count: int) -> int:
        rows = read_names("\n".join(f"Student {number:03}" for number in range(count)))
        with CaptureQueriesContext(connection) as asked:
            plan(classroom, rows)
        return len(asked)

    assert queries(3) == queries(80)


# Several classes in one file


def test_of_several_classes_one_is_chosen_and_the_others_are_forgotten(classroom, teacher):
    proposal = propose(classroom, read_three(), by=teacher)
    assert rosters.has_choice(proposal)
    assert not write_next(proposal, by=teacher), "nothing is written before"
    assert not classroom.enrolments.exists()
    choose(proposal, rosters.listed_classes(proposal)[0])
    proposal.refresh_from_db()
    assert not rosters.has_choice(proposal)
    assert "Haddad" not in str(proposal.rows)
    write_all(proposal, by=teacher)
    assert {name: each[2] for name, each in register(classroom).items()} == {"Mia Okafor": "u1", "Noah Brandt": "u2"}


def test_a_single_class_needs_no_choice(classroom, teacher):
    listed = read_three(places=PLACES.replace("c2,o,u5", "c1,o,u5"))
    proposal = propose(classroom, listed, by=teacher)
    assert whats(planned_rows(proposal)) == ["added"] * 3


# Writing


def many(count: int) -> str:
    return "name,id\n" + "".join(f"Pupil Nr{number:04},n{number}\n" for number in range(count))


def test_a_full_class_is_written_in_seconds_with_its_progress(classroom, teacher):
    start = time.monotonic()
    proposal = propose(classroom, csv_rows(many(MOST_STUDENTS)), by=teacher)
    done = []
    while write_next(proposal, by=teacher):
        done.append(RosterImport.objects.get().done)
    assert time.monotonic() - start < 60
    assert done == list(range(CHUNK, MOST_STUDENTS, CHUNK))
    assert classroom.enrolments.count() == MOST_STUDENTS
    assert len(students.names_in(classroom)) == MOST_STUDENTS
    assert not RosterImport.objects.exists()
    assert AuditEntry.objects.get(action=Action.IMPORTED_ROSTER).amount == MOST_STUDENTS


def test_what_breaks_off_goes_on_where_it_was_and_doubles_nobody(classroom, teacher, monkeypatch):
    proposal = propose(classroom, csv_rows(many(3 * CHUNK)), by=teacher)
    write_next(proposal, by=teacher)
    with monkeypatch.context() as broken:
        broken.setattr(RosterImport, "save", lambda *_args, **_more: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            write_next(proposal, by=teacher)
    assert (classroom.enrolments.count(), User.objects.filter(kind="student").count()) == (CHUNK, CHUNK)
    assert RosterImport.objects.get().done == CHUNK
    write_all(RosterImport.objects.get(), by=teacher)
    assert classroom.enrolments.count() == 3 * CHUNK


def test_a_list_that_would_overfill_the_class_is_refused_with_the_figures(classroom, teacher):
    enrol(classroom, "Mia Okafor", "Noah Brandt")
    with pytest.raises(BadFile, match=f"would have {MOST_STUDENTS + 2} students.*room for {MOST_STUDENTS}"):
        propose(classroom, csv_rows(many(MOST_STUDENTS)), by=teacher)
    assert not RosterImport.objects.exists()


def test_a_list_of_those_who_are_there_is_read_in_a_full_class(classroom, teacher):
    write_all(propose(classroom, csv_rows(many(MOST_STUDENTS)), by=teacher), by=teacher)
    write_all(propose(classroom, csv_rows(many(MOST_STUDENTS)), by=teacher), by=teacher)
    assert classroom.enrolments.count() == MOST_STUDENTS


def test_two_lists_of_the_same_students_add_them_once(classroom, teacher):
    other = make_adult("Co")
    classroom.teachers.add(other)
    first = propose(classroom, csv_rows(FILE), by=teacher)
    second = propose(classroom, csv_rows(FILE), by=other)
    write_all(first, by=teacher)
    write_all(second, by=other)
    assert classroom.enrolments.count() == 2


def test_who_left_between_plan_and_writing_is_passed_over(classroom, teacher):
    mia, _noah = enrol(classroom, "Mia Okafor", "Noah Brandt")
    proposal = propose(classroom, csv_rows(FILE), by=teacher)
    remove_student(mia, by=teacher)
    write_all(proposal, by=teacher)
    assert set(register(classroom)) == {"Noah Brandt"}


def test_a_new_list_takes_the_place_of_one_that_was_not_begun(classroom, teacher):
    propose(classroom, csv_rows(FILE), by=teacher)
    assert propose(classroom, read_names("Ada Wolf"), by=teacher) == RosterImport.objects.get()


def test_old_lists_are_forgotten(classroom, teacher):
    proposal = propose(classroom, csv_rows(FILE), by=teacher)
    now = timezone.now()
    assert rosters.forget_imports(now - timedelta(days=1)) == 0
    RosterImport.objects.filter(pk=proposal.pk).update(made_at=now - timedelta(days=2))
    assert rosters.forget_imports(now - timedelta(days=1)) == 1
    assert not RosterImport.objects.exists()


# Students who move and leave


def test_who_comes_into_a_class_with_the_same_name_gets_another(classroom, teacher):
    (mia,) = enrol(classroom, "Mia Okafor")
    other = make_classroom(teacher, "Class 3A")
    enrol(other, "Mia Stone")
    moved = move_student(mia, other, by=teacher)
    moved.student.refresh_from_db()
    assert (moved.student.display_name, moved.real_name) == ("Mia 2", "Mia Okafor")
    assert not Enrolment.objects.filter(pk=mia.pk).exists()


def test_a_class_that_was_deleted_keeps_nobody(classroom, teacher):
    (mia,) = enrol(classroom, "Mia Okafor")
    gone = make_classroom(teacher, "Old")
    gone.enrolments.create(student=mia.student)
    Classroom.objects.filter(pk=gone.pk).update(deleted_at=timezone.now())
    assert remove_student(mia, by=teacher)
