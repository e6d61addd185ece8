"""Changes in one web process reach screens at the others: with Redis, without it, and when it comes back."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from classrooms.live import joining, leading, topic
from classrooms.models import Attendee, Session
from games.live import tokens
from games.models import Match
from games.players import Player
from games.rules import events as did
from games.rules.records import event_from
from tests.browser.players import session_key_of
from tests.classrooms.people import enrol, make_adult, make_classroom
from tests.games.live import PATIENCE, Screen, Table, stream_path
from tests.scale.faults import soon
from tests.scale.people import Person, seated
from tools.scale.engines import wait_until
from tools.scale.processes import answers


@pytest.fixture
def table(scaled_site, people) -> str:
    """A dealt table with Ann, who joined at the first process, and Ben at the second; its code."""
    return seated(people[:2], *(web.url for web in scaled_site.web))


def version(code: str) -> int:
    return Match.objects.get(code=code).version


def events(code: str) -> list[did.Event]:
    return [event_from(row.record) for row in Match.objects.get(code=code).events.all()]


def is_closed(screen: Screen) -> bool:
    """Read until the stream ends; a stream that stays open raises."""
    try:
        while True:
            screen.message()
    except EOFError:
        return True


def is_left_by_cleo(shown: Table) -> bool:
    return "seat-2" in shown.html and shown.is_away(2)


def test_a_call_in_one_process_shows_on_the_screens_of_the_other(scaled_site, people, table):
    first, second = scaled_site.web
    ann, ben, cleo = people
    with ann.watch(first.url, table) as near, ben.watch(second.url, table) as far, cleo.watch(second.url, table) as by:
        for screen in (near, far, by):
            screen.table(lambda shown: not shown.is_away(0) and not shown.is_away(1))
        assert ben.do(second.url, table, "call").status == 200
        for screen in (near, far, by):
            assert screen.table(lambda shown: shown.control == 1).version <= version(table)
        ben.do(second.url, table, "withdraw")
        for screen in (near, far, by):
            screen.table(lambda shown: shown.control is None)


def test_what_time_brings_about_is_shown_by_all_even_when_only_the_worker_did_it(scaled_site, people):
    first, second = scaled_site.web
    ann, ben, _cleo = people
    code = seated([ann, ben], first.url, second.url, window="3")
    with ann.watch(first.url, code) as near, ben.watch(second.url, code) as far:
        ann.do(first.url, code, "call")
        for screen in (near, far):
            assert screen.table(lambda shown: shown.points(0) == -1).control is None
    assert any(isinstance(event, did.CallFailed) for event in events(code))


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_without_redis_the_screens_are_right_all_the_same_and_afterwards_too(scaled_site, people, table, how):
    first, second = scaled_site.web
    ann, ben, _cleo = people
    with ann.watch(first.url, table, seconds=soon()) as near, ben.watch(second.url, table, seconds=soon()) as far:
        scaled_site.redis.halt(how=how)
        assert ben.do(second.url, table, "call").status == 200
        for screen in (near, far):
            screen.table(lambda shown: shown.control == 1)
        scaled_site.redis.start()
        assert ben.do(second.url, table, "withdraw").status == 200
        for screen in (near, far):
            screen.table(lambda shown: shown.control is None)
        for web in scaled_site.web:
            wait_until(lambda url=web.url: answers(f"{url}/readyz/bus/"), "the bus is heard again")
        assert ann.do(first.url, table, "call").status == 200
        for screen in (near, far):
            screen.table(lambda shown: shown.control == 0)


def test_who_closes_one_of_two_screens_is_not_gone_wherever_the_other_is(scaled_site, people, table):
    first, second = scaled_site.web
    ann, ben, _cleo = people
    with ann.watch(first.url, table) as near, ben.watch(second.url, table) as kept:
        kept.table(lambda shown: not shown.is_away(1))
        closed = ben.watch(first.url, table)
        closed.table()
        closed.close()
        # Cleo, who also comes and goes, serves as the clock: her grace period ends after Ben's.
        cleo = people[2]
        cleo.join(first.url, table)
        with cleo.watch(first.url, table) as third:
            third.table()
        near.table(is_left_by_cleo)
    assert [event.seat for event in events(table) if isinstance(event, did.Disconnected)] == [2]


def test_who_reloads_and_is_sent_to_another_process_was_never_away(scaled_site, people, table):
    first, second = scaled_site.web
    ann, ben, cleo = people
    with ann.watch(first.url, table) as near:
        with ben.watch(first.url, table) as before:
            before.table()
        with ben.watch(second.url, table) as after:
            after.table()
            cleo.join(first.url, table)
            with cleo.watch(first.url, table) as third:
                third.table()
            near.table(is_left_by_cleo)
    assert [event.seat for event in events(table) if isinstance(event, did.Disconnected)] == [2]


def test_a_process_that_stops_lets_go_of_its_streams_and_the_other_takes_them(scaled_site, people, table):
    first, second = scaled_site.web
    ann, _ben, _cleo = people
    screen = ann.watch(first.url, table)
    screen.table()
    first.stop()
    assert is_closed(screen)
    screen.close()
    with ann.watch(second.url, table) as again:
        assert again.table().version == version(table)


# The screens of a lesson


@pytest.fixture
def lesson(scaled_site) -> Session:
    teacher = make_adult("Rivera")
    classroom = make_classroom(teacher)
    (mia,) = enrol(classroom, "Mia Okafor")
    lesson = leading.open_session(classroom, by=teacher)
    joining.attend(lesson, Player(name="Mia", user=mia.student))
    return lesson


def watch_lesson(site: str, lesson: Session, number: int | None) -> Screen:
    """Open the stream of a student's device or of the teacher's remote, in a signed-in browser."""
    user = lesson.made_by if number is None else lesson.attendees.get(number=number).user
    watch = topic.LessonWatch(lesson.code, number, user=user.pk, language="en-us")
    path = f"/session/{lesson.code}/stream/?token={topic.sign(watch)}"
    return Screen(site, path, session=session_key_of(user), seconds=soon())


def version_in(part: bytes) -> int:
    return int(re.search(rb'data-seen="(\d+)', part)[1])


@pytest.mark.parametrize("has_redis", [True, False])
def test_what_a_teacher_does_in_one_process_is_news_in_the_other(scaled_site, people, lesson, has_redis):
    first, second = scaled_site.web
    teacher = people[0]
    teacher.sign_in(lesson.made_by)
    with watch_lesson(second.url, lesson, 1) as device, watch_lesson(second.url, lesson, None) as board:
        wait_until(lambda: Attendee.objects.get(session=lesson).is_connected, "Mia's device is there")
        if not has_redis:
            scaled_site.redis.halt()
        for order in ("pause", "resume", "pause", "resume"):
            before = Session.objects.get(pk=lesson.pk).version
            assert teacher.post(first.url, f"/teach/session/{lesson.code}/do/{order}/").status == 200
            assert Session.objects.get(pk=lesson.pk).version > before
            for screen in (device, board):
                while version_in(screen.data("part")) <= before:
                    pass


@pytest.mark.parametrize("has_redis", [True, False])
def test_who_is_sent_out_loses_the_stream_of_another_process(scaled_site, people, lesson, has_redis):
    first, second = scaled_site.web
    teacher = people[0]
    teacher.sign_in(lesson.made_by)
    with watch_lesson(second.url, lesson, 1) as device:
        wait_until(lambda: Attendee.objects.get(session=lesson).is_connected, "Mia's device is there")
        if not has_redis:
            scaled_site.redis.halt()
        assert teacher.post(first.url, f"/teach/session/{lesson.code}/seat/1/remove/").status == 200
        assert is_closed(device)


@pytest.mark.parametrize("has_redis", [True, False])
def test_a_teacher_who_is_removed_loses_the_streams_of_another_process(scaled_site, people, lesson, has_redis):
    first, second = scaled_site.web
    stone = make_adult("Stone")
    lesson.classroom.teachers.add(stone)
    people[0].sign_in(lesson.made_by)
    leading.begin(lesson, "tables", {"size": 2, "how": "chance"})
    code = Match.objects.get(place=f"session/{lesson.code}").code
    token = topic.sign(topic.LessonWatch(lesson.code, None, user=stone.pk, language="en-us"))
    remote = f"/session/{lesson.code}/stream/?token={token}"
    table = stream_path(code, tokens.sign(tokens.TableWatch(code, None, "en-us", stone.pk)))
    browser = {"session": session_key_of(stone), "seconds": soon()}
    with Screen(second.url, remote, **browser) as at_hand, Screen(second.url, table, **browser) as at_table:
        at_hand.data("part")
        at_table.table()
        if not has_redis:
            scaled_site.redis.halt()
        path = f"/teach/{lesson.classroom_id}/teachers/{stone.pk}/remove/"
        assert people[0].post(first.url, path).status == 200
        assert is_closed(at_hand)
        assert is_closed(at_table)


@pytest.fixture
def mia(people, lesson) -> Person:
    """Mia, at a table of the lesson."""
    mia = people[1]
    mia.sign_in(Attendee.objects.get(session=lesson).user)
    leading.begin(lesson, "tables", {"size": 2, "how": "chance"})
    return mia


@contextmanager
def own_screens(mia: Person, site: str, lesson: Session) -> Iterator[tuple[Screen, Screen]]:
    """The streams of Mia's device: the lesson's and the table's."""
    page = mia.get(site, f"/session/{lesson.code}/").text
    path = re.search(r'data-stream="([^"]+)"', page)[1]
    code = Match.objects.get(place=f"session/{lesson.code}").code
    # Without notifications, sign-outs are checked every ten seconds.
    with Screen(site, path, session=mia.session, seconds=PATIENCE) as device, mia.watch(site, code) as at_table:
        device.data("part")
        at_table.table()
        yield device, at_table


