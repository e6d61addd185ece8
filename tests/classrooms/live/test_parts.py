"""The parts sent by lesson streams: rendered once for all seats that show the same, and individually otherwise."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from classrooms.live import joining, leading, parts
from classrooms.live.topic import LessonScreen, LessonWatch, hub, read, sign
from classrooms.models import Answer, Session
from core.live.topics import Group, Picture, TopicGone
from games.players import Player
from games.rules import Card, find_sets
from tests.classrooms.live.lesson import Lesson, a_lesson

Pictures = Mapping[Group, Picture]

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nobody_was_fast():
    cache.clear()


@pytest.fixture
def lesson() -> Lesson:
    return a_lesson(4)


def devices(lesson: Lesson, language: str = "en-us") -> set[LessonWatch]:
    return {LessonWatch(lesson.code, seat.number, language=language) for seat in lesson.seats}


def staff(lesson: Lesson, *, is_wall: bool, language: str = "en-us") -> LessonWatch:
    return LessonWatch(lesson.code, None, user=lesson.session.made_by_id, language=language, is_wall=is_wall)


def draw(lesson: Lesson, *watches: LessonWatch, last: Pictures | None = None) -> Pictures:
    return dict(hub.type.draw(lesson.code, set(watches), set(), last or {}).pictures)


def shown(lesson: Lesson, watch: LessonWatch, drawn: Pictures | None = None) -> str:
    """The HTML sent to a screen."""
    picture = (drawn or draw(lesson, watch))[hub.type.group_of(watch)]
    return picture.message(watch).decode()


def own(lesson: Lesson) -> list[str]:
    drawn = draw(lesson, *devices(lesson))
    return [shown(lesson, LessonWatch(lesson.code, seat.number, language="en-us"), drawn) for seat in lesson.seats]


@pytest.fixture
def drawings(monkeypatch) -> list[str]:
    """Records the templates that are rendered."""
    found: list[str] = []
    really = parts.drawn

    def drawn(template, context):
        found.append(template)
        return really(template, context)

    monkeypatch.setattr(parts, "drawn", drawn)
    return found


def test_a_question_is_drawn_once_and_each_device_has_its_own_name_on_it(lesson, drawings):
    lesson.begin("triples")
    drawings.clear()
    screens = own(lesson)
    assert drawings == ["session/triples/device.html"]
    names = [re.search(r'class="attendee-who"><strong>(\w+)', each)[1] for each in screens]
    assert names == ["Mia", "Noah", "Lina", "Theo"]
    assert len({each.partition("</p>")[2] for each in screens}) == 1


def test_after_the_answer_is_shown_those_who_were_right_and_wrong_and_silent_see_three_things(lesson, drawings):
    lesson.begin("triples")
    lesson.act(0, yes="1")
    lesson.act(1, breaks="color")
    lesson.act(2, yes="1")
    lesson.steer("reveal")
    drawings.clear()
    mia, noah, lina, theo = own(lesson)
    assert drawings == ["session/triples/device.html"] * 3
    assert "Yes!" in mia
    assert "Yes!" in lina
    assert "Not this time" in noah
    assert "answer-title" not in theo


def test_nobody_is_shown_what_somebody_else_has_answered(lesson):
    lesson.begin("triples")
    lesson.act(0, yes="1")
    mia, *others = own(lesson)
    assert "Your answer is in" in mia
    assert not any("Your answer is in" in each for each in others)


def test_the_pictures_of_a_whole_class_take_as_many_queries_as_those_of_one(lesson):
    lesson.begin("triples")
    everybody = devices(lesson)
    with CaptureQueriesContext(connection) as of_one:
        draw(lesson, min(everybody, key=lambda watch: watch.number))
    with CaptureQueriesContext(connection) as of_all:
        draw(lesson, *everybody)
    assert len(of_all) == len(of_one)


def play_triples(lesson: Lesson) -> None:
    lesson.begin("triples")
    lesson.act(0, yes="1")
    lesson.act(1, breaks="color")


def play_relay(lesson: Lesson) -> None:
    lesson.begin("relay", deck="full", links=8)


def play_builder(lesson: Lesson) -> None:
    lesson.begin("builder", deck="full")
    for place, card in enumerate((0, 1, 2)):
        # The third card makes a SET with the others, and only the student who proposed it is told why.
        lesson.act(place, card=card)


def play_board(lesson: Lesson) -> None:
    lesson.begin("board", deck="full", size=12)
    board = [Card.from_index(card) for card in lesson.activity.state["board"]]
    lesson.act(1, cards=[card.index for card in find_sets(board)[0]])


def play_box(lesson: Lesson) -> None:
    lesson.begin("box", deck="full", window="none")
    lesson.act(2, do="none")
    lesson.act(1, do="call")


def play_unit(lesson: Lesson) -> None:
    lesson.begin("unit", unit="third-card")


@pytest.mark.parametrize("play", [play_triples, play_relay, play_builder, play_board, play_box, play_unit])
def test_every_device_is_sent_what_its_page_shows(lesson, play):
    play(lesson)
    sent = own(lesson)
    for place, device in enumerate(lesson.devices):
        page = device.get(f"/session/{lesson.code}/part/", headers={"HX-Request": "true"}).text
        assert sent[place] == f"event: part\ndata: {page}\n\n"
    assert len({each.partition("</p>")[2] for each in sent}) < len(sent), "some show the same"


def test_a_screen_is_sent_no_token_against_forgery(lesson):
    lesson.begin("triples")
    for screen in (*own(lesson), shown(lesson, staff(lesson, is_wall=False))):
        assert "<form" in screen
        assert "csrfmiddlewaretoken" not in screen


def test_a_form_of_the_page_can_be_sent_without_scripts(lesson):
    lesson.begin("triples")
    browser = Client(enforce_csrf_checks=True)
    browser.cookies = lesson.devices[0].cookies
    page = browser.get(f"/session/{lesson.code}/").text.partition('id="screen"')[2]
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[1]
    form = {"activity": 1, "round": 1, "yes": "1"}
    assert browser.post(f"/session/{lesson.code}/act/", form).status_code == 403
    assert browser.post(f"/session/{lesson.code}/act/", {**form, "csrfmiddlewaretoken": token}).status_code == 302
    assert Answer.objects.count() == 1


def test_each_screen_is_drawn_in_its_language(lesson):
    lesson.begin("triples")
    watches = {language: LessonWatch(lesson.code, 1, language=language) for language in ("en-us", "fr", "es")}
    drawn = draw(lesson, *watches.values())
    for language, watch in watches.items():
        with translation.override(language):
            words = translation.gettext("Is it a SET?")
        assert words in shown(lesson, watch, drawn), language


def test_a_seat_that_was_taken_out_or_put_on_paper_is_sent_nothing(lesson):
    leading.remove(lesson.seats[0])
    picture = draw(lesson, *devices(lesson))[LessonScreen.DEVICE, "en-us"]
    assert picture.message(LessonWatch(lesson.code, 1, language="en-us")) is None
    assert picture.message(LessonWatch(lesson.code, 2, language="en-us"))


def test_a_lesson_that_is_gone_is_not_drawn(lesson):
    Session.objects.all().delete()
    with pytest.raises(TopicGone):
        draw(lesson, LessonWatch("BCDFG", 1, language="en-us"))


# What an answer changes


def test_an_answer_changes_only_the_count_and_who_is_marked(lesson, drawings):
    lesson.begin("triples")
    wall, at_hand = staff(lesson, is_wall=True), staff(lesson, is_wall=False)
    whole = draw(lesson, wall, at_hand)
    lesson.act(2, yes="1")
    drawings.clear()
    news = draw(lesson, wall, at_hand, last=whole)
    assert drawings == ["session/_news.html"] * 2
    assert "event: news" in shown(lesson, wall, news)
    assert "1 of 4 have answered" in shown(lesson, wall, news)
    assert 'data-answered="3"' in shown(lesson, at_hand, news)
    assert "data-answered" not in shown(lesson, wall, news), "the room isn't shown who has answered"


def test_whoever_comes_is_drawn_on_the_remote_and_counted_on_the_projector(lesson):
    lesson.begin("triples")
    wall, at_hand = staff(lesson, is_wall=True), staff(lesson, is_wall=False)
    whole = draw(lesson, wall, at_hand)
    joining.set_connected(lesson.code, 1, False)
    news = draw(lesson, wall, at_hand, last=whole)
    assert "0 of 3 have answered" in shown(lesson, wall, news)
    assert "event: part" in shown(lesson, at_hand, news)
    assert "is-away" in shown(lesson, at_hand, news)


def test_in_the_lobby_all_is_drawn_anew(lesson):
    wall = staff(lesson, is_wall=True)
    whole = draw(lesson, wall)
    joining.set_connected(lesson.code, 1, False)
    assert "event: part" in shown(lesson, wall, draw(lesson, wall, last=whole))


def test_the_remote_fetches_nothing_that_its_stream_brings(lesson):
    path = f"/teach/session/{lesson.code}/do/pause/"
    live = {"HX-Request": "true", "X-Live": "1"}
    answer = lesson.teacher.post(path, headers=live)
    assert (answer.status_code, answer.content) == (204, b"")
    assert lesson.session.is_paused
    leading.end(lesson.session)
    refused = lesson.teacher.post(f"/teach/session/{lesson.code}/do/lock/", headers=live)
    assert (refused.status_code, "This lesson is over." in refused.text) == (422, True)


# Pages from before an update


def test_a_page_from_before_an_update_is_told_to_look_for_itself(lesson):
    old = LessonWatch(lesson.code, 1)
    assert shown(lesson, old) == "event: changed\ndata: \n\n"
    for number in (None, 0):
        assert shown(lesson, LessonWatch(lesson.code, number)) == "event: changed\ndata: \n\n"


def test_a_token_says_what_screen_it_is_for(lesson):
    for watch in (*devices(lesson, "fr"), staff(lesson, is_wall=True), LessonWatch("BCDFG", None, key="ABC")):
        assert read(sign(watch)) == watch


def test_a_guest_who_comes_is_on_the_next_picture_of_the_remote(lesson):
    leading.set_guests(lesson.session, True)
    seat = joining.attend(lesson.session, Player(name="Ann", guest="0" * 32))
    assert seat.name in shown(lesson, staff(lesson, is_wall=False))
