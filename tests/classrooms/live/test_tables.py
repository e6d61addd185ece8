"""The class at tables: seating, the way there and back, and the results of the matches."""

from __future__ import annotations

import time
from functools import partial

import pytest
from django.core.cache import cache
from django.test import Client

from classrooms.live import playing
from classrooms.live.activities.base import player_of
from classrooms.live.activities.tables import collect, seat_together
from classrooms.live.errors import LessonRefusal
from classrooms.live.joining import set_connected
from classrooms.models import Answer, Attendee
from classrooms.reports.ledger import wrong_triples
from games.matches import service as matches
from games.models import Match, Way
from games.queries import played_matches
from games.rules import Card
from games.rules import commands as ask
from games.rules.state import Ending, Phase
from lessons.models import LearningEvent
from lessons.skills import Skill
from tests.builders.cards import a_set, indices, no_set
from tests.classrooms.live.lesson import Lesson, a_lesson
from tests.classrooms.people import enrol, make_adult, signed_in
from tests.lessons.skill_levels import stand_at

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_counted_yet():
    cache.clear()


@pytest.fixture
def lesson(monkeypatch) -> Lesson:
    """Four students at two tables, each with a SET."""
    monkeypatch.setattr(matches, "open_match", partial(matches.open_match, seed="box"))
    lesson = a_lesson(4)
    lesson.begin("tables", size=2, how="chance", window="10", penalty="on")
    return lesson


def tables_of(lesson: Lesson) -> list[Match]:
    return [Match.objects.get(code=table["codes"][-1]) for table in lesson.activity.state["tables"]]


def own_match(lesson: Lesson, place: int) -> Match:
    """The match of the student with this device."""
    user = lesson.seats[place].user
    return next(match for match in tables_of(lesson) if match.seats.filter(user=user).exists())


def post(lesson: Lesson, place: int, deed: str, **form):
    match = own_match(lesson, place)
    return lesson.devices[place].post(f"/play/{match.code}/{deed}/", {"version": match.version, **form})


def table(lesson: Lesson, place: int) -> tuple[Card, ...]:
    return own_match(lesson, place).state.table


def pick(lesson: Lesson, place: int, cards: list[int]) -> None:
    post(lesson, place, "call")
    post(lesson, place, "pick", card=cards)


def people(*teams: int | None) -> list[Attendee]:
    return [Attendee(number=number, name=str(number), team=team) for number, team in enumerate(teams, 1)]


# Seating


@pytest.mark.parametrize(
    ("students", "size", "expected"),
    [(1, 4, [1]), (2, 2, [2]), (3, 2, [3]), (5, 2, [2, 3]), (5, 4, [2, 3]), (7, 6, [3, 4]), (8, 4, [4, 4])],
)
def test_tables_are_even_and_nobody_sits_alone(students, size, expected):
    groups = seat_together(people(*[None] * students), how="chance", size=size)
    assert sorted(map(len, groups)) == expected
    assert sorted(each.number for group in groups for each in group) == list(range(1, students + 1))


def test_thirty_at_tables_of_four():
    groups = seat_together(people(*[None] * 30), how="chance", size=4)
    assert sorted(map(len, groups)) == [3, 3, 4, 4, 4, 4, 4, 4]


def test_each_team_is_a_table_and_a_large_one_is_two():
    groups = seat_together(people(1, 2, 1, 2, *[3] * 7, None), how="teams", size=4)
    assert [[each.number for each in group] for group in groups] == [[12], [1, 3], [2, 4], [5, 6, 7], [8, 9, 10, 11]]


def test_teams_are_needed_for_tables_by_hand():
    with pytest.raises(LessonRefusal):
        seat_together(people(None, None), how="teams", size=4)
    lesson = a_lesson(2)
    assert "Deal everybody into teams first." in lesson.begin("tables", size=2, how="teams").text


def test_like_sits_with_like():
    lesson = a_lesson(4)
    for seat in (lesson.seats[0], lesson.seats[2]):
        skills = (Skill.IS_SET, Skill.FIND_ONE, Skill.COLOR)
        stand_at(player_of(seat), dict.fromkeys(skills, 0.9), now=time.time())
    groups = seat_together(lesson.seats, how="level", size=2)
    assert sorted(sorted(each.number for each in group) for group in groups) == [[1, 3], [2, 4]]


# The matches


def test_each_table_is_a_match_that_is_dealt(lesson):
    found = tables_of(lesson)
    assert [match.way for match in found] == [Way.TABLE] * 2
    assert [match.phase for match in found] == [Phase.PLAYING] * 2
    assert [match.place for match in found] == [f"session/{lesson.code}"] * 2
    assert [match.seats.count() for match in found] == [2, 2]
    assert not any(match.is_open for match in found)


