"""Playing as a guest and then signing in: the first to sign in keeps everything, and nobody after them gets it."""

from __future__ import annotations

import re
from functools import partial

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from classrooms.live import joining, leading
from classrooms.live.report import session_report
from classrooms.models import Answer, Attendee, Enrolment
from core.actors import Actor, merge_guest
from core.db import locks
from core.jobs import queue
from core.jobs.kinds import JobResult
from games.live import tokens
from games.live.render import render
from games.matches import service as matches
from games.matches import store
from games.models import Match, PuzzleResult, Seat, Way
from games.players import friendly_names
from games.puzzles import PuzzleDeck, board_of
from games.rules import Options, find_sets
from games.rules import commands as ask
from games.rules.errors import Refused
from games.rules.state import Phase
from tests.classrooms.concurrency import at_once
from tests.classrooms.live.lesson import Lesson, a_lesson
from tests.classrooms.people import enrol, make_adult, make_classroom

pytestmark = pytest.mark.django_db
NOW = 1_800_000_000.0


@pytest.fixture(autouse=True)
def _nothing_counted_yet():
    cache.clear()


@pytest.fixture
def mia() -> Enrolment:
    return enrol(make_classroom(make_adult()), "Mia Okafor", "Noah Brandt")[0]


def tap_in(client: Client, place: Enrolment) -> None:
    """Sign in with the class code, the name and the three pictures."""
    response = client.post(f"/join/{place.classroom.code}/{place.pk}/", {"tapped": place.student.pictures})
    assert response.status_code == 302


def guest_of(client: Client) -> Actor:
    guest = client.session["guest"]
    return Actor(name=guest["name"], guest=guest["key"])


def open_game(client: Client, way: str = "alone") -> str:
    """Open a game from the lobby; return its code."""
    response = client.post(
        f"/play/open/{way}/", {"edition": "us", "deck": "full", "window": "none", "votes": "checked"}
    )
    assert response.status_code == 302, response.text
    return response.headers["Location"].split("/")[2]


# Tables


def test_a_running_game_goes_on_in_the_same_seat(client, mia):
    code = open_game(client)
    tap_in(client, mia)
    page = client.get(f"/play/{code}/")
    seat = Seat.objects.get(match__code=code)
    assert (seat.user, seat.number, seat.name) == (mia.student, 0, "Mia")
    watch = tokens.read(re.search(r'token=([^"&]+)', page.text)[1])
    assert (watch.code, watch.seat, watch.user) == (code, 0, mia.student.pk)
    match = Match.objects.get(code=code)
    response = client.post(f"/play/{code}/call/", {"version": match.version})
    assert response.status_code in {200, 302}
    assert Match.objects.get(code=code).state.control.seat == 0
    assert code in client.get("/play/").text


def test_the_log_of_a_game_that_went_on_tells_the_same_game(client, mia):
    code = open_game(client)
    before = Match.objects.get(code=code).state
    tap_in(client, mia)
    after = Match.objects.get(code=code).state
    assert (after.table, after.deck, after.seats, after.votes) == (
        before.table,
        before.deck,
        before.seats,
        before.votes,
    )
    assert Match.objects.get(code=code).phase == Phase.PLAYING


def test_at_a_table_that_anybody_may_watch_nobody_is_called_by_their_name(client, mia):
    code = open_game(client, "together")
    name = Seat.objects.get(match__code=code).name
    tap_in(client, mia)
    seat = Seat.objects.get(match__code=code)
    assert (seat.user, seat.name) == (mia.student, name)
    assert name in friendly_names()


def test_a_stream_that_was_opened_as_a_guest_shows_the_game_further(client, mia):
    code = open_game(client)
    seat = tokens.read(re.search(r'token=([^"&]+)', client.get(f"/play/{code}/").text)[1]).seat
    tap_in(client, mia)
    shown = render(store.match_of(code), "en-us")
    assert seat not in shown.shut_out
    assert shown.number == Match.objects.get(code=code).version


