"""Lesson streams over real HTTP: they end for people who are removed, and waiting guests are notified."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from classrooms.classes import students
from classrooms.classes.service import remove_teacher
from classrooms.live import joining, leading, seats, topic
from classrooms.live.changes import changed
from classrooms.live.errors import LessonRefusal
from classrooms.live.topic import DOOR, LessonWatch, sign
from classrooms.live.wall import AFTERWARDS, LONGEST, wall_key
from classrooms.models import Attendee, Enrolment, Session, User
from classrooms.privacy.deleting import delete_adult, delete_child, delete_class
from core.actors import merge_guest
from core.live import hub as live_hub
from games.live import tokens
from games.models import Match
from games.players import Player
from tests.browser.players import session_key_of
from tests.classrooms.live.page_streams import PageStream, is_closed, is_refused, key_of
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in
from tests.games.live import PATIENCE, Screen, Table, stream_path


@pytest.fixture
def session(transactional_db) -> Session:
    cache.clear()
    teacher = make_adult("Rivera")
    classroom = make_classroom(teacher)
    enrol(classroom, "Mia Okafor", "Noah Brandt")
    return leading.open_session(classroom, by=teacher)


def seated(session: Session) -> list[Attendee]:
    pupils = [each.student for each in session.classroom.enrolments.present()]
    return [joining.attend(session, Player(name=each.display_name, user=each)) for each in pupils]


def path(session: Session, number: int) -> str:
    return f"/session/{session.code}/stream/?token={sign(LessonWatch(session.code, number, language='en-us'))}"


def own_screen(site: str, session: Session, seat: Attendee) -> Screen:
    """The stream of a device with the student signed in."""
    return Screen(site, path(session, seat.number), session=key_of(signed_in(seat.user)))


def has_left(table: Table, seat: int) -> bool:
    return f'class="seat seat-{seat}' not in table.html


def test_whoever_is_taken_out_loses_the_streams_of_the_lesson_and_of_the_table(site, session):
    mia, noah = seated(session)
    leading.begin(session, "tables", {"size": 2, "how": "chance"})
    match = Match.objects.get()
    mine, other = (match.seats.get(user=each.user).number for each in (mia, noah))
    with (
        own_screen(site, session, mia) as lesson,
        Screen.of(site, match.code, seat=mine) as table,
        Screen.of(site, match.code, seat=other) as classmate,
    ):
        table.table()
        leading.remove(mia)
        for screen in (lesson, table):
            with pytest.raises(EOFError):
                screen.data("what never comes")
        classmate.table(until=lambda shown: has_left(shown, mine))
    with Screen.of(site, match.code, seat=mine) as again, pytest.raises(EOFError):
        again.table()
    with Screen.of(site, match.code, seat=other) as classmate:
        assert classmate.table().cards


def test_a_device_whose_student_goes_to_paper_loses_its_stream_and_the_seat_stays(site, session):
    mia, _noah = seated(session)
    with own_screen(site, session, mia) as device:
        device.data("part")
        seats.put_on_paper(mia)
        assert is_closed(device)
    assert is_refused(site, PageStream(path(session, mia.number), key_of(signed_in(mia.user))))
    mia.refresh_from_db()
    assert (mia.is_on_paper, mia.is_connected, mia.removed_at) == (True, True, None)


def test_whoever_is_let_back_in_has_both_streams_again(site, session):
    mia, _noah = seated(session)
    leading.begin(session, "tables", {"size": 2, "how": "chance"})
    match = Match.objects.get()
    mine = match.seats.get(user=mia.user).number
    leading.remove(mia)
    seats.readmit(mia)
    with Screen.of(site, match.code, seat=mine) as table, own_screen(site, session, mia) as lesson:
        assert table.table().cards
        lesson.data("part")


def test_a_name_that_the_teacher_changes_is_on_the_table_at_once(site, session):
    mia, noah = seated(session)
    leading.begin(session, "tables", {"size": 2, "how": "chance"})
    match = Match.objects.get()
    with Screen.of(site, match.code, seat=match.seats.get(user=noah.user).number) as classmate:
        assert "Mia" in classmate.table().html
        leading.rename(mia, "Captain")
        assert "Mia" not in classmate.table(until=lambda shown: "Captain" in shown.html).html


def test_a_device_before_the_door_hears_that_it_opens(site, session):
    leading.set_lock(session, True)
    with Screen(site, path(session, DOOR)) as door:
        door.data("changed")
        leading.set_lock(session, False)
        door.data("changed")
    assert not session.attendees.exists(), "whoever listens at the door has no seat"


# Students who leave the class


@pytest.fixture
def at_once(monkeypatch) -> None:
    """Turn off the periodic check, so that streams can only end because of a notification."""
    monkeypatch.setattr(live_hub, "HEARTBEAT_SECONDS", 10 * PATIENCE)


def place_of(student: User, session: Session) -> Enrolment:
    return session.classroom.enrolments.get(student=student)


def moved(session: Session, student: User) -> None:
    """Move the student to another class of the same teacher; they stay signed in."""
    to = make_classroom(session.made_by, "Class 3A")
    students.move_student(place_of(student, session), to, by=session.made_by)


def handed_over(session: Session, student: User) -> None:
    colleague = make_adult("Colleague")
    offer = students.offer_student(place_of(student, session), make_classroom(colleague), by=session.made_by)
    students.accept_student(offer, by=colleague)


def removed(session: Session, student: User) -> None:
    """Remove the student; the account stays, because the student is in another class too."""
    Enrolment.objects.create(classroom=make_classroom(session.made_by), student=student, real_name="Mia")
    assert not students.remove_student(place_of(student, session), by=session.made_by)


def removed_for_good(session: Session, student: User) -> None:
    assert students.remove_student(place_of(student, session), by=session.made_by)


def child_deleted(session: Session, student: User) -> None:
    delete_child(student, by=session.made_by, now=timezone.now(), classroom=session.classroom)


def class_deleted(session: Session, student: User) -> None:
    """Delete the class; the student is in another class too, and stays signed in."""
    Enrolment.objects.create(classroom=make_classroom(session.made_by), student=student, real_name="Mia")
    delete_class(session.classroom, by=session.made_by, now=timezone.now())


WAYS_OUT = [moved, handed_over, removed, removed_for_good, child_deleted, class_deleted]
Leaves = Callable[[Session, User], None]


@pytest.fixture
def mia(session) -> Attendee:
    """Mia, at a table with Noah."""
    mia, _noah = seated(session)
    leading.begin(session, "tables", {"size": 2, "how": "chance"})
    return mia


def streams_of_student(student: User, session: Session) -> list[PageStream]:
    """The streams of a student's device: the lesson's and the table's."""
    client = signed_in(student)
    lesson = PageStream.on(f"/session/{session.code}/", client)
    return [lesson, PageStream.on(f"/play/{Match.objects.get().code}/", client)]


