"""The box game on the projector: a real match for the whole class, with devices as buzzers."""

from __future__ import annotations

import re
import time
from functools import partial

import pytest
from django.test import Client

from classrooms.live import playing
from classrooms.live.activities.base import player_of
from classrooms.live.joining import set_connected
from classrooms.models import Activity, Answer
from classrooms.reports.ledger import wrong_triples
from games.matches import service as matches
from games.models import Match, Way
from games.players import Player
from games.queries import played_matches
from games.rules import Card, Feature, Options, explain
from games.rules import commands as ask
from games.rules.errors import RefusalReason
from games.rules.state import Ending, Failing, Phase
from games.words import REFUSALS
from lessons.models import LearningEvent
from lessons.progress.snapshots import skill_states
from lessons.skills import Skill
from tests.builders.cards import a_set, indices, no_set
from tests.classrooms.live.lesson import Lesson, a_lesson
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in
from tests.games.rules.tables import has_no_set, table_where

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def a_table_with_a_set(monkeypatch):
    """Choose a deal with a SET; one in thirty has none."""
    monkeypatch.setattr(matches, "open_match", partial(matches.open_match, seed="box"))


@pytest.fixture
def lesson() -> Lesson:
    """Three students at the table."""
    lesson = a_lesson(3)
    lesson.begin("box", window="10", penalty="on")
    return lesson


def match_of(lesson: Lesson) -> Match:
    return Match.objects.get(code=lesson.activity.state["match"])


def table(lesson: Lesson) -> tuple[Card, ...]:
    return match_of(lesson).state.table


def why(cards: list[int], **wrong: str) -> dict[str, str]:
    verdict = explain(*map(Card.from_index, cards))
    return {each.feature.value: each.kind.value for each in verdict.features} | wrong


def points(lesson: Lesson) -> list[int]:
    return [seat.points for seat in match_of(lesson).state.seats]


def cards_shown(part: str) -> int:
    return len(re.findall(r'name="cards"', part))


def test_the_class_sits_at_one_table_that_is_dealt(lesson):
    match = match_of(lesson)
    assert (match.way, match.phase, match.place) == (Way.CLASS, Phase.PLAYING, f"session/{lesson.code}")
    assert [seat.user_id for seat in match.seats.all()] == [seat.user_id for seat in lesson.seats]
    assert lesson.projector().count('<span class="card') == 12
    assert "Deal three more" in lesson.remote()


def test_sixty_find_room_at_the_table():
    lesson = a_lesson(8)
    for number in range(52):
        lesson.session.attendees.create(number=9 + number, guest=f"g{number}", name=f"Guest {number}")
    lesson.begin("box")
    assert len(match_of(lesson).state.seats) == 60


def test_nobody_to_play_with_is_said():
    lesson = a_lesson(0)
    answer = lesson.begin("box")
    assert answer.status_code == 422
    assert "Nobody is here yet." in answer.text
    assert not Match.objects.exists()


def test_only_who_called_first_sees_the_cards_and_may_pick(lesson):
    assert all(cards_shown(lesson.device(place)) == 0 for place in range(3))
    lesson.act(0, do="call")
    late = lesson.act(1, do="call")
    assert late.status_code == 422
    assert str(REFUSALS[RefusalReason.BOARD_HELD]) in late.text
    assert cards_shown(lesson.device(0)) == 12
    assert cards_shown(lesson.device(1)) == 0
    name = lesson.seats[0].name
    assert f"Wait: {name} picks" in lesson.device(1)
    assert f"{name} picks" in lesson.projector()
    assert lesson.act(1, cards=indices(a_set(table(lesson)))).status_code == 422
    assert not Answer.objects.exists()


def test_a_set_is_a_point_and_an_answer_and_then_the_reason_is_asked_for(lesson):
    cards = indices(a_set(table(lesson)))
    lesson.act(0, do="call")
    lesson.act(0, cards=cards)
    assert points(lesson) == [1, 0, 0]
    (answer,) = Answer.objects.all()
    assert (answer.attendee, answer.is_right, answer.cards) == (lesson.seats[0], True, cards)
    assert answer.answer["picked"] is True
    assert "A SET! Why?" in lesson.device(0)
    refused = lesson.act(0, do="call")
    assert "Say first why" in refused.text
    lesson.act(1, do="call")
    assert cards_shown(lesson.device(1)) == 12, "the table goes on for the others"


