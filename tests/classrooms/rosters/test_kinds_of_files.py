"""Each file in this folder, and its result: the students read, or the message that refuses it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from classrooms.classes.rosters.files import read_files, read_names
from classrooms.classes.rosters.oneroster import ListedClass
from classrooms.classes.rosters.proposals import choose, listed_classes, planned_rows
from classrooms.classes.rosters.row_form import Row
from classrooms.classes.rosters.tables import BadFile
from core.offload import Offload
from tests.classrooms.people import make_adult, make_classroom, signed_in

FOLDER = Path(__file__).with_name("files")
OTHER_KIND = "We can't read this kind of file"
NO_TITLES = "Line 1: A column is missing"

# Per line: the real name, and if present the display name, the group and the id.
READ: dict[str, dict[int, str]] = {
    "plain.csv": {2: "Mia Okafor | Mia | Owls | s1", 3: "Noah Brandt | | Foxes | s2"},
    "byte-order-mark.csv": {2: "Zoë Żółć | | Owls |", 3: "李小龙 | | |"},
    "semicolons-windows-1252.csv": {
        2: "Jörg Müller | | Füchse |",
        3: "Änne Weiß | | |",
        4: "Zoé O’Neil | | Füchse |",  # noqa: RUF001 (as Windows writes it)
    },
    "windows-1252-french.csv": {2: "Élodie Lefèvre | | Œillets |", 3: "François Noël | | |"},
    "excel-unicode-text.txt": {2: "Mia Okafor | | Owls |", 3: "Łukasz Żółć | | |"},
    "utf-16-big-endian.txt": {2: "Mia Okafor | | | 00123"},
    "old-mac-line-ends.csv": {2: "Mia Okafor | | |", 3: "Noah Brandt | | |"},
    "last-comma-first.csv": {2: "Mia Okafor | | |", 3: "Noah van den Berg | | |"},
    "class-numbers-in-cells.csv": {2: "Mia Okafor | | |", 3: "Noah Brandt | | |", 4: "Lina Haddad | | |"},
    "title-and-date-above.csv": {5: "Mia Okafor | | Owls |"},
    "empty-rows.csv": {5: "Mia Okafor | | Owls |", 8: "Noah Brandt | | |"},
    "quoted-everything.csv": {2: 'Mia "Mimi" Okafor | | Owls, first row |'},
    "trailing-separators.csv": {2: "Mia Okafor | | |", 3: "Noah Brandt | | |"},
    "many-other-columns.csv": {2: "Mia Okafor | | | A823"},
    "pasted-names.txt": {1: "Mia Okafor | | |", 2: "Noah Brandt | | |", 4: "Lina Haddad | | |", 5: "Ada Wolf | | |"},
    "pasted-class-numbers.txt": {1: "Mia Okafor | | |", 2: "Noah Brandt | | |", 3: "Lina Haddad | | |"},
    "pasted-with-titles.txt": {2: "Mia Okafor | | Owls |", 3: "Noah Brandt | | |"},
    "pasted-one-title.txt": {3: "Mia Okafor | | |", 4: "Noah Brandt | | |"},
    "pasted-last-and-first.txt": {2: "Mia Okafor | | |", 3: "Noah Brandt | | |"},
    "pasted-nom.txt": {1: "Mia Nom | | |", 2: "Noah Okafor | | |"},
    "title-row.xlsx": {4: "Mia Okafor | | Owls |", 5: "Noah Brandt | | Foxes |"},
    "last-comma-first.xlsx": {2: "Mia Okafor | | |", 3: "Lina Haddad | | |"},
    # A merged cell has its value in the first row only.
    "merged-cells.xlsx": {2: "Mia Okafor | | Owls |", 3: "Noah Brandt | | |", 4: "Lina Haddad | | Foxes |"},
    "formulas.xlsx": {2: "Mia Okafor | | |"},
    "dates.xlsx": {2: "Mia Okafor | | | 1001", 3: "Noah Brandt | | | 1002"},
    "numbers-as-text.xlsx": {
        2: "Mia Okafor | | 1 | 00123",
        3: "Noah Brandt | | 2 | 124",
        4: "Lina Haddad | | 3.5 | A-7",
    },
    "notes-and-empty-rows.xlsx": {2: "Mia Okafor | | |", 33: "Noah Brandt | | |"},
    "list-on-the-second-sheet.xlsx": {
        2: "Mia Okafor | | Owls |",
        3: "Noah Brandt | | |",
        4: "Lina Haddad | | Foxes |",
    },
    "hidden-sheet.xlsx": {2: "Mia Okafor | | Owls |", 3: "Noah Brandt | | |", 4: "Lina Haddad | | Foxes |"},
    "broken-styles.xlsx": {2: "Mia Okafor | | Owls |", 3: "Noah Brandt | | |", 4: "Lina Haddad | | Foxes |"},
}
LISTED = {
    "two-classes.xlsx": {
        "Class 2B": {4: "Mia Okafor | | Owls |", 5: "Noah Brandt | | Foxes |"},
        "Class 3A": {2: "Mia Okafor | | | 1001", 3: "Noah Brandt | | | 1002"},
    },
}
REFUSED = {
    "unquoted-commas.csv": "Line 2: This line has 3 cells for 2 columns",
    "formulas.csv": "Line 2: “=HYPERLINK(",
    "the-same-twice.csv": "Line 4: “Mia Okafor” is already on line 2",
    "without-titles.csv": NO_TITLES,
    "without-titles.xlsx": NO_TITLES,
    "formulas-without-values.xlsx": "Line 2: There is no name",
    "errors.xlsx": "Line 3: There is no name",
    "text-like-a-formula.xlsx": "Line 2: “+Mia Okafor” could act as a formula",
    "empty.csv": "The file is empty",
    "empty.xlsx": "The file is empty",
    "cut-off.xlsx": "The zip is damaged",
    "bomb-of-zeros.xlsx": "larger than 10 MB",
    "bomb-of-cells.xlsx": "too much in this file",
    "bomb-of-entities.xlsx": OTHER_KIND,
    "part-is-missing.xlsx": OTHER_KIND,
    "letter.docx": OTHER_KIND,
    "list.ods": OTHER_KIND,
    "list.pdf": OTHER_KIND,
    "list.xls": OTHER_KIND,
    "page-saved-as.xls": OTHER_KIND,
    "photo.png": OTHER_KIND,
}


def content_of(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


def read(name: str) -> list[Row] | list[ListedClass]:
    return read_names(content_of(name).decode()) if name.startswith("pasted") else read_files({name: content_of(name)})


def told(rows: list[Row] | tuple[Row, ...]) -> dict[int, str]:
    return {
        row.line: " | ".join((row.real_name, row.display_name, row.group, row.source_id)).replace("  ", " ").strip()
        for row in rows
    }


def test_every_file_has_an_outcome():
    assert {file.name for file in FOLDER.iterdir()} == READ.keys() | LISTED.keys() | REFUSED.keys()


@pytest.mark.parametrize("name", READ)
def test_a_list_is_read(name):
    assert told(read(name)) == READ[name]


@pytest.mark.parametrize("name", LISTED)
def test_a_workbook_with_several_lists_gives_several_classes(name):
    assert {listed.title: told(listed.rows) for listed in read(name)} == LISTED[name]


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_is_refused_in_words(name):
    with pytest.raises(BadFile) as refused:
        read(name)
    assert REFUSED[name] in str(refused.value)


def test_a_child_process_reads_and_refuses_as_well():
    offload = Offload()
    offload.start(1)
    try:
        assert told(offload(read_files, {"dates.xlsx": content_of("dates.xlsx")})) == READ["dates.xlsx"]
        with pytest.raises(BadFile, match="could act as a formula") as refused:
            offload(read_files, {"formulas.csv": content_of("formulas.csv")})
        assert [fault.line for fault in refused.value.faults] == [2, 3]
    finally:
        offload.stop()


@pytest.mark.django_db
def test_of_a_workbook_with_several_lists_the_teacher_chooses_one():
    teacher = make_adult()
    classroom = make_classroom(teacher)
    upload = SimpleUploadedFile("classes.xlsx", content_of("two-classes.xlsx"))
    path = f"/teach/{classroom.pk}/students/import/"
    page = signed_in(teacher).post(path, {"files": [upload], "shown": "first"}, follow=True)
    assert "Class 3A (2 students)" in page.text
    proposal = classroom.imports.get()
    choose(proposal, listed_classes(proposal)[1])
    assert [each.row.source_id for each in planned_rows(proposal)] == ["1001", "1002"]