@pytest.mark.parametrize("leaves", WAYS_OUT)
def test_a_student_who_leaves_the_class_loses_the_streams_of_lesson_and_table(
    site, session, mia, at_once, leaves: Leaves
):
    lesson, table = streams_of_student(mia.user, session)
    with lesson.open(site) as device, table.open(site) as at_table:
        device.data("part")
        at_table.table()
        leaves(session, mia.user)
        assert is_closed(device)
        assert is_closed(at_table)
    for old in (lesson, table, *without_user(session, mia)):
        assert is_refused(site, old)
    mia.refresh_from_db()
    assert mia.removed_at
    assert not mia.is_connected


def without_user(session: Session, attendee: Attendee) -> list[PageStream]:
    """Streams of a page from before tokens named their user."""
    match = Match.objects.get()
    seat = match.seats.get(user=attendee.user).number
    table = stream_path(match.code, tokens.sign(tokens.TableWatch(match.code, seat, "en-us")))
    return [PageStream(path(session, attendee.number)), PageStream(table)]


@pytest.mark.parametrize("leaves", WAYS_OUT)
def test_a_student_who_leaves_the_class_is_taken_out_whether_or_not_a_stream_is_open(session, mia, leaves: Leaves):
    seat, page = Match.objects.get().seats.get(user=mia.user).number, f"/play/{Match.objects.get().code}/"
    assert "stream/?token" in signed_in(mia.user).get(page).text
    leaves(session, mia.user)
    mia.refresh_from_db()
    assert mia.removed_at
    assert not Match.objects.get().state.seats[seat].is_seated
    # With the class deleted the match is over, and Mia may still see its end.
    assert "stream/?token" not in signed_in(mia.user).get(page).text