def a_table_of(*players: Actor) -> str:
    """Open a running game of these players with a SET on the table; return its code."""
    first, *others = players
    match = matches.open_match(
        way=Way.TOGETHER, options=Options(window=None), player=first, others=others, seed="pairs", now=NOW
    )
    matches.command(match.code, ask.Deal(0), now=NOW)
    return match.code


def test_where_the_user_sits_already_that_seat_stays_and_the_guests_gets_up(client, mia):
    open_game(client, "together")
    guest, me = guest_of(client), Actor(name="Mia", user=mia.student)
    code = a_table_of(guest, me)
    matches.command(code, ask.Call(0), now=NOW + 1)
    matches.command(code, ask.Pick(0, find_sets(Match.objects.get(code=code).state.table)[0]), now=NOW + 1)
    tap_in(client, mia)
    match = Match.objects.get(code=code)
    mine, theirs = match.seats.get(number=1), match.seats.get(number=0)
    assert mine.user == mia.student
    assert (theirs.user, theirs.name) == (None, "Player 1")
    assert theirs.guest != guest.guest
    assert [seat.number for seat in match.state.seated] == [1]
    assert match.state.seats[0].sets, "the moves stay"
    assert client.get(f"/play/{code}/").status_code == 200


# Puzzles and jobs


def test_the_days_puzzle_is_there(client, mia):
    day = timezone.now().date()
    cards = [card.index for card in find_sets(board_of(day, PuzzleDeck.EASY))[0]]
    client.post("/play/daily/easy/find/", {"card": cards, "day": day.isoformat()})
    tap_in(client, mia)
    assert PuzzleResult.objects.get().user == mia.student
    assert len(client.get("/play/daily/easy/").context["found"]) == 1


def test_a_job_and_its_file_are_there(client, mia, monkeypatch):
    monkeypatch.setattr(queue, "_starters", [])
    asked = {"what": "deals", "deck": "full", "cards": "12", "count": "200000", "seed": "7"}
    address = client.post("/lab/", asked).headers["Location"]
    queue.complete(queue.claim_next(), JobResult(file=b"made", name="made.pdf"))
    tap_in(client, mia)
    assert client.get(address).status_code == 200
    assert client.get("/jobs/").text.count(address) == 1
    assert b"".join(client.get(f"{address}file/")) == b"made"


# Lessons


@pytest.fixture
def lesson() -> Lesson:
    """A lesson with Mia and Noah that guests may join."""
    return a_lesson(2, guests=True)


def a_guest(lesson: Lesson) -> Client:
    client = Client()
    client.post(f"/session/{lesson.code}/join/")
    lesson.devices.append(client)
    return client


def late(lesson: Lesson, name: str = "Lina Haddad") -> Enrolment:
    """A student of the class who hasn't joined the lesson."""
    return enrol(lesson.session.classroom, name)[0]


def test_the_seat_in_a_lesson_becomes_the_students_with_name_and_answers(lesson):
    client, lina = a_guest(lesson), late(lesson)
    lesson.begin("triples")
    lesson.act(2, yes="1")
    made_up = lesson.seats[2].name
    tap_in(client, lina)
    seat = lesson.seats[2]
    assert (seat.user, seat.number, seat.name) == (lina.student, 3, "Lina")
    assert seat.answers.count() == 1
    assert len(lesson.seats) == 3
    assert "Lina" in client.get(f"/session/{lesson.code}/").text
    assert "Lina" in lesson.remote()
    assert made_up not in lesson.remote()
    assert lesson.act(2, yes="1").status_code == 422, "it was answered already"
    report = session_report(lesson.session)
    assert [(line.real_name, line.total.answers) for line in report.there if line.enrolment == lina] == [
        ("Lina Haddad", 1)
    ]
    assert report.guests == ()


