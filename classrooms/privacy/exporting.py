"""Everything that's stored about somebody as one ZIP file: JSON for machines, CSV for spreadsheets."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Mapping, Sequence
from io import BytesIO, StringIO
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.utils.translation import gettext as _

from classrooms.models import Classroom, User
from classrooms.privacy.inventory import Row, held_about, held_about_class
from core.spreadsheets import safe

Sections = Mapping[str, Sequence[Row]]


def export_child(child: User) -> bytes:
    return _zip({"": held_about([child])[child.pk]})


def export_guardian(user: User) -> bytes:
    """Everything about an adult; children have exports of their own."""
    return _zip({"": held_about([user])[user.pk]})


def export_class(classroom: Classroom) -> bytes:
    """The class, and what belongs to it of each student; for a home account, only its place in the class."""
    students = [enrolment.student for enrolment in classroom.enrolments.present()]
    held = held_about(students, classroom=classroom)
    folders: dict[str, Sections] = {"": held_about_class(classroom)}
    for student in students:
        sections = held[student.pk]
        if student.is_home:
            sections = {"places_in_classes": sections["places_in_classes"]}
        folders[f"student-{student.pk}/"] = sections
    return _zip(folders)


def _zip(folders: Mapping[str, Sections]) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", _readme())
        for folder, sections in folders.items():
            text = json.dumps(sections, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)
            archive.writestr(f"{folder}data.json", text)
            for name, rows in sections.items():
                if rows:
                    archive.writestr(f"{folder}{name}.csv", _csv(rows))
    return file.getvalue()


def _csv(rows: Sequence[Row]) -> bytes:
    """In UTF-8 with a byte order mark, and without anything that a spreadsheet would take for a formula."""
    titles = list(dict.fromkeys(title for row in rows for title in row))
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(titles)
    writer.writerows([safe(_cell(row.get(title))) for title in titles] for row in rows)
    return text.getvalue().encode("utf-8-sig")


def _cell(value: Any) -> str | int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    return value if isinstance(value, str) else json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False).strip('"')


def _readme() -> str:
    return _(
        "Everything that Setsite keeps about a person, as of today.\n"
        "data.json holds all of it; each .csv file holds one table of it, for a spreadsheet.\n"
        "Names of other people are not in it, and nothing that would let somebody sign in.\n"
    )
