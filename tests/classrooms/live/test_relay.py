"""The relay: pairs come one after another, and so do the members."""

from __future__ import annotations

import re

import pytest

from classrooms.live.activities.relay import KIND
from classrooms.live.activities.teams import own_team
from classrooms.live.joining import set_connected
from classrooms.models import Answer, Attendee
from games.rules import third_card
from lessons.models import LearningEvent
from tests.classrooms.live.lesson import Lesson, a_lesson

pytestmark = pytest.mark.django_db


def begin(lesson: Lesson, *, links: int = 5, deck: str = "full") -> None:
    assert lesson.begin("relay", deck=deck, links=links).status_code == 200


def put_into_teams(lesson: Lesson, *numbers: int) -> None:
    for seat, number in zip(lesson.seats, numbers, strict=True):
        Attendee.objects.filter(pk=seat.pk).update(team=number)


def track(lesson: Lesson, place: int):
    return KIND.track(lesson.activity, own_team(lesson.activity, lesson.seats[place]))


def exercise(lesson: Lesson, place: int):
    return KIND.exercise(lesson.activity, track(lesson, place))


def choose(lesson: Lesson, place: int, *, right: bool = True, tried: int = 0):
    asked = exercise(lesson, place)
    third = third_card(*asked.cards)
    wrong = [card for card in asked.choices if card is not third]
    card = third if right else wrong[tried]
    return lesson.act(place, link=track(lesson, place).done, card=card.index)


def can_choose(lesson: Lesson, place: int) -> bool:
    return 'name="card"' in lesson.device(place)


def test_without_teams_everybody_is_one_and_turns_go_round():
    lesson = a_lesson(3)
    begin(lesson)
    for turn in (0, 1, 2, 0):
        assert [can_choose(lesson, place) for place in range(3)] == [place == turn for place in range(3)]
        assert choose(lesson, turn).status_code == 200
    assert track(lesson, 0).done == 4
    assert "The whole class" in lesson.projector()
    assert "Team" not in lesson.projector()


def test_there_are_six_cards_to_choose_from():
    lesson = a_lesson(1)
    begin(lesson, links=10)
    for _link in range(10):
        assert len(exercise(lesson, 0).choices) == 6
        choose(lesson, 0)
    assert track(lesson, 0).has_arrived


def test_teams_go_their_own_way():
    lesson = a_lesson(4)
    put_into_teams(lesson, 1, 2, 1, 2)
    begin(lesson)
    assert exercise(lesson, 0) != exercise(lesson, 1)
    assert exercise(lesson, 0) == exercise(lesson, 2)
    choose(lesson, 0)
    assert (track(lesson, 0).done, track(lesson, 1).done) == (1, 0)
    assert can_choose(lesson, 2)
    assert can_choose(lesson, 1)
    assert not can_choose(lesson, 0)
    projector = lesson.projector()
    assert "Team 1" in projector
    assert "Team 2" in projector
    assert "1 of 5" in projector
    assert "0 of 5" in projector


def test_wrong_says_why_and_lets_the_same_member_try_again():
    lesson = a_lesson(2)
    begin(lesson)
    page = choose(lesson, 0, right=False).text
    assert "Not this one. Look why, and try another." in page
    assert "and one" in page
    assert can_choose(lesson, 0)
    assert not can_choose(lesson, 1)
    assert "Not this one. Look why." in lesson.device(1)
    assert track(lesson, 0).done == 0
    again = choose(lesson, 0, right=False)
    assert again.status_code == 422
    assert "tried already" in again.text
    choose(lesson, 0)
    assert track(lesson, 0).done == 1
    assert can_choose(lesson, 1)
    assert list(Answer.objects.values_list("event__is_right", flat=True)) == [False, True]


def test_a_pair_can_be_passed_on():
    lesson = a_lesson(2)
    begin(lesson)
    assert lesson.act(0, link=0, **{"pass": 1}).status_code == 200
    assert can_choose(lesson, 1)
    assert not can_choose(lesson, 0)
    assert not Answer.objects.exists()
    choose(lesson, 1)
    assert can_choose(lesson, 0)


def test_who_is_away_is_skipped_and_who_comes_back_has_a_turn():
    lesson = a_lesson(3)
    begin(lesson)
    Attendee.objects.filter(pk=lesson.seats[1].pk).update(is_connected=False)
    choose(lesson, 0)
    assert can_choose(lesson, 2)
    Attendee.objects.filter(pk=lesson.seats[2].pk).update(is_connected=False)
    assert can_choose(lesson, 0)
    lesson.connect()
    choose(lesson, 2)
    choose(lesson, 0)
    assert can_choose(lesson, 1)