def test_the_game_at_a_table_of_a_lesson_goes_on_under_the_students_name(lesson):
    client, lina = a_guest(lesson), late(lesson)
    lesson.begin("tables", size=6, how="chance")
    code = lesson.activity.state["tables"][0]["codes"][0]
    before = Seat.objects.get(match__code=code, guest=guest_of(client).guest)
    tap_in(client, lina)
    after = Seat.objects.get(pk=before.pk)
    assert (after.user, after.number, after.name) == (lina.student, before.number, "Lina")
    assert len(Match.objects.get(code=code).state.seated) == 3
    assert code in client.get(f"/session/{lesson.code}/part/").text
    assert client.get(f"/play/{code}/").status_code == 200
    assert "Lina" in lesson.projector()


def test_the_buzzer_of_a_box_game_stays(lesson):
    client, lina = a_guest(lesson), late(lesson)
    lesson.begin("box", deck="full", window="10")
    tap_in(client, lina)
    assert lesson.act(2, do="call").status_code == 200
    assert Match.objects.get().state.control.seat == lesson.activity.state["seats"]["seat-3"]


def test_a_student_who_has_a_seat_keeps_it_and_gets_the_answers_that_they_gave_as_a_guest(lesson):
    client = a_guest(lesson)
    mia = lesson.seats[0].user.enrolments.get()
    lesson.begin("triples")
    lesson.act(2, yes="1")
    lesson.steer("reveal")
    lesson.steer("next")
    lesson.act(0, yes="1")
    lesson.act(2, no="1")
    kept = Answer.objects.get(attendee=lesson.seats[0], round=2)
    tap_in(client, mia)
    assert sorted(lesson.seats[0].answers.values_list("round", flat=True)) == [1, 2]
    assert lesson.seats[0].answers.get(round=2) == kept
    left = lesson.seats[2]
    assert left.removed_at
    assert not left.answers.exists()
    assert not Attendee.objects.exclude(guest="").exclude(pk=left.pk).exists()
    page = lesson.remote()
    assert left.name not in page, "there's nobody to let back in"
    assert "You" in client.get(f"/session/{lesson.code}/").text
    assert session_report(lesson.session).guests == ()


def test_whoever_comes_next_does_not_get_the_number_of_a_seat_that_was_left_for_ones_own(lesson):
    client = a_guest(lesson)
    tap_in(client, lesson.seats[0].user.enrolments.get())
    a_guest(lesson)
    assert [seat.number for seat in lesson.seats] == [1, 2, 3, 4]


def test_a_student_with_two_seats_at_tables_plays_on_at_their_own(lesson):
    client = a_guest(lesson)
    lesson.begin("tables", size=2, how="chance")
    mia = lesson.seats[0].user
    own = Seat.objects.get(user=mia)
    tap_in(client, mia.enrolments.get())
    sitting = [
        (match.code, seat.number) for match in Match.objects.all() for seat in match.state.seated if seat.is_seated
    ]
    assert (own.match.code, own.number) in sitting
    assert len(sitting) == 2
    assert own.match.code in client.get(f"/session/{lesson.code}/part/").text


def test_after_the_lesson_the_seat_and_its_answers_are_the_students(lesson):
    client, lina = a_guest(lesson), late(lesson)
    lesson.begin("triples")
    lesson.act(2, yes="1")
    lesson.order("end")
    tap_in(client, lina)
    (seat,) = Attendee.objects.filter(user=lina.student)
    assert (seat.name, seat.answers.count()) == ("Lina", 1)


def test_after_the_lesson_two_seats_of_one_student_are_one(lesson):
    client = a_guest(lesson)
    lesson.order("end")
    tap_in(client, lesson.seats[0].user.enrolments.get())
    assert len(lesson.seats) == 2


def test_whoever_is_not_of_the_class_gets_up_and_nobody_new_has_to_wait(lesson):
    client = a_guest(lesson)
    lesson.begin("triples")
    lesson.act(2, yes="1")
    name = lesson.seats[2].name
    (elsewhere,) = enrol(make_classroom(make_adult("Stone"), "Class 3A"), "Zoe Stern")
    tap_in(client, elsewhere)
    seat = lesson.seats[2]
    assert (seat.user, seat.name, seat.removed_at is not None) == (elsewhere.student, name, True)
    assert [line.name for line in session_report(lesson.session).guests] == [name], "no student of this class"
    assert client.get(f"/session/{lesson.code}/part/").status_code == 404
    assert f"Let {name}" not in lesson.remote()
    assert "You are in!" in a_guest(lesson).get(f"/session/{lesson.code}/").text


