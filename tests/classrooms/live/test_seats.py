"""Lesson seats: paper, removal and return, waiting guests, and room for the class."""

from __future__ import annotations

import pytest
from django.test import Client

from classrooms.live import leading, seats
from classrooms.live.errors import LessonRefusal
from classrooms.live.joining import set_connected
from classrooms.models import Answer, Attendee, Session, User
from games.models import Seat
from tests.classrooms.live.lesson import Lesson, a_lesson
from tests.classrooms.people import enrol, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def open_lesson() -> Lesson:
    return a_lesson(2, guests=True)


def absent(lesson: Lesson, *names: str) -> list[User]:
    return [each.student for each in enrol(lesson.session.classroom, *names)]


def names(lesson: Lesson) -> list[str]:
    return [seat.name for seat in lesson.seats if seat.removed_at is None]


def a_guest(lesson: Lesson) -> Client:
    guest = Client()
    guest.post(f"/session/{lesson.code}/join/")
    return guest


def shows(client: Client, lesson: Lesson) -> str:
    return client.get(f"/session/{lesson.code}/").text


# On paper


def test_only_those_who_are_ticked_get_a_seat_on_paper(lesson):
    theo, ines = absent(lesson, "Theo Martin", "Ines Lopez")
    assert "Theo Martin" in lesson.remote()
    lesson.give_paper(theo)
    assert names(lesson) == ["Mia", "Noah", "Lina", "Theo"]
    assert f'name="student" value="{theo.pk}"' not in lesson.remote()
    assert f'name="student" value="{ines.pk}"' in lesson.remote()


def test_paper_is_for_absent_students_of_the_class_and_for_nobody_else(lesson):
    (stranger,) = absent(a_lesson(1), "Zoe Stern")
    response = lesson.give_paper(stranger, lesson.seats[0].user)
    assert response.status_code == 422
    assert "Choose who doesn&#x27;t have a device." in response.text
    assert len(lesson.seats) == 3


def test_a_seat_on_paper_is_taken_back_and_given_again(lesson):
    (theo,) = absent(lesson, "Theo Martin")
    lesson.give_paper(theo)
    lesson.seat(3, "remove")
    assert "Theo" not in names(lesson)
    assert "Let Theo back in" not in lesson.remote(), "nobody was taken out"
    lesson.give_paper(theo)
    assert names(lesson).count("Theo") == 1


def test_a_student_who_comes_late_takes_over_the_seat_on_paper_with_its_answers(lesson):
    (theo,) = absent(lesson, "Theo Martin")
    lesson.give_paper(theo)
    lesson.begin("triples")
    lesson.seat(3, "answer", activity="1", round="1", yes="1")
    lesson.order("lock")
    assert "Your answer is in" in shows(signed_in(theo), lesson)
    seat = lesson.seats[3]
    assert not seat.is_on_paper
    assert Answer.objects.get().attendee == seat
    set_connected(lesson.code, seat.number, True)
    seat.refresh_from_db()
    assert seat.is_connected


def test_a_student_whose_seat_on_paper_was_taken_back_comes_in_like_any_other(lesson):
    (theo,) = absent(lesson, "Theo Martin")
    lesson.give_paper(theo)
    lesson.seat(3, "remove")
    lesson.order("lock")
    assert "The door is closed" in shows(signed_in(theo), lesson)
    lesson.order("unlock")
    assert "You are in!" in shows(signed_in(theo), lesson)
    assert names(lesson).count("Theo") == 1


def test_a_late_student_with_a_seat_on_paper_plays_at_a_table():
    lesson = a_lesson(3)
    (theo,) = absent(lesson, "Theo Martin")
    lesson.give_paper(theo)
    lesson.begin("tables", size=4, how="chance")
    lesson.join(signed_in(theo))
    assert "To your table" in lesson.device(3)


