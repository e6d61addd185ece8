"""A NUL byte anywhere in a request gives a 400 response, never a server error."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.classrooms.people import make_adult, make_classroom

pytestmark = pytest.mark.django_db
NUL = "\0"


@pytest.mark.parametrize(
    "address", ["/join/AB%00CD/", "/session/AB%00CD/", "/play/AB%00CD/", "/join/card/1-1-%00/", "/%00"]
)
def test_in_an_address(client, address):
    assert client.get(address).status_code == 400


@pytest.mark.parametrize("address", ["/learn/?a=%00", "/join/?%00=1", "/accounts/login/?next=%00"])
def test_in_a_query(client, address):
    assert client.get(address).status_code == 400


@pytest.mark.parametrize("name", ["sessionid", "csrftoken", "browser", "django_language", "whatever"])
@pytest.mark.parametrize("address", ["/", "/join/", "/learn/"])
def test_in_a_cookie(name, address):
    client = Client()
    client.cookies[name] = f"a{NUL}b"
    # The test client quotes cookies, which would hide the byte.
    answer = client.get(address, headers={"cookie": f"{name}=a{NUL}b"})
    assert answer.status_code == 400


@pytest.mark.parametrize("data", [{"code": "AB\0CD"}, {"code": ["A", "\0"]}, {"\0": "1"}, {"code": '["\\u0000"]'}])
def test_in_a_form(client, data):
    assert client.post("/join/", data).status_code == 400
    assert client.post("/join/", data, headers={"HX-Request": "true"}).status_code == 400


def test_in_a_form_that_is_sent_as_one_line(client):
    form = "application/x-www-form-urlencoded"
    assert client.post("/join/", "code=AB%00CD", content_type=form).status_code == 400


@pytest.mark.parametrize("name", ["user-agent", "referer", "accept-language", "hx-current-url"])
def test_in_a_header(client, name):
    assert client.get("/", headers={name: f"a{NUL}b"}).status_code == 400


def test_the_answer_is_a_page_in_words(client):
    answer = client.get("/join/AB%00CD/")
    assert "<h1>" in answer.text
    assert "Content-Security-Policy" in answer.headers


def test_in_the_name_of_a_file():
    teacher = make_adult()
    classroom = make_classroom(teacher)
    client = Client(raise_request_exception=True)
    client.force_login(teacher)
    file = SimpleUploadedFile("a.csv", b"name\nAnn\n")
    file.name = "a\0b.csv"
    answer = client.post(f"/teach/{classroom.pk}/students/import/", {"files": file})
    assert answer.status_code in {302, 422}


def test_a_text_without_one_is_taken_as_before(client):
    assert client.post("/join/", {"code": "NO SUCH"}).status_code == 422