def test_a_device_leads_to_its_table_and_the_table_back(lesson):
    code = own_match(lesson, 0).code
    part = lesson.device(0)
    assert "To your table" in part
    assert f'data-go="/play/{code}/"' in part
    page = lesson.devices[0].get(f"/play/{code}/")
    assert page.status_code == 200
    assert f'data-lesson="/session/{lesson.code}/"' in page.text
    assert "Back to the lesson" in page.text
    assert "Play again" not in page.text
    assert lesson.devices[0].post(f"/play/{code}/leave/").headers["Location"] == f"/session/{lesson.code}/"
    assert all(seat.is_seated for seat in own_match(lesson, 0).state.seats)


def test_a_table_is_for_who_sits_there_and_for_the_teacher(lesson):
    code = own_match(lesson, 0).code
    other = next(place for place in range(4) if own_match(lesson, place).code != code)
    for client in (lesson.devices[other], Client(), signed_in(make_adult("Stone"))):
        assert client.get(f"/play/{code}/").status_code == 404
        assert client.post(f"/play/{code}/join/").status_code == 404
        assert client.post(f"/play/{code}/call/", {"version": 5}).status_code == 404
    page = lesson.teacher.get(f"/play/{code}/")
    assert page.status_code == 200
    assert "Sit down and play" not in page.text
    assert "set-button" not in page.text
    assert lesson.teacher.post(f"/play/{code}/join/").status_code == 422
    assert lesson.teacher.post(f"/play/{code}/call/", {"version": 5}).status_code == 422
    assert f"/play/{code}/" in lesson.remote()


def test_tables_of_a_lesson_are_not_in_the_lobby(lesson):
    code = own_match(lesson, 0).code
    assert code not in lesson.devices[0].get("/play/").text


def test_the_projector_shows_all_tables_and_points_only_where_wanted(lesson):
    pick(lesson, 0, indices(a_set(table(lesson, 0))))
    shown = lesson.projector()
    assert all(seat.name in shown for seat in lesson.seats)
    assert "66 cards left" in shown
    assert "69 cards left" in shown
    assert "<strong>1</strong>" not in shown
    lesson.order("show-scores")
    assert "<strong>1</strong>" in lesson.projector()


def test_the_projector_asks_no_more_for_many_tables(django_assert_max_num_queries):
    lesson = a_lesson(8)
    lesson.begin("tables", size=2, how="chance")
    with django_assert_max_num_queries(14):
        lesson.projector()


def test_who_comes_late_sits_where_there_is_most_room(lesson):
    (late, later, last) = enrol(lesson.session.classroom, "Late Comer", "Later Comer", "Last Comer")
    for each in (late, later, last):
        lesson.join(signed_in(each.student))
    assert sorted(match.seats.count() for match in tables_of(lesson)) == [3, 4]
    assert "To your table" in lesson.device(4)
    post(lesson, 4, "call")
    assert own_match(lesson, 4).state.control is not None


def test_who_comes_late_to_full_tables_gets_a_new_one():
    lesson = a_lesson(6)
    lesson.begin("tables", size=6, how="chance")
    (late,) = enrol(lesson.session.classroom, "Late Comer")
    lesson.join(signed_in(late.student))
    assert [match.seats.count() for match in tables_of(lesson)] == [6, 1]


def test_who_is_sent_out_is_out_of_the_table_too(lesson):
    match = own_match(lesson, 0)
    lesson.seat(0, "remove")
    seat = match.seats.get(user=lesson.seats[0].user)
    assert not Match.objects.get(pk=match.pk).state.seats[seat.number].is_seated
    assert lesson.devices[0].get(f"/play/{match.code}/").status_code == 404
    assert lesson.devices[0].post(f"/play/{match.code}/join/").status_code == 404


def test_a_pause_stops_every_table(lesson):
    post(lesson, 0, "call")
    lesson.order("pause")
    assert all(match.state.paused_at is not None for match in tables_of(lesson))
    refused = post(lesson, 0, "pick", card=indices(a_set(table(lesson, 0))))
    assert refused.status_code == 422
    assert "Eyes up!" in lesson.devices[0].get(f"/play/{own_match(lesson, 0).code}/").text
    lesson.order("resume")
    post(lesson, 0, "pick", card=indices(a_set(table(lesson, 0))))
    assert sum(seat.points for seat in own_match(lesson, 0).state.seats) == 1