def test_a_student_whose_device_fails_goes_on_on_paper_with_the_same_answers(lesson):
    lesson.begin("triples")
    lesson.act(0, yes="1")
    assert "Work on paper instead" in lesson.remote()
    Attendee.objects.filter(session=lesson.session, number=1).update(is_connected=False)
    assert lesson.seat(0, "paper").status_code == 200
    seat = lesson.seats[0]
    assert (seat.is_on_paper, seat.is_connected, seat.removed_at) == (True, True, None)
    assert Answer.objects.get().attendee == seat
    assert not set_connected(lesson.code, seat.number, True), "its old streams are refused"


def test_a_device_whose_student_works_on_paper_now_is_told_so_and_takes_no_answers(lesson):
    lesson.begin("triples")
    lesson.seat(0, "paper")
    part = lesson.devices[0].get(f"/session/{lesson.code}/part/", headers={"HX-Request": "true"})
    assert part.headers["HX-Redirect"] == f"/session/{lesson.code}/paper/"
    assert lesson.devices[0].get(f"/session/{lesson.code}/part/").status_code == 302
    assert "You're working on paper now." in lesson.devices[0].get(f"/session/{lesson.code}/paper/").text
    assert lesson.act(0, yes="1").headers["HX-Redirect"] == f"/session/{lesson.code}/paper/"
    assert not Answer.objects.exists()
    lesson.seat(0, "answer", activity="1", round="1", yes="1")
    assert Answer.objects.get().attendee == lesson.seats[0]


def test_whoever_opens_the_lesson_again_takes_the_seat_over_from_paper(lesson):
    lesson.seat(0, "paper")
    assert "You are in!" in shows(lesson.devices[0], lesson)
    assert not lesson.seats[0].is_on_paper
    paper = lesson.devices[0].get(f"/session/{lesson.code}/paper/")
    assert paper.headers["Location"] == f"/session/{lesson.code}/"


def test_a_seat_that_went_to_paper_is_taken_back_and_given_again_like_any_other(lesson):
    lesson.seat(0, "paper")
    lesson.seat(0, "remove")
    assert "Mia" not in names(lesson)
    assert "Let Mia back in" not in lesson.remote(), "nobody was taken out"
    lesson.give_paper(lesson.seats[0].user)
    assert names(lesson).count("Mia") == 1


def test_neither_a_guest_nor_whoever_was_taken_out_works_on_paper(open_lesson):
    a_guest(open_lesson)
    refused = open_lesson.seat(2, "paper")
    assert refused.status_code == 422
    assert "Only students who are here can work on paper." in refused.text
    out = open_lesson.seats[0]
    out.session = open_lesson.session
    open_lesson.seat(0, "remove")
    with pytest.raises(LessonRefusal):
        seats.put_on_paper(out)
    assert not open_lesson.seats[0].is_on_paper


def test_whoever_goes_to_paper_leaves_the_table_and_comes_back_to_it():
    lesson = a_lesson(4)
    lesson.begin("tables", size=2, how="chance")
    mia = lesson.seats[0].user

    def is_seated() -> bool:
        seat = Seat.objects.get(user=mia)
        return bool(seat.match.state.seats[seat.number].is_seated)

    lesson.seat(0, "paper")
    assert not is_seated()
    lesson.devices[0].get(f"/session/{lesson.code}/")
    assert is_seated()


# Removal and return


def test_the_teacher_lets_somebody_back_in_who_was_taken_out(lesson):
    lesson.begin("triples")
    lesson.act(0, yes="1")
    lesson.seat(0, "remove")
    assert "taken you out" in shows(lesson.devices[0], lesson)
    assert "Let Mia back in" in lesson.remote()
    assert lesson.seat(0, "readmit").status_code == 200
    assert "Your answer is in" in lesson.device(0)
    assert "Let Mia back in" not in lesson.remote()


def test_nobody_lets_themselves_back_in(lesson):
    lesson.seat(0, "remove")
    path = f"/teach/session/{lesson.code}/seat/1/readmit/"
    assert lesson.devices[0].post(path).status_code == 404
    assert lesson.seats[0].removed_at


