"""The silent board: everybody works alone, and the class result combines all finds."""

from __future__ import annotations

import random
import re
from itertools import combinations

import pytest

from classrooms.live.activities.silent_board import FEWEST_SETS, MOST_SETS, Arrangement, draw_board
from classrooms.models import Answer, Attendee
from games.rules import FULL_DECK, Card, Feature, easy_deck, explain, find_sets, is_set
from games.rules.triples import differing
from lessons.models import LearningEvent
from tests.classrooms.live.lesson import Lesson, a_lesson

pytestmark = pytest.mark.django_db
DECKS = {"full": FULL_DECK, "easy": easy_deck(Feature.SHADING)}


def begin(lesson: Lesson, *, own: bool = False, deck: str = "full", size: int = 12) -> None:
    options = {"deck": deck, "size": size, **({"own": "on"} if own else {})}
    assert lesson.begin("board", **options).status_code == 200


def own_board(lesson: Lesson, place: int) -> Arrangement:
    return Arrangement(lesson.activity, lesson.seats[place])


def class_board(lesson: Lesson) -> list[Card]:
    return [Card.from_index(index) for index in lesson.activity.state["board"]]


def pick(lesson: Lesson, place: int, cards):
    return lesson.act(place, cards=[card.index for card in cards])


def no_sets(cards) -> list:
    return [three for three in combinations(cards, 3) if not is_set(*three)]


@pytest.mark.parametrize("deck", DECKS)
@pytest.mark.parametrize("size", [9, 12, 15])
def test_a_board_has_a_few_sets_and_something_for_each_target(deck, size):
    targets = frozenset({1, 2})
    for number in range(5):
        board = draw_board(DECKS[deck], size, f"seed/{number}", targets)
        assert len(set(board)) == size
        assert set(board) <= set(DECKS[deck])
        assert FEWEST_SETS <= len(find_sets(board)) <= MOST_SETS
        assert targets <= set(map(differing, find_sets(board)))
        assert board == draw_board(DECKS[deck], size, f"seed/{number}", targets)


def test_a_target_that_no_card_of_the_deck_can_meet_hinders_nobody():
    assert draw_board(DECKS["easy"], 9, "seed", frozenset({4}))


@pytest.mark.parametrize("deck", DECKS)
def test_each_device_has_the_board_in_other_clothes(deck):
    lesson = a_lesson(4)
    begin(lesson, own=True, deck=deck)
    arrangements = [own_board(lesson, place) for place in range(4)]
    assert len({each.cards for each in arrangements}) == 4
    keys = sorted(tuple(sorted(card.index for card in three)) for three in find_sets(class_board(lesson)))
    for place, each in enumerate(arrangements):
        assert set(each.cards) <= set(DECKS[deck])
        assert sorted(map(each.key, find_sets(each.cards))) == keys
        page = lesson.device(place)
        shown = [int(index) for index in re.findall(r'name="cards" value="(\d+)"', page)]
        assert shown == [card.index for card in each.cards]


def test_without_arrangements_all_have_the_same_board():
    lesson = a_lesson(2)
    begin(lesson)
    assert own_board(lesson, 0).cards == own_board(lesson, 1).cards == tuple(class_board(lesson))


@pytest.mark.parametrize("own", [False, True])
def test_a_set_is_listed_on_the_own_device_only_and_counts_for_the_class(own):
    lesson = a_lesson(2)
    begin(lesson, own=own)
    triple = find_sets(own_board(lesson, 0).cards)[0]
    there = len(find_sets(class_board(lesson)))
    page = pick(lesson, 0, triple).text
    assert "Yes, a SET!" in page
    assert "You have found 1 SET<" in page
    assert "You have found" not in lesson.device(1)
    assert f"1 of {there} found by the class" in lesson.projector()
    row = Answer.objects.get()
    assert row.is_right
    assert row.cards == list(own_board(lesson, 0).key(triple))
    assert row.answer["picked"]
    assert is_set(*map(Card.from_index, row.cards))


def test_the_same_set_by_two_is_one_for_the_class_and_two_for_the_reveal():
    lesson = a_lesson(3)
    begin(lesson, own=True)
    key = own_board(lesson, 0).key(find_sets(own_board(lesson, 0).cards)[0])
    for place in (0, 1):
        pick(lesson, place, own_board(lesson, place).shown(map(Card.from_index, key)))
    sets = find_sets(class_board(lesson))
    other = next(each for each in sets if tuple(sorted(card.index for card in each)) != key)
    pick(lesson, 2, own_board(lesson, 2).shown(other))
    assert f"2 of {len(sets)} found by the class" in lesson.projector()
    lesson.steer("reveal")
    projector = lesson.projector()
    assert projector.count("found by 2") == 1
    assert projector.count("found by one") == 1
    assert projector.count("found by nobody") == len(sets) - 2
    for place in range(3):
        device = lesson.device(place)
        assert device.count("✓ you") == 1
        assert device.count("found by nobody") == len(sets) - 2


@pytest.mark.parametrize("own", [False, True])
def test_wrong_says_why_in_the_own_cards_and_counts_once(own):
    lesson = a_lesson(2)
    begin(lesson, own=own)
    triple = no_sets(own_board(lesson, 0).cards)[0]
    page = pick(lesson, 0, triple).text
    assert "Not a SET. Look why." in page
    assert "two" in page
    assert "and one" in page
    row = Answer.objects.get()
    assert not row.is_right
    assert row.missed == [each.feature.value for each in explain(*triple).broken]
    again = pick(lesson, 0, triple)
    assert again.status_code == 422
    assert "tried these three before" in again.text
    assert Answer.objects.count() == 1
    assert "Not a SET" not in lesson.device(1)