def test_more_time_shows_on_ones_own_page_only(lesson):
    lesson.seat(0, "extend", factor="2")
    match = own_match(lesson, 0)
    number = match.seats.get(user=lesson.seats[0].user).number
    assert match.state.seats[number].factor == 2.0
    post(lesson, 0, "call")
    control = own_match(lesson, 0).state.control
    assert control.deadline - control.since == pytest.approx(20)
    other = next(place for place in range(1, 4) if own_match(lesson, place).code == match.code)
    own_page = lesson.devices[0].get(f"/play/{match.code}/").text
    other_page = lesson.devices[other].get(f"/play/{match.code}/").text
    assert 'data-factor="2.00"' in own_page
    assert "data-factor" not in other_page
    assert f'data-deadline="{control.since + 10:.3f}"' in other_page
    assert f"{control.deadline:.3f}" not in other_page
    lesson.seat(0, "extend", factor="1")
    assert own_match(lesson, 0).state.seats[number].factor == 1.0


def test_time_that_somebody_has_before_is_theirs_at_the_table():
    lesson = a_lesson(2)
    lesson.seat(1, "extend", factor="3")
    lesson.begin("tables", size=2, how="chance")
    match = own_match(lesson, 1)
    factors = {seat.user_id: match.state.seats[seat.number].factor for seat in match.seats.all()}
    assert factors == {lesson.seats[0].user_id: 1.0, lesson.seats[1].user_id: 3.0}


def test_who_is_away_is_not_waited_for(lesson):
    match = own_match(lesson, 0)
    set_connected(lesson.code, 1, False)
    number = match.seats.get(user=lesson.seats[0].user).number
    assert not Match.objects.get(pk=match.pk).state.seats[number].is_connected


def test_a_table_that_is_done_begins_anew_when_its_players_want_it(lesson):
    match = own_match(lesson, 0)
    assert lesson.act(0, again="1").status_code == 422
    matches.command(match.code, ask.Stop(), now=time.time())
    assert "Your table is done!" in lesson.device(0)
    lesson.act(0, again="1")
    anew = own_match(lesson, 0)
    assert anew.code != match.code
    assert set(anew.seats.values_list("user", flat=True)) == set(match.seats.values_list("user", flat=True))
    assert f'data-go="/play/{anew.code}/"' in lesson.device(0)
    assert lesson.act(0, again="1").status_code == 422


# Results


def test_every_pick_becomes_an_answer_when_it_is_over_and_only_once(lesson):
    right, wrong = indices(a_set(table(lesson, 0))), indices(no_set(table(lesson, 0)))
    pick(lesson, 0, wrong)
    pick(lesson, 0, right)
    pick(lesson, 1, indices(a_set(table(lesson, 1))))
    assert not Answer.objects.exists()
    found = tables_of(lesson)
    lesson.steer("finish")
    first, second = lesson.seats[0].answers.all()
    assert (first.is_right, sorted(first.cards)) == (False, sorted(wrong))
    assert (second.is_right, sorted(second.cards), second.answer["picked"]) == (True, sorted(right), True)
    assert first.at < second.at < lesson.activity.ended_at
    assert lesson.seats[1].answers.count() == 1
    collect(lesson.activity)
    assert Answer.objects.count() == 3
    assert LearningEvent.objects.filter(kind="find-one").count() == 3
    assert len(wrong_triples([lesson.seats[0].user_id])) == 1
    for match in found:
        assert Match.objects.get(pk=match.pk).state.outcome.why is Ending.STOPPED
    assert all(len(games) == 1 for games in played_matches([seat.user for seat in lesson.seats]).values())


def test_when_it_is_over_devices_do_not_lead_to_tables_any_more(lesson):
    lesson.steer("finish")
    assert "data-table" not in lesson.device(0)


def test_ending_the_lesson_keeps_the_picks(lesson):
    pick(lesson, 2, indices(a_set(table(lesson, 2))))
    lesson.order("end")
    assert Answer.objects.get().attendee == lesson.seats[2]


def test_a_guest_plays_at_a_table_too():
    lesson = a_lesson(1, guests=True)
    guest = Client()
    guest.post(f"/session/{lesson.code}/join/")
    lesson.join(guest)
    lesson.begin("tables", size=2, how="level")
    (match,) = tables_of(lesson)
    assert guest.get(f"/play/{match.code}/").status_code == 200
    guest.post(f"/play/{match.code}/call/", {"version": match.version})
    guest.post(f"/play/{match.code}/pick/", {"version": match.version + 1, "card": indices(no_set(match.state.table))})
    lesson.steer("finish")
    assert Answer.objects.get().attendee.guest


def test_a_move_at_a_table_is_news_for_the_teacher_and_not_for_devices(lesson):
    called = matches.command(own_match(lesson, 0).code, ask.Call(0), now=time.time())
    before = lesson.session
    playing.match_changed(called)
    assert (lesson.session.version, lesson.session.count) == (before.version, before.count + 1)