def test_who_is_let_back_in_sits_at_their_table_again():
    lesson = a_lesson(4)
    lesson.begin("tables", size=2, how="chance")
    lesson.seat(0, "remove")
    lesson.seat(0, "readmit")
    table = lesson.device(0)
    code = table.split('data-table="')[1].split('"')[0]
    assert lesson.devices[0].get(f"/play/{code}/").status_code == 200


# Waiting guests


def test_a_guest_who_was_taken_out_and_drops_the_cookie_waits_for_the_teacher(open_lesson):
    guest = a_guest(open_lesson)
    name = open_lesson.seats[-1].name
    assert name in shows(guest, open_lesson)
    open_lesson.seat(2, "remove")
    again = a_guest(open_lesson)
    assert "Tell your teacher, and they'll let you in." in shows(again, open_lesson)
    assert again.get(f"/session/{open_lesson.code}/part/").status_code == 404
    assert len(names(open_lesson)) == 2
    waiting = open_lesson.session.waiting.get()
    assert f"Let {waiting.name} in" in open_lesson.remote()
    open_lesson.teacher.post(f"/teach/session/{open_lesson.code}/guests/{waiting.pk}/admit/")
    assert "You are in!" in shows(again, open_lesson)
    assert names(open_lesson)[-1] == waiting.name


def test_a_student_who_was_taken_out_does_not_come_back_as_a_guest(open_lesson):
    open_lesson.seat(0, "remove")
    assert "Tell your teacher" in shows(a_guest(open_lesson), open_lesson)


def test_guests_wait_only_after_somebody_was_taken_out_and_until_the_teacher_says_so(open_lesson):
    assert "You are in!" in shows(a_guest(open_lesson), open_lesson)
    open_lesson.seat(0, "remove")
    waiting = [a_guest(open_lesson) for _guest in range(2)]
    open_lesson.order("admit-all")
    assert all("You are in!" in shows(each, open_lesson) for each in waiting)
    assert "Tell your teacher" in shows(a_guest(open_lesson), open_lesson), "the next ones still wait"
    open_lesson.order("admit-freely")
    assert "You are in!" in shows(a_guest(open_lesson), open_lesson)


def test_without_guests_nobody_waits(open_lesson):
    open_lesson.seat(0, "remove")
    guest = a_guest(open_lesson)
    open_lesson.order("guests-off")
    assert not open_lesson.session.waiting.exists()
    assert guest.post(f"/session/{open_lesson.code}/join/").status_code == 422
    open_lesson.order("guests-on")
    assert "Tell your teacher" in shows(a_guest(open_lesson), open_lesson)


def test_a_script_cannot_fill_the_remote_with_guests_who_wait(open_lesson, monkeypatch):
    assert seats.MOST_WAITING == 30
    monkeypatch.setattr(seats, "MOST_WAITING", 2)
    open_lesson.seat(0, "remove")
    for _guest in range(2):
        a_guest(open_lesson)
    assert Client().post(f"/session/{open_lesson.code}/join/").status_code == 422
    assert open_lesson.session.waiting.count() == 2


def test_nobody_waits_before_a_lesson_that_is_over(open_lesson):
    open_lesson.seat(0, "remove")
    a_guest(open_lesson)
    open_lesson.order("end")
    assert not open_lesson.session.waiting.exists()


# Room


def full_at(monkeypatch, most: int) -> None:
    monkeypatch.setattr(seats, "MOST_ATTENDEES", most)


def test_guests_leave_room_for_the_students_of_the_class_who_are_still_to_come(open_lesson, monkeypatch):
    (theo,) = absent(open_lesson, "Theo Martin")
    full_at(monkeypatch, 4)
    a_guest(open_lesson)
    late = Client()
    assert late.post(f"/session/{open_lesson.code}/join/").status_code == 422
    assert "This lesson is full" in late.post(f"/session/{open_lesson.code}/join/").text
    assert "You are in!" in shows(signed_in(theo), open_lesson)
    assert len(names(open_lesson)) == 4