def test_a_set_found_twice_is_kept_once():
    lesson = a_lesson(1)
    begin(lesson)
    triple = find_sets(class_board(lesson))[0]
    pick(lesson, 0, triple)
    again = pick(lesson, 0, triple)
    assert again.status_code == 422
    assert "You have that one already" in again.text
    assert Answer.objects.count() == 1 == LearningEvent.objects.count()


@pytest.mark.parametrize("cards", [[], [0], ["x", "y", "z"], [0, 1, 2, 3], [-1, 81, 500]])
def test_what_is_no_pick_is_refused(cards):
    lesson = a_lesson(1)
    begin(lesson)
    assert lesson.act(0, cards=cards).status_code == 422
    assert not Answer.objects.exists()


def test_a_card_of_another_device_is_not_on_mine():
    lesson = a_lesson(2)
    begin(lesson, own=True)
    mine, others = own_board(lesson, 0).cards, own_board(lesson, 1).cards
    theirs = [card for card in others if card not in mine]
    assert pick(lesson, 0, theirs[:3]).status_code == 422


def test_after_the_reveal_nothing_is_taken_and_the_next_board_is_another():
    lesson = a_lesson(1)
    begin(lesson)
    before = class_board(lesson)
    lesson.steer("reveal")
    assert pick(lesson, 0, find_sets(before)[0]).status_code == 422
    lesson.steer("next")
    assert class_board(lesson) != before
    assert pick(lesson, 0, find_sets(class_board(lesson))[0]).status_code == 200


@pytest.mark.parametrize("own", [False, True])
def test_before_the_reveal_no_device_learns_of_a_set(own):
    lesson = a_lesson(2)
    begin(lesson, own=own)
    triple = find_sets(own_board(lesson, 1).cards)[0]
    before = lesson.device(0)
    pick(lesson, 1, triple)
    after = lesson.device(0)
    assert re.sub(r"csrf\S+ value=\S+", "", before) == re.sub(r"csrf\S+ value=\S+", "", after)
    assert "found by" not in after
    assert "board-sets" not in lesson.projector()


def test_who_has_a_target_is_credited_for_it_and_the_class_for_all():
    lesson = a_lesson(2)
    lesson.seat(0, "target", target=2)
    begin(lesson, own=True)
    sets = find_sets(own_board(lesson, 0).cards)
    assert 2 in map(differing, sets)
    assert "differ in 2 features" in lesson.device(0)
    assert "differ in" not in lesson.device(1)
    beside = [each for each in sets if differing(each) != 2]
    wanted = next(each for each in sets if differing(each) == 2)
    if beside:
        page = pick(lesson, 0, beside[0]).text
        assert "A SET! Now look for those that differ in 2 features." in page
        assert "You have found 0 SETs" in page
    page = pick(lesson, 0, wanted).text
    assert "Yes, a SET!" in page
    assert "You have found 1 SET<" in page
    assert f"{1 + bool(beside)} of {len(sets)} found by the class" in lesson.projector()
    credited = [row.answer["credited"] for row in Answer.objects.all()]
    assert credited == [False] * bool(beside) + [True]


def test_a_target_that_the_board_does_not_have_is_none():
    lesson = a_lesson(1)
    begin(lesson, deck="easy", size=9)
    Attendee.objects.update(target=4)
    assert "differ in" not in lesson.device(0)
    assert "Yes, a SET!" in pick(lesson, 0, find_sets(class_board(lesson))[0]).text


def test_a_board_says_something_of_each_skill_only_once():
    lesson = a_lesson(1)
    begin(lesson, size=15)
    sets = find_sets(class_board(lesson))
    for triple in [*no_sets(class_board(lesson))[:4], *sets]:
        pick(lesson, 0, triple)
    said = [
        skill for evidence in LearningEvent.objects.values_list("evidence", flat=True) for skill, _is_right in evidence
    ]
    assert len(said) == len(set(said))
    assert "find-one" in said
    assert {f"differs-{differing(each)}" for each in sets} <= set(said)
    assert LearningEvent.objects.count() == 4 + len(sets)
    assert set(LearningEvent.objects.values_list("kind", flat=True)) == {"find-one"}


def test_a_late_joiner_waits_for_the_next_board():
    lesson = a_lesson(2, guests=True)
    begin(lesson)
    client = lesson.devices[0].__class__()
    client.post(f"/session/{lesson.code}/join/")
    lesson.join(client)
    assert "You come in at the next round" in lesson.device(2)
    lesson.steer("reveal")
    lesson.steer("next")
    assert pick(lesson, 2, find_sets(class_board(lesson))[0]).status_code == 200
    assert LearningEvent.objects.get().guest == lesson.seats[2].guest


def test_the_report_of_a_student_can_show_picks_in_other_clothes():
    lesson = a_lesson(1)
    begin(lesson, own=True)
    rng = random.Random(5)
    triple = rng.choice(no_sets(own_board(lesson, 0).cards))
    pick(lesson, 0, triple)
    attempt = LearningEvent.objects.get()
    assert attempt.answer["cards"] == [card.index for card in triple]
    assert set(attempt.answer["cards"]) <= set(attempt.cards)
    assert attempt.missed == [each.feature.value for each in explain(*triple).broken]


def test_bad_options_are_refused_in_words():
    lesson = a_lesson(1)
    assert lesson.begin("board", deck="full", size=13).status_code == 422
    assert not lesson.session.activities.exists()
