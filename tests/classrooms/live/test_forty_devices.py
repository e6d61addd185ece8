"""Forty devices answer in the same second over real HTTP: none is lost, none counts twice, and the board is right."""

from __future__ import annotations

import http.client
import re
import threading
from urllib.parse import urlencode, urlsplit

import pytest
from django.conf import settings
from django.core.cache import cache

from classrooms.live import joining, leading
from classrooms.live.topic import LessonWatch, sign
from classrooms.models import Answer, Session
from games.players import Player
from lessons.models import LearningEvent
from tests.browser.players import session_key_of
from tests.classrooms.live.page_streams import key_of
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in
from tests.games.live import PATIENCE, Screen

DEVICES = 40


class Device:
    """One tablet: a persistent connection and a session."""

    def __init__(self, site: str, key: str, path: str) -> None:
        address = urlsplit(site)
        self.connection = http.client.HTTPConnection(address.hostname, address.port, timeout=PATIENCE)
        self.cookies = {settings.SESSION_COOKIE_NAME: key}
        self.path = path

    def get(self, path: str) -> tuple[int, str]:
        return self._send("GET", path)

    def post(self, path: str, **form: object) -> tuple[int, str]:
        return self._send("POST", path, urlencode(form))

    def _send(self, method: str, path: str, body: str = "") -> tuple[int, str]:
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if body:
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true"}
        self.connection.request(method, path, body or None, headers)
        response = self.connection.getresponse()
        if cookie := response.headers.get("Set-Cookie", ""):
            self.cookies |= dict(re.findall(r"(csrftoken|sessionid)=([^;]+)", cookie))
        return response.status, response.read().decode()

    def close(self) -> None:
        self.connection.close()

    def token(self, page: str) -> str:
        return re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[1]


def at_once(count: int, work) -> list[object]:
    """Run `work` in `count` threads that start together; return the results."""
    gate, results = threading.Barrier(count), [None] * count

    def run(place: int) -> None:
        gate.wait()
        results[place] = work(place)

    threads = [threading.Thread(target=run, args=[place]) for place in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.fixture
def teacher(transactional_db):
    cache.clear()
    return make_adult("Rivera")


def test_forty_answers_in_one_second_are_forty_answers(site, teacher):
    classroom = make_classroom(teacher)
    students = [each.student for each in enrol(classroom, *(f"Child{number} Lab" for number in range(DEVICES)))]
    session = leading.open_session(classroom, by=teacher)
    path = f"/session/{session.code}/"
    devices = [Device(site, session_key_of(student), path) for student in students]
    assert at_once(DEVICES, lambda place: devices[place].get(path)[0]) == [200] * DEVICES
    assert session.attendees.count() == DEVICES
    session.attendees.update(is_connected=True)

    leading.begin(session, "triples", {})
    tokens = [device.token(device.get(path)[1]) for device in devices]
    board = Device(site, session_key_of(teacher), "")
    watch = LessonWatch(session.code, None, user=teacher.pk, language="en-us", is_wall=True)
    stream = f"/session/{session.code}/stream/?token={sign(watch)}"
    with Screen(site, stream, session=session_key_of(teacher)) as projector:
        projector.data("part")

        def answer(place: int) -> int:
            form = (
                {"activity": 1, "round": 1, "yes": 1} if place % 2 else {"activity": 1, "round": 1, "breaks": "color"}
            )
            return devices[place].post(f"{path}act/", csrfmiddlewaretoken=tokens[place], **form)[0]

        assert at_once(DEVICES, answer) == [200] * DEVICES
        # Send everything again, like impatient taps: each is refused.
        assert at_once(DEVICES, answer) == [422] * DEVICES
        while b"Everybody has answered" not in projector.data("news"):
            pass
    assert Answer.objects.count() == LearningEvent.objects.count() == DEVICES
    assert Answer.objects.filter(event__is_right=True).count() == DEVICES // 2
    assert "Everybody has answered" in board.get(f"/teach/session/{session.code}/screen/part/")[1]
    assert Session.objects.get().version == session.version + 1, "an answer is no reason for devices to look"
    for device in (*devices, board):
        device.close()


def test_whoever_was_sent_out_gets_no_stream_whatever_their_token_says(site, teacher):
    classroom = make_classroom(teacher)
    (mia,) = enrol(classroom, "Mia Okafor")
    session = leading.open_session(classroom, by=teacher)
    seat = joining.attend(session, Player(name="Mia", user=mia.student))
    stream = f"/session/{session.code}/stream/?token={sign(LessonWatch(session.code, seat.number, language='en-us'))}"
    browser = key_of(signed_in(mia.student))
    with Screen(site, stream, session=browser) as device:
        device.data("part")
    leading.remove(seat)
    with Screen(site, stream, session=browser) as device, pytest.raises(EOFError):
        device.data("anything that would come for ever")
    seat.refresh_from_db()
    assert not seat.is_connected