def test_classmates_of_a_student_who_leaves_the_class_play_on(site, session, mia, at_once):
    noah = session.attendees.exclude(pk=mia.pk).get()
    lesson, table = streams_of_student(noah.user, session)
    number = Match.objects.get().seats.get(user=mia.user).number
    with lesson.open(site) as device, table.open(site) as at_table:
        at_table.table()
        device.data("part")
        moved(session, mia.user)
        at_table.table(until=lambda shown: has_left(shown, number))
        device.data("part")


def test_a_student_who_has_left_the_class_cannot_be_let_back_in(session, mia):
    moved(session, mia.user)
    assert not seats.taken_out(session).exists()
    with pytest.raises(LessonRefusal):
        seats.readmit(mia)
    assert seats.departed().get() == mia


def test_a_student_who_left_without_a_word_is_taken_out_at_the_next_look(site, session, mia, often):
    lesson, table = streams_of_student(mia.user, session)
    with lesson.open(site) as device, table.open(site) as at_table:
        device.data("part")
        at_table.table()
        Enrolment.objects.filter(student=mia.user).delete()
        assert is_closed(device)
        assert is_closed(at_table)
    mia.refresh_from_db()
    assert mia.removed_at


def test_leaving_the_class_changes_nothing_about_a_lesson_that_is_over(session, mia):
    leading.end(session)
    moved(session, mia.user)
    mia.refresh_from_db()
    assert mia.removed_at is None, "the report of the lesson stays as it was"


# Teachers, and the wall


@pytest.fixture
def colleague(session) -> User:
    """Another teacher of the class."""
    stone = make_adult("Stone")
    session.classroom.teachers.add(stone)
    return stone


@pytest.fixture
def match(session) -> Match:
    seated(session)
    leading.begin(session, "tables", {"size": 2, "how": "chance"})
    return Match.objects.get()


@pytest.fixture
def often(monkeypatch) -> None:
    """Check viewers at every heartbeat, instead of every ten seconds."""
    monkeypatch.setattr(live_hub, "HEARTBEAT_SECONDS", 0.0)


def streams_of(teacher: User, session: Session, match: Match) -> list[PageStream]:
    """The streams of a teacher's remote, projector and view of a table."""
    lead, client = f"/teach/session/{session.code}", signed_in(teacher)
    return [PageStream.on(page, client) for page in (f"{lead}/remote/", f"{lead}/screen/", f"/play/{match.code}/")]


def shows_a_table(site: str, stream: PageStream) -> bool:
    with stream.open(site) as screen:
        try:
            return bool(screen.table())
        except EOFError:
            return False


def taken_out(session: Session, teacher: User) -> None:
    remove_teacher(session.classroom, teacher, by=session.made_by)


def deleted(session: Session, teacher: User) -> None:
    delete_adult(teacher, now=timezone.now())


def without_class(session: Session, teacher: User) -> None:
    delete_class(session.classroom, by=session.made_by, now=timezone.now())


@pytest.mark.parametrize("going", [taken_out, deleted, without_class])
def test_a_teacher_who_goes_loses_the_streams_of_remote_projector_and_table(
    site, session, match, colleague, going: Callable[[Session, User], None], at_once
):
    old = streams_of(colleague, session, match)
    screens = [stream.open(site) for stream in old]
    for screen, word in zip(screens, ("part", "part", "table"), strict=True):
        screen.data(word)
    going(session, colleague)
    assert [is_closed(screen) for screen in screens] == [True] * 3
    for screen in screens:
        screen.close()


@pytest.mark.parametrize("going", [taken_out, deleted, without_class])
def test_the_tokens_of_a_teacher_who_is_gone_open_nothing(
    site, session, match, colleague, going: Callable[[Session, User], None]
):
    remote, projector, table = streams_of(colleague, session, match)
    assert shows_a_table(site, table)
    going(session, colleague)
    assert not shows_a_table(site, table)
    assert is_refused(site, remote)
    assert is_refused(site, projector)