@pytest.mark.parametrize("has_redis", [True, False])
def test_who_signs_out_loses_the_streams_of_another_process(scaled_site, lesson, mia, has_redis):
    first, second = scaled_site.web
    with own_screens(mia, second.url, lesson) as screens:
        if not has_redis:
            scaled_site.redis.halt()
        assert mia.post(first.url, "/account/logout/").status == 200
        assert all(is_closed(screen) for screen in screens)


@pytest.mark.parametrize("has_redis", [True, False])
def test_who_leaves_the_class_loses_the_streams_of_another_process(scaled_site, people, lesson, mia, has_redis):
    first, second = scaled_site.web
    people[0].sign_in(lesson.made_by)
    to = make_classroom(lesson.made_by, "Class 3A")
    place = lesson.classroom.enrolments.get()
    with own_screens(mia, second.url, lesson) as screens:
        if not has_redis:
            scaled_site.redis.halt()
        path = f"/teach/{lesson.classroom_id}/students/{place.pk}/move/"
        assert people[0].post(first.url, path, to=to.pk).status == 200
        assert to.enrolments.exists()
        assert all(is_closed(screen) for screen in screens)


def test_a_device_with_a_stream_counts_as_there_whatever_another_process_believed(scaled_site, lesson):
    with watch_lesson(scaled_site.web[0].url, lesson, 1):
        wait_until(lambda: Attendee.objects.get(session=lesson).is_connected, "Mia's device is there")
        Attendee.objects.filter(session=lesson).update(is_connected=False)
        wait_until(lambda: Attendee.objects.get(session=lesson).is_connected, "Mia's device is there again")