def test_devices_hear_of_it_when_who_has_the_turn_comes_or_goes():
    lesson = a_lesson(3)
    begin(lesson)
    versions = [lesson.session.version]
    for number, is_connected in ((2, False), (1, False), (1, True), (2, True)):
        set_connected(lesson.code, number, is_connected)
        versions.append(lesson.session.version)
    first = versions[0]
    assert versions == [first, first, first + 1, first + 2, first + 2]


def test_nobody_plays_out_of_turn_or_for_a_pair_that_is_done():
    lesson = a_lesson(2)
    begin(lesson)
    assert choose(lesson, 1).status_code == 422
    choose(lesson, 0)
    card = third_card(*exercise(lesson, 1).cards).index
    assert lesson.act(1, link=0, card=card).status_code == 422
    assert Answer.objects.count() == 1


@pytest.mark.parametrize("card", ["", "x", "-1", "81", "999999"])
def test_what_is_no_choice_is_refused(card):
    lesson = a_lesson(1)
    begin(lesson)
    assert lesson.act(0, link=0, card=card).status_code == 422
    assert not Answer.objects.exists()


def test_at_the_end_the_team_has_arrived_and_the_teacher_finishes():
    lesson = a_lesson(2)
    put_into_teams(lesson, 1, 2)
    begin(lesson)
    for _link in range(5):
        choose(lesson, 0)
    assert "Your team has arrived!" in lesson.device(0)
    assert "All have arrived!" not in lesson.projector()
    assert lesson.act(0, link=5, card=0).status_code == 422
    for _link in range(5):
        choose(lesson, 1)
    assert "All have arrived!" in lesson.projector()
    lesson.steer("finish")
    assert "Look at the board" in lesson.device(0)


def test_a_late_joiner_is_in_the_smallest_team_at_once():
    lesson = a_lesson(3, guests=True)
    put_into_teams(lesson, 1, 1, 2)
    begin(lesson)
    client = lesson.devices[0].__class__()
    client.post(f"/session/{lesson.code}/join/")
    lesson.join(client)
    lesson.connect()
    assert lesson.seats[3].team == 2
    assert "looks for the third card" in lesson.device(3)
    choose(lesson, 2)
    assert can_choose(lesson, 3)
    choose(lesson, 3)
    assert track(lesson, 2).done == 2


def test_who_is_sent_out_has_no_turn():
    lesson = a_lesson(2)
    begin(lesson)
    lesson.seat(0, "remove")
    assert can_choose(lesson, 1)


def test_only_an_untouched_pair_speaks_of_skills():
    lesson = a_lesson(2)
    begin(lesson)
    choose(lesson, 0, right=False)
    lesson.act(0, link=0, **{"pass": 1})
    choose(lesson, 1)
    first, second = LearningEvent.objects.order_by("pk")
    assert first.evidence
    assert not second.evidence
    assert {first.kind, second.kind} == {"third-card"}
    assert second.is_right
    assert sorted(Answer.objects.first().cards[:2]) == sorted(first.cards)


def test_no_screen_tells_the_third_card():
    lesson = a_lesson(2)
    begin(lesson)
    third = third_card(*exercise(lesson, 0).cards).index
    assert f'data-card="{third}"' not in lesson.projector() + lesson.device(1)
    buttons = re.findall(
        r'<button type="submit" id="choice-\d+" name="card" value="\d+" class="([^"]+)"', lesson.device(0)
    )
    assert len(buttons) == 6
    assert len(set(buttons)) == 1


def test_the_easy_deck_is_solid_only():
    lesson = a_lesson(1)
    begin(lesson, deck="easy", links=8)
    for _link in range(8):
        asked = exercise(lesson, 0)
        assert {card.shading for card in (*asked.cards, *asked.choices)} == {"solid"}
        choose(lesson, 0)


def test_queries_do_not_grow_with_the_class(django_assert_max_num_queries):
    lesson = a_lesson(8)
    put_into_teams(lesson, 1, 2, 3, 4, 1, 2, 3, 4)
    begin(lesson)
    with django_assert_max_num_queries(12):
        lesson.projector()
    with django_assert_max_num_queries(14):
        lesson.device(0)