def test_a_good_reason_is_kept_and_praised(lesson):
    cards = indices(a_set(table(lesson)))
    lesson.act(0, do="call")
    lesson.act(0, cards=cards)
    assert "Well explained!" in lesson.act(0, do="why", **why(cards)).text
    answer = Answer.objects.get(key__startswith="why")
    assert (answer.is_right, answer.missed) == (True, [])
    assert LearningEvent.objects.get(kind="explain").is_right
    assert lesson.act(0, do="why", **why(cards)).status_code == 422
    assert lesson.act(0, do="call").status_code == 200


def test_a_wrong_reason_costs_nothing_and_is_put_right_kindly(lesson):
    cards = indices(a_set(table(lesson)))
    lesson.act(0, do="call")
    lesson.act(0, cards=cards)
    right = why(cards)
    turned = {"all-same": "all-different", "all-different": "all-same"}[right["color"]]
    told = lesson.act(0, do="why", **why(cards, color=turned)).text
    assert "Your point counts." in told
    assert Answer.objects.get(key__startswith="why").missed == [Feature.COLOR.value]
    assert points(lesson) == [1, 0, 0]


def test_a_reason_must_be_given_for_each_feature(lesson):
    cards = indices(a_set(table(lesson)))
    lesson.act(0, do="call")
    lesson.act(0, cards=cards)
    answer = lesson.act(0, do="why", color="all-same")
    assert answer.status_code == 422
    assert "Say it for each" in answer.text


def test_a_wrong_pick_costs_a_point_where_the_teacher_wants_it(lesson):
    cards = indices(no_set(table(lesson)))
    lesson.act(1, do="call")
    told = lesson.act(1, cards=cards).text
    assert points(lesson) == [0, -1, 0]
    assert "Not this time" in told
    answer = Answer.objects.get()
    assert (answer.is_right, sorted(answer.cards)) == (False, sorted(cards))
    lesson.begin("box", window="10")
    lesson.act(1, do="call")
    lesson.act(1, cards=indices(no_set(table(lesson))))
    assert points(lesson) == [0, 0, 0]


def test_who_is_late_loses_the_board(lesson):
    lesson.act(0, do="call")
    matches.catch_up(match_of(lesson).code, now=time.time() + 11)
    assert points(lesson) == [-1, 0, 0]
    refused = lesson.act(0, cards=indices(a_set(table(lesson))))
    assert refused.status_code == 422
    assert "SET!" in lesson.device(0)


def test_a_pick_that_is_sent_twice_counts_once(lesson):
    cards = indices(a_set(table(lesson)))
    lesson.act(0, do="call")
    version = match_of(lesson).version
    lesson.act(0, cards=cards, version=version)
    assert lesson.act(0, cards=cards, version=version).status_code == 422
    assert Answer.objects.count() == 1
    assert points(lesson) == [1, 0, 0]


def test_three_more_cards_come_when_all_who_are_there_agree(monkeypatch):
    seed = table_where(has_no_set).start.seed
    monkeypatch.setattr(matches, "open_match", partial(matches.open_match, seed=seed))
    lesson = a_lesson(3)
    lesson.begin("box")
    lesson.act(0, do="none")
    assert "Look again" in lesson.device(0)
    assert "1 of 3 sees no SET" in lesson.projector()
    lesson.act(1, do="none")
    assert len(match_of(lesson).state.table) == 12
    set_connected(lesson.code, 3, False)
    assert len(match_of(lesson).state.table) == 15


def test_all_who_agree_are_told_when_there_is_a_set(lesson):
    for place in range(3):
        lesson.act(place, do="none")
    assert len(match_of(lesson).state.table) == 12
    assert "Look again: there is a SET." in lesson.projector()


def test_a_vote_can_be_taken_back(lesson):
    lesson.act(0, do="none")
    lesson.act(0, do="look")
    assert match_of(lesson).state.votes == frozenset()