def test_an_adult_who_tried_the_lesson_as_a_guest_is_no_student_in_its_report(lesson):
    client = a_guest(lesson)
    lesson.begin("triples")
    lesson.act(2, yes="1")
    name = lesson.seats[2].name
    client.force_login(make_adult("Green"))
    report = session_report(lesson.session)
    assert [line.name for line in report.guests] == [name]
    assert len(report.there) == 2


def test_whoever_was_taken_out_as_a_guest_is_not_let_in_by_signing_in(lesson):
    client, lina = a_guest(lesson), late(lesson)
    lesson.seat(2, "remove")
    tap_in(client, lina)
    page = client.get(f"/session/{lesson.code}/").text
    assert "Your teacher has taken you out of this lesson." in page
    assert "Lina" in lesson.remote(), "the teacher finds them there"
    lesson.seat(2, "readmit")
    assert lesson.seats[2].removed_at is None


def test_a_guest_before_the_door_who_turns_out_to_be_a_student_comes_in(lesson):
    lesson.seat(0, "remove")
    client, lina = a_guest(lesson), late(lesson)
    assert lesson.session.waiting.count() == 1
    tap_in(client, lina)
    assert "You are in!" in client.get(f"/session/{lesson.code}/").text
    assert not lesson.session.waiting.exists()


def test_what_the_guest_had_is_shown_on_the_screens_that_are_open(lesson):
    client, lina = a_guest(lesson), late(lesson)
    before = lesson.session.version
    tap_in(client, lina)
    assert lesson.session.version == before + 1


# Shared tablets


def test_who_signs_in_after_another_takes_nothing_of_theirs(client, mia):
    noah = mia.classroom.enrolments.exclude(pk=mia.pk).get()
    code = open_game(client)
    tap_in(client, mia)
    client.post("/account/logout/")
    tap_in(client, noah)
    assert Seat.objects.get(match__code=code).user == mia.student
    assert client.get(f"/play/{code}/").status_code == 404


def test_what_one_did_signed_in_stays_theirs_when_somebody_else_signs_in(client, mia):
    noah = mia.classroom.enrolments.exclude(pk=mia.pk).get()
    tap_in(client, mia)
    code = open_game(client)
    tap_in(client, noah)
    assert Seat.objects.get(match__code=code).user == mia.student


def test_after_signing_out_one_is_another_guest(client, mia):
    open_game(client)
    before = guest_of(client)
    tap_in(client, mia)
    client.post("/account/logout/")
    open_game(client)
    assert guest_of(client).guest != before.guest


def test_a_wrong_picture_takes_nothing_along(client, mia):
    code = open_game(client)
    client.post(f"/join/{mia.classroom.code}/{mia.pk}/", {"tapped": list(reversed(mia.student.pictures))})
    assert Seat.objects.get(match__code=code).user is None
    assert client.get(f"/play/{code}/").status_code == 200


# Races

ROUNDS = 6


def guest_number(number: int) -> Actor:
    return Actor(name=f"Guest {number}", guest=f"{number:032}")


@pytest.mark.django_db(transaction=True)
def test_two_guests_of_two_tables_who_sign_in_at_once_never_wait_for_each_other():
    places = enrol(make_classroom(make_adult()), "Ann Lee", "Ben Moor")
    users = [Actor(name=place.student.display_name, user=place.student) for place in places]
    for turn in range(ROUNDS):
        guests = [guest_number(2 * turn), guest_number(2 * turn + 1)]
        codes = [a_table_of(*guests), a_table_of(*reversed(guests))]
        done = at_once([partial(merge_guest, *pair) for pair in zip(guests, users, strict=True)])
        assert done == [None, None]
        for code in codes:
            owners = Seat.objects.filter(match__code=code).values_list("user", flat=True)
            assert set(owners) == {each.user.pk for each in users}


