"""Forms larger than any of ours."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile

from classrooms.models import RosterImport
from tests.classrooms.people import make_adult, make_classroom, signed_in

pytestmark = pytest.mark.django_db


def test_too_many_fields_are_refused_and_nothing_is_written():
    teacher = make_adult()
    classroom = make_classroom(teacher)
    many = {f"field{number}": "x" for number in range(settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1)}
    response = signed_in(teacher).post(
        f"/teach/{classroom.pk}/students/paste/", {"names": "Mia", "shown": "first", **many}
    )
    assert response.status_code in {400, 413}
    assert not RosterImport.objects.exists()


def test_too_many_files_are_refused_and_nothing_is_written():
    teacher = make_adult()
    classroom = make_classroom(teacher)
    files = [
        SimpleUploadedFile(f"{number}.csv", b"name\nMia\n")
        for number in range(settings.DATA_UPLOAD_MAX_NUMBER_FILES + 1)
    ]
    response = signed_in(teacher).post(f"/teach/{classroom.pk}/students/import/", {"files": files, "shown": "first"})
    assert response.status_code in {400, 413}
    assert not RosterImport.objects.exists()


def test_a_field_that_is_too_long_is_refused(client):
    response = client.post("/play/find/", {"code": "x" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)})
    assert response.status_code in {400, 413}