def test_the_teacher_deals_three_more(lesson):
    lesson.steer("more")
    assert len(match_of(lesson).state.table) == 15
    assert "Three more cards." in lesson.projector()
    lesson.act(0, do="call")
    assert str(REFUSALS[RefusalReason.BOARD_HELD]) in lesson.steer("more").text


def test_the_clocks_stand_still_in_a_pause(lesson):
    lesson.act(0, do="call")
    lesson.order("pause")
    assert match_of(lesson).state.paused_at is not None
    assert match_of(lesson).due is None
    assert cards_shown(lesson.device(0)) == 0
    matches.catch_up(match_of(lesson).code, now=time.time() + 60)
    assert points(lesson) == [0, 0, 0]
    assert lesson.act(0, cards=indices(a_set(table(lesson)))).status_code == 422
    lesson.order("resume")
    assert match_of(lesson).state.control is not None
    lesson.act(0, cards=indices(a_set(table(lesson))))
    assert points(lesson) == [1, 0, 0]


def test_more_time_is_given_to_one_and_shown_to_nobody_else(lesson):
    lesson.seat(0, "extend", factor="2")
    lesson.act(0, do="call")
    control = match_of(lesson).state.control
    assert control.deadline - control.since == pytest.approx(20)
    assert 'data-lasts="20.00"' in lesson.device(0)
    assert 'data-lasts="10.00"' in lesson.projector()
    lesson.act(0, do="back")
    lesson.act(1, do="call")
    control = match_of(lesson).state.control
    assert control.deadline - control.since == pytest.approx(10)


def test_in_teams_any_member_calls_and_who_called_picks():
    lesson = a_lesson(4)
    lesson.session.attendees.filter(number__in=(1, 2)).update(team=1)
    lesson.session.attendees.filter(number=3).update(team=2)
    lesson.begin("box", teams="on", penalty="on")
    match = match_of(lesson)
    assert [seat.name for seat in match.seats.all()] == ["Team 1", "Team 2"]
    assert lesson.seats[3].team == 2, "who has no team comes to the smallest"
    lesson.act(1, do="call")
    assert cards_shown(lesson.device(1)) == 12
    assert cards_shown(lesson.device(0)) == 0
    assert lesson.act(0, cards=indices(a_set(table(lesson)))).status_code == 422
    lesson.act(1, cards=indices(a_set(table(lesson))))
    assert points(lesson) == [1, 0]
    assert Answer.objects.get().attendee == lesson.seats[1]
    assert "A SET! Why?" in lesson.device(1)
    assert "A SET! Why?" not in lesson.device(0)
    assert LearningEvent.objects.get().user == lesson.seats[1].user


def test_teams_are_needed_for_a_game_in_teams():
    lesson = a_lesson(2)
    assert "Deal everybody into teams first." in lesson.begin("box", teams="on").text


def test_who_comes_late_plays_at_once(lesson):
    (late,) = enrol(lesson.session.classroom, "Late Comer")
    lesson.join(signed_in(late.student))
    assert len(match_of(lesson).state.seats) == 4
    lesson.act(3, do="call")
    lesson.act(3, cards=indices(a_set(table(lesson))))
    assert points(lesson) == [0, 0, 0, 1]


def test_who_is_sent_out_while_picking_frees_the_board(lesson):
    lesson.act(0, do="call")
    lesson.seat(0, "remove")
    state = match_of(lesson).state
    assert state.control is None
    assert not state.seats[0].is_seated
    assert lesson.devices[0].post(f"/session/{lesson.code}/act/", {"do": "call"}).status_code == 404


def test_scores_are_shown_only_when_the_teacher_wants_it(lesson):
    lesson.act(0, do="call")
    lesson.act(0, cards=indices(a_set(table(lesson))))
    assert "box-scores" not in lesson.projector()
    lesson.order("show-scores")
    assert "box-scores" in lesson.projector()


def test_the_room_sees_why_for_a_few_seconds(lesson):
    lesson.act(0, do="call")
    lesson.act(0, cards=indices(no_set(table(lesson))))
    assert f"{lesson.seats[0].name}: not a SET." in lesson.projector()
    assert "data-fades" in lesson.projector()


