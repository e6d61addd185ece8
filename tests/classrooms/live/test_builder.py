"""A board with no SET, built by a team or by everybody."""

from __future__ import annotations

import pytest

from classrooms.live.activities.builder import KIND
from classrooms.models import Answer, Attendee
from games.rules import Card, find_sets, is_set
from games.rules.triples import third_card
from lessons.models import LearningEvent
from tests.classrooms.live.lesson import Lesson, a_lesson

pytestmark = pytest.mark.django_db


def begin(lesson: Lesson, *, deck: str = "easy", **options: str) -> None:
    assert lesson.begin("builder", deck=deck, **options).status_code == 200


def building(lesson: Lesson, number: int = 0):
    return KIND.building(lesson.activity, number)


def add(lesson: Lesson, place: int, card: Card):
    return lesson.act(place, card=card.index)


def fitting(lesson: Lesson, number: int = 0) -> list[Card]:
    now = building(lesson, number)
    return [card for card in now.left if card not in now.impossible]


def test_a_card_that_makes_no_set_is_added_for_all_to_see():
    lesson = a_lesson(2)
    begin(lesson)
    assert add(lesson, 0, building(lesson).left[0]).status_code == 200
    assert "1 of 9 cards, no SET" in lesson.device(0)
    assert "1 of 9 cards, no SET" in lesson.device(1)
    row = Answer.objects.get()
    assert row.is_right


def test_a_card_that_makes_a_set_is_refused_with_the_set():
    lesson = a_lesson(2)
    begin(lesson)
    first, second, *_others = building(lesson).left
    add(lesson, 0, first)
    add(lesson, 1, second)
    third = third_card(first, second)
    page = add(lesson, 0, third)
    assert page.status_code == 200
    assert "That would make a SET:" in page.text
    assert "That would make a SET:" not in lesson.device(1)
    assert building(lesson).cards == (first, second)
    row = Answer.objects.get(event__is_right=False)
    assert is_set(*map(Card.from_index, row.cards))
    assert third.index in row.cards
    assert add(lesson, 1, third).status_code == 422
    assert Answer.objects.count() == 3


def test_what_is_refused_is_forgotten_when_it_fits_again():
    lesson = a_lesson(1)
    begin(lesson)
    first, second, *_others = building(lesson).left
    add(lesson, 0, first)
    add(lesson, 0, second)
    third = third_card(first, second)
    add(lesson, 0, third)
    while not building(lesson).is_stuck and not building(lesson).has_reached_goal:
        add(lesson, 0, fitting(lesson)[0])
    assert building(lesson).refused == {third}


@pytest.mark.parametrize("card", ["", "x", "99", "3"])
def test_what_is_not_in_the_deck_is_refused(card):
    """Card 3 is striped, and not in the easy deck."""
    lesson = a_lesson(1)
    begin(lesson)
    assert lesson.act(0, card=card).status_code == 422
    assert not Answer.objects.exists()


def test_a_card_can_be_added_once():
    lesson = a_lesson(2)
    begin(lesson)
    card = building(lesson).left[0]
    add(lesson, 0, card)
    assert add(lesson, 1, card).status_code == 422


def _build_until_stuck(lesson: Lesson) -> None:
    """Build eight cards of the easy deck to which no ninth can be added."""
    eight = [(x, y, z) for x in (1, 2) for y in ("red", "green") for z in ("oval", "squiggle")]
    for number, color, shape in eight:
        add(lesson, 0, Card(number, color, "solid", shape))


def test_when_no_card_fits_one_may_be_taken_away():
    lesson = a_lesson(1)
    begin(lesson)
    move = building(lesson).move
    assert lesson.act(0, **{"take-away": 1, "move": move}).status_code == 422
    _build_until_stuck(lesson)
    assert building(lesson).is_stuck
    page = lesson.device(0)
    assert "No card fits any more" in page
    assert "Take the last card away" in page
    assert "no card fits" in lesson.projector()
    move = building(lesson).move
    assert lesson.act(0, **{"take-away": 1, "move": move}).status_code == 200
    assert len(building(lesson).cards) == 7
    assert building(lesson).best == 8
    stale = lesson.act(0, **{"take-away": 1, "move": move})
    assert stale.status_code == 422
    assert len(building(lesson).cards) == 7
    assert "Take the last card away" in lesson.device(0)
    assert "Your best: 8" in lesson.device(0)


