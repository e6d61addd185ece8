"""A live lesson: joining, the teacher's commands, and what students can't do."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from classrooms.live import leading
from classrooms.models import Answer, Attendee, Session, Stage
from lessons.models import LearningEvent
from tests.classrooms.live.lesson import a_lesson
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nobody_was_fast():
    cache.clear()


# Joining


def test_the_students_of_the_class_are_let_in_at_once_and_only_once(lesson):
    assert [seat.name for seat in lesson.seats] == ["Mia", "Noah", "Lina"]
    lesson.devices[0].get(f"/session/{lesson.code}/")
    assert len(lesson.seats) == 3
    assert "You are in!" in lesson.device(0)


def test_a_student_who_is_not_signed_in_signs_in_as_always_and_is_brought_to_the_lesson(lesson):
    (theo,) = enrol(lesson.session.classroom, "Theo Martin")
    tablet = Client()
    response = tablet.post("/join/", {"code": lesson.code.lower()})
    door = tablet.get(response.headers["Location"])
    assert "I'm in this class" in door.text
    assert "I'm a guest" not in door.text
    response = tablet.post(f"/join/{theo.classroom.code}/{theo.pk}/", {"tapped": theo.student.pictures})
    assert response.headers["Location"] == f"/session/{lesson.code}/"
    assert "You are in!" in tablet.get(response.headers["Location"]).text


def test_guests_come_in_under_a_generated_name_where_they_may():
    lesson = a_lesson(1, guests=True)
    guest = Client()
    assert "I'm a guest" in guest.get(f"/session/{lesson.code}/").text
    assert guest.post(f"/session/{lesson.code}/join/").status_code == 302
    seat = lesson.seats[-1]
    assert seat.user is None
    assert seat.name in guest.get(f"/session/{lesson.code}/").text


def test_nobody_else_comes_in(lesson):
    (zoe,) = enrol(make_classroom(make_adult("Stone"), "Class 3A"), "Zoe Stern")
    for client in (Client(), signed_in(zoe.student), signed_in(make_adult("Green"))):
        assert client.get(f"/session/{lesson.code}/").status_code == 200
        assert client.post(f"/session/{lesson.code}/join/").status_code == 422
        assert client.get(f"/session/{lesson.code}/part/").status_code == 404
        assert client.post(f"/session/{lesson.code}/act/", {"yes": "1"}).status_code == 404
    assert len(lesson.seats) == 3


def test_a_closed_door_keeps_newcomers_out_and_lets_back_in_who_was_there(lesson):
    (theo,) = enrol(lesson.session.classroom, "Theo Martin")
    lesson.order("lock")
    assert "The door is closed" in signed_in(theo.student).get(f"/session/{lesson.code}/").text
    assert "You are in!" in lesson.devices[0].get(f"/session/{lesson.code}/").text
    lesson.order("unlock")
    assert "You are in!" in signed_in(theo.student).get(f"/session/{lesson.code}/").text


def test_who_comes_in_the_middle_of_a_round_comes_in_at_the_next(lesson):
    lesson.begin("triples")
    (theo,) = enrol(lesson.session.classroom, "Theo Martin")
    lesson.join(signed_in(theo.student))
    assert "You come in at the next round" in lesson.device(3)
    assert lesson.act(3, yes="1").status_code == 422
    lesson.steer("reveal")
    assert "You come in" not in lesson.device(3)
    lesson.steer("next")
    assert lesson.act(3, yes="1").status_code == 200


def test_everybody_has_answered_counts_those_who_are_there(lesson):
    lesson.begin("triples")
    lesson.act(0, yes="1")
    lesson.act(1, yes="1")
    assert "2 of 3 have answered" in lesson.projector()
    Attendee.objects.filter(session=lesson.session, number=3).update(is_connected=False)
    Session.objects.update(count=99)
    assert "Everybody has answered" in lesson.projector()


# The teacher's commands


def test_a_pause_shows_eyes_up_everywhere_and_takes_nothing(lesson):
    lesson.begin("triples")
    lesson.order("pause")
    assert "Eyes up!" in lesson.device(0)
    assert "Eyes up!" in lesson.projector()
    assert lesson.act(0, yes="1").status_code == 422
    lesson.order("resume")
    assert lesson.act(0, yes="1").status_code == 200


def test_who_is_sent_out_stays_out_and_is_told_so(lesson):
    lesson.begin("triples")
    lesson.seat(0, "remove")
    assert lesson.devices[0].get(f"/session/{lesson.code}/part/").status_code == 404
    assert lesson.devices[0].post(f"/session/{lesson.code}/act/", {"yes": "1"}).status_code == 404
    assert "taken you out" in lesson.devices[0].get(f"/session/{lesson.code}/").text
    assert "Mia" not in lesson.projector()
    lesson.steer("finish")
    assert ">Mia<" not in lesson.projector()


def test_a_name_on_screens_is_changed_but_not_to_a_bad_one(lesson):
    assert lesson.seat(0, "rename", name="Clever  Mia").status_code == 200
    assert "Clever Mia" in lesson.projector()
    assert lesson.seat(0, "rename", name="Shithead").status_code == 422
    assert lesson.seats[0].name == "Clever Mia"


def test_more_time_and_a_target_are_seen_by_the_teacher_only(lesson):
    lesson.seat(0, "extend", factor="2")
    lesson.seat(0, "target", target="2")
    seat = lesson.seats[0]
    assert (seat.time_factor, seat.target) == (2.0, 2)
    for screen in (lesson.projector(), lesson.device(1)):
        assert "factor" not in screen
    assert lesson.seat(0, "extend", factor="99").status_code == 422


def test_the_class_is_dealt_into_teams_of_like_size():
    lesson = a_lesson(8)
    lesson.teacher.post(f"/teach/session/{lesson.code}/teams/", {"teams": "3"})
    teams = [seat.team for seat in lesson.seats]
    assert sorted(teams.count(team) for team in (1, 2, 3)) == [2, 3, 3]


@pytest.mark.parametrize("language", ["en-us", "fr", "es"])
def test_every_length_of_time_that_is_offered_is_taken_in_any_language(language):
    lesson = a_lesson(1)
    lesson.teacher.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    offered = re.search(r'name="factor">(.*?)</select>', lesson.remote(), re.DOTALL)[1]
    factors = re.findall(r'value="([^"]+)"', offered)
    assert len(factors) == len(leading.FACTORS)
    for factor, length in zip(factors, leading.FACTORS, strict=True):
        assert lesson.seat(0, "extend", factor=factor).status_code == 200
        assert lesson.seats[0].time_factor == length


def test_another_device_of_the_teacher_shows_the_same_lesson(lesson):
    lesson.begin("triples")
    lesson.steer("reveal")
    again = Client()
    again.force_login(lesson.session.made_by)
    assert "Next" in again.get(f"/teach/session/{lesson.code}/remote/").text


def test_a_button_pressed_twice_does_it_once(lesson):
    lesson.begin("triples")
    lesson.steer("reveal")
    lesson.steer("next", round=1)
    lesson.steer("next", round=1)
    assert lesson.activity.round == 2


def test_when_it_is_over_devices_say_so_and_nothing_is_taken(lesson):
    lesson.begin("triples")
    lesson.order("end")
    assert "Well done" in lesson.device(0)
    assert lesson.act(0, yes="1").status_code == 422
    assert lesson.begin("triples").status_code == 422
    assert lesson.activity.stage == Stage.DONE


def test_a_screen_that_has_seen_it_all_gets_nothing_new(lesson):
    seen = lesson.session.version
    assert lesson.devices[0].get(f"/session/{lesson.code}/part/?seen={seen}").status_code == 204
    lesson.begin("triples")
    assert lesson.devices[0].get(f"/session/{lesson.code}/part/?seen={seen}").status_code == 200


# Is it a SET?


def test_answers_are_kept_once_and_go_into_what_the_student_has_learned(lesson):
    lesson.begin("triples")
    assert "Your answer is in" in lesson.act(0, yes="1").text
    again = lesson.act(0, breaks="color")
    assert again.status_code == 422
    assert "You have answered already" in again.text
    answer = Answer.objects.get()
    assert (answer.attendee, answer.is_right, answer.answer) == (lesson.seats[0], True, {"yes": True})
    assert answer.event == LearningEvent.objects.get()
    assert (answer.event.user, answer.event.source) == (lesson.seats[0].user, "lesson")


def test_the_reveal_shows_bars_and_the_verdict_and_nothing_comes_before_it(lesson):
    lesson.begin("triples")
    lesson.act(0, yes="1")
    lesson.act(1, breaks="shading")
    for screen in (lesson.device(0), lesson.device(2), lesson.projector()):
        assert "verdict" not in screen
        assert "all the same" not in screen
    lesson.steer("reveal")
    projector = lesson.projector()
    assert "✓ It is a SET" in projector
    assert projector.count("<meter") == 5
    assert "Not this time" in lesson.device(1)
    assert lesson.act(2, yes="1").status_code == 422, "too late"


def test_the_five_examples_come_first_and_then_new_ones(lesson):
    lesson.begin("triples")
    verdicts = []
    for _round in range(7):
        lesson.steer("reveal")
        verdicts.append("is-set" in lesson.projector())
        lesson.steer("next")
    assert verdicts[:5] == [True, True, True, False, False]


def test_an_answer_on_paper_is_tapped_in_by_the_teacher(lesson):
    (theo,) = enrol(lesson.session.classroom, "Theo Martin")
    lesson.give_paper(theo.student)
    assert lesson.seats[-1].user == theo.student
    lesson.begin("triples")
    lesson.seat(3, "answer", activity="1", round="1", yes="1")
    assert Answer.objects.get().attendee.user == theo.student


# What students can't do


def test_a_student_cannot_lead(lesson):
    lesson.begin("triples")
    student = lesson.devices[0]
    base = f"/teach/session/{lesson.code}"
    for path in ("remote/", "remote/part/", "screen/", "screen/part/"):
        assert student.get(f"{base}/{path}").status_code == 404
    for path in ("do/end/", "do/pause/", "teams/", "seat/2/remove/", "begin/triples/", "steer/reveal/"):
        assert student.post(f"{base}/{path}", {"round": 1}).status_code == 404
    assert lesson.activity.stage == Stage.OPEN
    assert not lesson.session.is_over


def test_a_student_cannot_answer_for_another(lesson):
    lesson.begin("triples")
    lesson.act(0, yes="1", attendee="2", number="2", seat="2", user=str(lesson.seats[1].user_id))
    assert Answer.objects.get().attendee == lesson.seats[0]


def test_an_answer_to_another_round_or_activity_is_refused(lesson):
    lesson.begin("triples")
    for form in ({"round": "2"}, {"round": "0"}, {"activity": "2"}, {"round": ""}, {"round": "x"}):
        assert lesson.act(0, yes="1", **form).status_code == 422
    assert not Answer.objects.exists()


@pytest.mark.parametrize("form", [{}, {"breaks": ""}, {"breaks": "size"}, {"breaks": "?"}, {"nothing": "1"}])
def test_an_answer_that_is_none_is_refused_in_words(lesson, form):
    lesson.begin("triples")
    response = lesson.act(0, **form)
    assert response.status_code == 422
    assert "Say yes, or which feature breaks it." in response.text


def test_the_debrief_has_no_names_and_shows_the_most_common_wrong_triple(lesson):
    lesson.begin("triples")
    for _round in range(3):
        lesson.steer("reveal")
        lesson.steer("next")
    lesson.act(0, yes="1")
    lesson.act(1, yes="1")
    lesson.act(2, breaks="shading")
    lesson.order("end")
    projector = lesson.projector()
    assert "1 of 3 answers were right" in projector
    assert "It looked like a SET, 2 times" in projector
    assert "Why is it so easy to miss the shading?" in projector
    for seat in lesson.seats:
        assert seat.name not in projector


def test_a_session_of_a_class_that_is_gone_is_gone(lesson):
    classroom = lesson.session.classroom
    classroom.deleted_at = timezone.now()
    classroom.save()
    assert lesson.devices[0].get(f"/session/{lesson.code}/").status_code == 404