def test_no_device_learns_of_the_cards_in_the_deck(lesson):
    lesson.act(0, do="call")
    shown = {int(each) for each in re.findall(r'name="cards" value="(\d+)"', lesson.device(0))}
    assert shown == {card.index for card in match_of(lesson).state.table}


def test_the_match_is_nowhere_but_in_the_lesson_until_it_is_over(lesson):
    code = match_of(lesson).code
    for client in (*lesson.devices, lesson.teacher, Client(), signed_in(make_adult("Eve"))):
        assert client.get(f"/play/{code}/").status_code == 404
        assert client.post(f"/play/{code}/call/", {"version": 5}).status_code == 404
        assert client.post(f"/play/{code}/join/").status_code == 404
        assert code not in client.get("/play/").text
    lesson.steer("finish")
    assert lesson.devices[0].get(f"/play/{code}/replay/").status_code == 200
    assert Client().get(f"/play/{code}/replay/").status_code == 404


def test_a_game_that_is_finished_is_over_and_in_the_history_of_all(lesson):
    lesson.act(0, do="call")
    lesson.act(0, cards=indices(a_set(table(lesson))))
    match = match_of(lesson)
    lesson.steer("finish")
    state = Match.objects.get(pk=match.pk).state
    assert (state.outcome.why, state.outcome.winners) == (Ending.STOPPED, (0,))
    users = [seat.user for seat in lesson.seats]
    played = played_matches(users)
    assert [played[user.pk][0].points for user in users] == [1, 0, 0]


def test_another_game_is_a_new_match(lesson):
    code = match_of(lesson).code
    assert "Another game" not in lesson.remote()
    matches.command(code, ask.Stop(), now=time.time())
    assert "Another game" in lesson.remote()
    lesson.steer("again")
    assert match_of(lesson).code != code
    assert lesson.activity.round == 2
    assert match_of(lesson).phase == Phase.PLAYING


def test_picks_say_something_about_skills_and_count_once_in_the_ledger(lesson):
    lesson.act(0, do="call")
    lesson.act(0, cards=indices(no_set(table(lesson))))
    user = lesson.seats[0].user
    event = LearningEvent.objects.get(user=user)
    assert (event.kind, event.is_right, len(event.cards)) == ("find-one", False, 12)
    assert skill_states(player_of(lesson.seats[0]))[Skill.FIND_ONE].tries == 1
    assert len(wrong_triples([user.pk])) == 1


def test_screens_hear_of_what_time_alone_brings_about(lesson, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        lesson.act(0, do="call")
    before = lesson.session
    code = match_of(lesson).code
    playing.match_changed(matches.catch_up(code, now=time.time() + 11))
    assert lesson.session.version == before.version + 1
    before = lesson.session
    playing.match_changed(matches.command(code, ask.AgreeNoSet(1), now=time.time() + 12))
    assert (lesson.session.version, lesson.session.count) == (before.version, before.count + 1)


def test_a_match_of_its_own_tells_no_session(lesson):
    match = matches.open_match(
        way=Way.TOGETHER, options=Options(), player=Player(name="Ann", guest="a" * 32), now=time.time()
    )
    before = lesson.session
    playing.match_changed(matches.command(match.code, ask.Deal(0), now=time.time()))
    assert (lesson.session.version, lesson.session.count) == (before.version, before.count)


def test_a_teacher_of_another_class_sees_nothing(lesson):
    other = signed_in(make_adult("Stone"))
    make_classroom(make_adult("Green"))
    assert other.get(f"/teach/session/{lesson.code}/screen/").status_code == 404


def test_without_a_window_a_device_that_is_gone_frees_the_board():
    lesson = a_lesson(2)
    lesson.begin("box", window="none", penalty="on")
    lesson.act(0, do="call")
    set_connected(lesson.code, 1, False)
    match = match_of(lesson)
    assert match.state.control is None
    assert [each.record["why"] for each in match.events.filter(record__kind="CallFailed")] == [Failing.LEFT]


def test_ending_the_lesson_ends_the_game(lesson):
    code = match_of(lesson).code
    lesson.order("end")
    assert Match.objects.get(code=code).phase == Phase.OVER
    assert Activity.objects.get().ended_at