@pytest.mark.django_db(transaction=True)
def test_a_user_who_sits_down_while_the_guest_that_they_were_is_merged_has_one_seat():
    (place,) = enrol(make_classroom(make_adult()), "Ann Lee")
    ann = Actor(name="Ann", user=place.student)
    for turn in range(ROUNDS):
        guest, other = guest_number(2 * turn), guest_number(2 * turn + 1)
        code = a_table_of(guest, other)
        done = at_once([partial(merge_guest, guest, ann), partial(matches.join, code, ann, now=NOW + 1)])
        assert not [each for each in done if isinstance(each, Exception)], done
        assert Seat.objects.of(ann).filter(match__code=code).count() == 1
        assert not Seat.objects.of(guest).exists()
        match = Match.objects.get(code=code)
        assert match.seats.count() == len(match.state.seats)


def test_sitting_down_is_decided_again_where_signing_in_has_brought_a_seat_meanwhile(mia, monkeypatch):
    guest, me = guest_number(1), Actor(name="Mia", user=mia.student)
    code = a_table_of(guest, guest_number(2))
    decide, merged = matches.decide, []

    def decide_late(state, order, now):
        if isinstance(order, ask.Join) and not merged:
            merged.append(matches.merge_guest(guest, me, now))
        return decide(state, order, now)

    monkeypatch.setattr(matches, "decide", decide_late)
    matches.join(code, me, now=NOW + 1)
    assert merged
    assert Seat.objects.of(me).filter(match__code=code).count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_call_of_a_guest_who_signs_in_at_the_same_instant_counts_once_or_not_at_all():
    (place,) = enrol(make_classroom(make_adult()), "Ann Lee")
    ann = Actor(name="Ann", user=place.student)
    for turn in range(ROUNDS):
        guest, other = guest_number(2 * turn), guest_number(2 * turn + 1)
        code = a_table_of(guest, other)
        seen = Match.objects.get(code=code).version
        merged, called = at_once(
            [partial(merge_guest, guest, ann), partial(matches.act, code, guest, ask.Call, now=NOW + 1, seen=seen)]
        )
        assert merged is None
        assert isinstance(called, matches.Written | Refused)
        assert Seat.objects.of(ann).filter(match__code=code, number=0).exists()


@pytest.mark.django_db(transaction=True)
def test_a_student_who_comes_in_on_one_device_and_signs_in_as_a_guest_on_another_has_one_seat():
    classroom = make_classroom(make_adult())
    (place,) = enrol(classroom, "Ann Lee")
    ann, before = Actor(name="Ann", user=place.student), ""
    for turn in range(ROUNDS):
        session = leading.open_session(classroom, by=classroom.teachers.get(), allows_guests=True, instead_of=before)
        before, guest = session.code, guest_number(turn)
        joining.attend(session, guest)
        leading.begin(session, "tables", {"deck": "full", "window": "10", "size": 2, "how": "chance"})
        done = at_once([partial(merge_guest, guest, ann), partial(joining.attend, session, ann)])
        assert not [each for each in done if isinstance(each, Exception)], done
        assert session.attendees.filter(removed_at=None).get().user == place.student
        (match,) = [each for each in Match.objects.filter(place=f"session/{session.code}") if each.state.seated]
        (seat,) = match.state.seated
        assert match.seats.get(number=seat.number).user == place.student


def test_signing_in_locks_lessons_before_tables_and_tables_before_people(lesson, monkeypatch):
    noted: list[locks.LockLevel] = []
    note = locks.note_lock
    monkeypatch.setattr(locks, "note_lock", lambda level, word="": (noted.append(level), note(level, word)))
    guest, lina = guest_number(1), late(lesson)
    joining.attend(lesson.session, guest)
    lesson.begin("tables", size=2, how="chance")
    noted.clear()
    merge_guest(guest, Actor(name="Lina", user=lina.student))
    assert noted == sorted(noted)
    assert set(noted) == {locks.LockLevel.SESSION, locks.LockLevel.MATCH, locks.LockLevel.PERSON}