def test_nine_is_the_most():
    lesson = a_lesson(1)
    begin(lesson)
    cap = _nine_without_a_set(building(lesson).left)
    for card in cap:
        assert add(lesson, 0, card).status_code == 200
    assert building(lesson).has_reached_goal
    assert "There cannot be more!" in lesson.device(0)
    assert 'name="card"' not in lesson.device(0)
    assert "✓" in lesson.projector()
    assert add(lesson, 0, building(lesson).left[0]).status_code == 422


def _nine_without_a_set(deck, start=()):
    if len(start) == 9:
        return start
    for place, card in enumerate(deck):
        if not find_sets((*start, card)):
            found = _nine_without_a_set(deck[place + 1 :], (*start, card))
            if found:
                return found
    return None


def test_the_full_deck_goes_towards_twenty():
    lesson = a_lesson(1)
    begin(lesson, deck="full")
    assert building(lesson).goal == 20
    assert len(building(lesson).left) == 81
    while fits := fitting(lesson):
        add(lesson, 0, fits[-1])
    assert len(building(lesson).cards) >= 16
    assert not find_sets(building(lesson).cards)


def test_each_team_builds_its_own():
    lesson = a_lesson(2)
    for seat, team in zip(lesson.seats, (1, 2), strict=True):
        Attendee.objects.filter(pk=seat.pk).update(team=team)
    begin(lesson, teams="on")
    add(lesson, 0, building(lesson, 1).left[0])
    assert len(building(lesson, 1).cards) == 1
    assert not building(lesson, 2).cards
    assert "1 of 9" in lesson.device(0)
    assert "0 of 9" in lesson.device(1)
    assert "Team 1" in lesson.projector()
    assert "Team 2" in lesson.projector()


def test_together_teams_do_not_matter():
    lesson = a_lesson(2)
    for seat, team in zip(lesson.seats, (1, 2), strict=True):
        Attendee.objects.filter(pk=seat.pk).update(team=team)
    begin(lesson)
    add(lesson, 0, building(lesson).left[0])
    add(lesson, 1, building(lesson).left[0])
    assert len(building(lesson).cards) == 2
    assert "The whole class" in lesson.projector()
    assert "Team" not in lesson.projector()


def test_a_late_joiner_builds_at_once_with_the_smallest_team():
    lesson = a_lesson(2, guests=True)
    for seat in lesson.seats:
        Attendee.objects.filter(pk=seat.pk).update(team=1)
    begin(lesson, teams="on")
    client = lesson.devices[0].__class__()
    client.post(f"/session/{lesson.code}/join/")
    lesson.join(client)
    assert lesson.seats[2].team == 1
    assert add(lesson, 2, building(lesson, 1).left[0]).status_code == 200


def test_impossible_cards_are_dimmed_only_where_the_teacher_wants_it():
    lesson = a_lesson(1)
    begin(lesson)
    for card in building(lesson).left[:2]:
        add(lesson, 0, card)
    assert "is-impossible" not in lesson.device(0)
    begin(lesson, dims="on")
    for card in building(lesson).left[:2]:
        add(lesson, 0, card)
    assert lesson.device(0).count("is-impossible") == 1


def test_only_where_chance_does_not_decide_a_proposal_speaks_of_skills():
    lesson = a_lesson(1)
    begin(lesson)
    _build_until_stuck(lesson)
    attempts = list(LearningEvent.objects.order_by("pk"))
    assert [attempt.kind for attempt in attempts] == ["any-set"] * 8
    assert not attempts[0].evidence
    assert not attempts[2].evidence
    assert attempts[-1].evidence == [["any-set", True]]


def test_of_several_proposals_at_one_board_only_the_first_speaks():
    lesson = a_lesson(1)
    begin(lesson)
    for card in _nine_without_a_set(building(lesson).left)[:7]:
        add(lesson, 0, card)
    refused = sorted(building(lesson).impossible)[:3]
    for card in refused:
        add(lesson, 0, card)
    wrong = LearningEvent.objects.filter(is_right=False).order_by("pk")
    assert [attempt.is_first for attempt in wrong] == [True, False, False]