def test_the_streams_of_a_teacher_who_stays_go_on_and_open_again(site, session, match, colleague, often):
    remote, projector, table = streams_of(session.made_by, session, match)
    mia, _noah = session.attendees.order_by("number")
    for name in ("Captain", "Comet"):
        with (
            remote.open(site) as at_hand,
            projector.open(site) as on_the_wall,
            table.open(site) as at_the_table,
        ):
            at_the_table.table()
            if name == "Captain":
                taken_out(session, colleague)
            for screen in (at_hand, on_the_wall):
                screen.data("part")
            leading.rename(mia, name)
            for screen in (at_hand, on_the_wall):
                screen.data("part")
            at_the_table.table(until=lambda shown, name=name: name in shown.html)


def test_a_removal_that_nobody_told_us_of_ends_the_streams_at_the_next_look(site, session, match, colleague, often):
    streams = streams_of(colleague, session, match)
    screens = [stream.open(site) for stream in streams]
    for screen, word in zip(screens, ("part", "part", "table"), strict=True):
        screen.data(word)
    session.classroom.teachers.remove(colleague)
    assert [is_closed(screen) for screen in screens] == [True] * 3
    for screen in screens:
        screen.close()


@pytest.mark.parametrize("made_for", [{}, {"key": "BCDFGHJKLM"}, {"user": 0}])
def test_a_teachers_stream_is_for_somebody(site, session, made_for, monkeypatch):
    # It's refused when it opens, not by the next periodic check.
    monkeypatch.setattr(live_hub, "HEARTBEAT_SECONDS", 10 * PATIENCE)
    token = sign(LessonWatch(session.code, None, **made_for))
    browser = session_key_of(session.made_by)
    assert is_refused(site, PageStream(f"/session/{session.code}/stream/?token={token}", browser))


def over_for_a_while(session: Session) -> dict[str, object]:
    return {"ended_at": timezone.now() - AFTERWARDS - timedelta(seconds=1)}


def open_for_too_long(session: Session) -> dict[str, object]:
    return {"opened_at": timezone.now() - LONGEST - timedelta(seconds=1)}


@pytest.mark.parametrize("ending", [over_for_a_while, open_for_too_long])
def test_the_stream_of_the_wall_ends_with_its_key_and_the_teachers_does_not(site, session, client, ending, often):
    address = reverse("wall:screen", args=[session.code, wall_key(session)])
    stream = PageStream.on(address, client)
    remote = PageStream.on(f"/teach/session/{session.code}/remote/", signed_in(session.made_by))
    with stream.open(site) as wall, remote.open(site) as teacher:
        wall.data("part")
        teacher.data("part")
        Session.objects.update(**ending(session))
        assert is_closed(wall)
        changed(session)
        teacher.data("part")
    assert is_refused(site, stream)


def test_the_stream_of_the_wall_opens_again_while_its_key_is_good(site, session, client):
    address = reverse("wall:screen", args=[session.code, wall_key(session)])
    stream = PageStream.on(address, client)
    for is_locked in (True, False):
        with stream.open(site) as wall:
            wall.data("part")
            leading.set_lock(session, is_locked)
            wall.data("part")


def test_a_lesson_opened_as_a_guest_is_the_students_after_signing_in_and_ends_when_they_sign_out(site, session):
    """The page was opened before signing in, in another tab of a shared tablet."""
    Session.objects.filter(pk=session.pk).update(allows_guests=True)
    session.refresh_from_db()
    mia = session.classroom.enrolments.present().first().student
    seat = joining.attend(session, Player(name="Otter", guest="a" * 32))
    browser = Client(headers={"host": "localhost"})
    merge_guest(Player(name="Otter", guest="a" * 32), Player(name=mia.display_name, user=mia))
    assert Attendee.objects.get(pk=seat.pk).user == mia
    stream = path(session, seat.number)
    assert is_refused(site, PageStream(stream)), "nobody is signed in there"
    browser.force_login(mia)
    with PageStream(stream, key_of(browser)).open(site) as screen:
        screen.data("part")
        browser.logout()
        topic.hub.check_rights()
        assert is_closed(screen)