def test_students_who_join_the_class_after_the_guests_came_are_let_in(open_lesson, monkeypatch):
    full_at(monkeypatch, 3)
    a_guest(open_lesson)
    assert "This lesson is full." in a_guest(open_lesson).get(f"/session/{open_lesson.code}/").text
    (theo,) = absent(open_lesson, "Theo Martin")
    assert "This lesson is full." not in shows(signed_in(theo), open_lesson)
    assert "Theo" in names(open_lesson)


def test_whoever_was_taken_out_takes_no_room(lesson, monkeypatch):
    (theo,) = absent(lesson, "Theo Martin")
    full_at(monkeypatch, 3)
    assert "This lesson is full" in shows(signed_in(theo), lesson)
    lesson.seat(0, "remove")
    assert "You are in!" in shows(signed_in(theo), lesson)
    refused = lesson.seat(0, "readmit")
    assert refused.status_code == 422
    assert "This lesson is full" in refused.text


def test_a_guest_is_let_back_in_only_where_the_class_has_room_too(open_lesson, monkeypatch):
    a_guest(open_lesson)
    open_lesson.seat(2, "remove")
    absent(open_lesson, "Theo Martin")
    full_at(monkeypatch, 3)
    refused = open_lesson.seat(2, "readmit")
    assert refused.status_code == 422
    assert "This lesson is full" in refused.text
    assert len(names(open_lesson)) == 2


def test_a_student_is_let_back_in_although_others_of_the_class_are_still_to_come(open_lesson, monkeypatch):
    open_lesson.seat(0, "remove")
    absent(open_lesson, "Theo Martin")
    full_at(monkeypatch, 2)
    assert open_lesson.seat(0, "readmit").status_code == 200


def test_as_many_guests_are_let_in_as_fit_and_the_teacher_hears_how_many_still_wait(open_lesson, monkeypatch):
    Session.objects.update(guests_wait=True)
    for _guest in range(5):
        a_guest(open_lesson)
    first = list(open_lesson.session.waiting.values_list("name", flat=True)[:2])
    full_at(monkeypatch, 4)
    response = open_lesson.order("admit-all")
    assert "2 guests came in. Now the lesson is full, and 3 are still waiting." in response.text
    assert names(open_lesson)[2:] == first
    assert open_lesson.session.waiting.count() == 3


def test_guests_who_do_not_fit_when_the_door_opens_for_all_come_in_when_there_is_room(open_lesson, monkeypatch):
    Session.objects.update(guests_wait=True)
    guests = [a_guest(open_lesson) for _guest in range(2)]
    full_at(monkeypatch, 3)
    response = open_lesson.order("admit-freely")
    assert "1 guest came in. Now the lesson is full, and 1 is still waiting." in response.text
    assert not open_lesson.session.guests_wait
    full_at(monkeypatch, 4)
    guests[1].post(f"/session/{open_lesson.code}/join/")
    assert len(names(open_lesson)) == 4
    assert not open_lesson.session.waiting.exists()


# Teams


def test_the_teacher_puts_somebody_into_another_team(lesson):
    assert 'name="team"' not in lesson.remote(), "there are no teams yet"
    lesson.teacher.post(f"/teach/session/{lesson.code}/teams/", {"teams": "2"})
    remote = lesson.remote()
    assert remote.count('name="team"') == 3
    to = 3 - lesson.seats[0].team
    assert lesson.seat(0, "team", team=to).status_code == 200
    assert lesson.seats[0].team == to
    assert f"team {to}" in lesson.device(0)
    lesson.seat(0, "team", team="")
    assert lesson.seats[0].team is None
    refused = lesson.seat(0, "team", team=leading.MOST_TEAMS + 1)
    assert refused.status_code == 422


def test_neither_paper_nor_the_door_brings_in_more_than_fit(open_lesson, monkeypatch):
    theo, ines = absent(open_lesson, "Theo Martin", "Ines Lopez")
    full_at(monkeypatch, 3)
    assert open_lesson.give_paper(theo, ines).status_code == 422
    Session.objects.update(guests_wait=True)
    a_guest(open_lesson)
    assert open_lesson.order("admit-all").status_code == 422
    assert len(names(open_lesson)) == 2
    assert leading.MOST_ATTENDEES == 60
