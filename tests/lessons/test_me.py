"""The learner's own page: position, skills and mistakes; every number matches mastery."""

from __future__ import annotations

import random
import re
from html import unescape
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.players import Player
from games.rules import Feature
from games.words import FEATURES, card_name
from lessons.course.units import course
from lessons.models import LearningEvent
from lessons.progress.mastery import most_missed, statuses
from lessons.progress.recording import finish_step
from lessons.progress.snapshots import skill_states
from lessons.queries import latest_tries
from lessons.questions import make_exercise
from lessons.skills import ExerciseKind, Skill, Wanted
from lessons.views import exercise as exercise_page
from lessons.views import practice
from lessons.words import LEVELS, SKILLS
from tests.lessons.skill_levels import stand_at
from tests.lessons.test_learning import DAY, NOW, a_guest, a_user, keep, keep_many, learn_for_days

pytestmark = pytest.mark.django_db

PATH = "/learn/me/"
YEAR = 365 * DAY


@pytest.fixture
def clock(monkeypatch):
    """The pages' clock, which the test sets."""
    clock = SimpleNamespace(now=NOW)
    for page in (practice, exercise_page):
        monkeypatch.setattr(page, "time", SimpleNamespace(time=lambda: clock.now))
    return clock


def words_of(markup: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", markup)).split())


def section(response, title: str) -> str:
    """The section of the page under a heading, or ""."""
    found = re.search(rf"<h2>{title}</h2>(.*?)</section>", response.text, re.DOTALL)
    return found[1] if found else ""


def levels_on(response) -> list[tuple[str, int, str]]:
    """For each skill on the page: its name, its picture's value, and its text."""
    rows = re.findall(
        r'<th scope="row">(.*?)</th>\s*<td>\s*<meter[^>]* value="(\d)">\d</meter>(.*?)</td>',
        section(response, "What I can do"),
        re.DOTALL,
    )
    return [(unescape(name), int(value), words_of(words)) for name, value, words in rows]


# Nothing yet


def test_an_empty_page_says_what_to_do(client):
    response = client.get(PATH)
    assert "Nothing here yet. Do a step or two, and come back." in words_of(response.text)
    assert '<a class="main-button" href="/learn/">' in response.text
    assert re.findall(r"<h2>(.*?)</h2>", response.text) == ["My path"]


def test_a_page_of_looks_only_is_still_empty(client, ann):
    finish_step(ann, "cards", "four-features", now=NOW)
    response = client.get(PATH)
    assert "Nothing here yet." in words_of(response.text)
    assert f"1 of {len(course()[0].steps)}" in words_of(section(response, "My path"))


def test_what_others_do_is_not_shown(client, ann):
    keep_many(a_user("Ben"), 20)
    keep_many(a_guest(), 20)
    response = client.get(PATH)
    assert "Nothing here yet." in words_of(response.text)
    assert "missed" not in words_of(response.text)


def test_a_guest_has_a_page_as_well(client):
    client.post("/learn/cards/color-green/", {"value": "red"})
    response = client.get(PATH)
    assert ("Seeing color", 1, "started") in levels_on(response)
    assert words_of(section(response, "What I miss most")) == "color missed 1 of 1"


# Skills


def test_the_levels_are_those_of_the_one_status_function(client, ann, clock):
    clock.now = learn_for_days(ann, random.Random("levels"), tries=80)
    shown = []
    for later in (0, 30 * DAY, YEAR):
        clock.now += later
        expected = statuses(skill_states(ann), clock.now)
        due = " time to look again"
        rows = [(str(SKILLS[s.skill]), s.level.value, f"{LEVELS[s.level]}{due if s.is_due else ''}") for s in expected]
        response = client.get(PATH)
        assert levels_on(response) == rows
        assert response.context["about"].skills == expected
        shown.append([value for _, value, _ in rows])
    assert len(shown[0]) == len(Skill)
    assert sum(shown[-1]) < sum(shown[0]), "what is not practiced fades"


def test_all_five_levels_can_be_seen(client, ann, clock):
    stand_at(ann, {Skill.NUMBER: 0.2, Skill.COLOR: 0.5, Skill.SHADING: 0.8, Skill.SHAPE: 0.95}, now=NOW)
    rows = levels_on(client.get(PATH))
    assert rows[:4] == [
        ("Seeing number", 1, "started"),
        ("Seeing color", 2, "growing"),
        ("Seeing shading", 3, "sure"),
        ("Seeing shape", 4, "mastered"),
    ]
    assert ("Find a SET", 0, "new") in rows
    clock.now = NOW + 2 * DAY
    assert levels_on(client.get(PATH))[3] == ("Seeing shape", 3, "sure time to look again")


READY, NOT_YET = "you are ready for the full deck.", "Play with the small deck for now."


def test_who_is_ready_for_the_full_deck_is_told_by_what_was_measured(client, ann, clock):
    enough = {Skill.FIND_ONE: 0.8, Skill.DIFFERS_1: 0.5, Skill.DIFFERS_2: 0.5}
    stand_at(ann, enough, now=NOW)
    assert READY in words_of(client.get(PATH).text)
    for skill, too_little in {Skill.FIND_ONE: 0.7, Skill.DIFFERS_1: 0.3, Skill.DIFFERS_2: 0.3}.items():
        stand_at(ann, {**enough, skill: too_little}, now=NOW)
        text = words_of(client.get(PATH).text)
        assert NOT_YET in text
        assert READY not in text


# Mistakes and times


def test_what_is_missed_most_comes_first(client, ann):
    learn_for_days(ann, random.Random("missed"), tries=60)
    missed = most_missed(latest_tries(ann))
    assert len(missed) == len(Feature)
    rows = re.findall(r"<li>(.*?)</li>", section(client.get(PATH), "What I miss most"), re.DOTALL)
    assert [words_of(row) for row in rows] == [
        f"{FEATURES[feature]} missed {count} of {of}" for feature, count, of in missed
    ]
    assert [count for _, count, _ in missed] == sorted((count for _, count, _ in missed), reverse=True)


def test_who_misses_nothing_reads_nothing_of_it(client, ann):
    keep(ann, Wanted(ExerciseKind.IS_SET), "s1")
    assert not section(client.get(PATH), "What I miss most")


def find(player: Player, kind: ExerciseKind, seconds: float, *, right: bool = True, again: bool = False) -> list[str]:
    """Record a board solved in this many seconds; return the names of its cards."""
    wanted, seed = Wanted(kind, 2), f"{kind}-{'again' if again else seconds}"
    keep(player, wanted, seed, right=right, seconds=seconds)
    return [card_name(card) for card in make_exercise(wanted, seed).cards]


def figures(response) -> list[tuple[list[str], str]]:
    """The boards on the page: the names of their cards, and their captions."""
    found = re.findall(
        r"<figure>(.*?)<figcaption>(.*?)</figcaption>", section(response, "My slowest boards"), re.DOTALL
    )
    return [
        (re.findall(r'<span class="visually-hidden">(.*?)</span>', board), words_of(caption))
        for board, caption in found
    ]


def test_the_three_slowest_boards_are_shown_with_their_times(client, ann):
    boards = {
        seconds: find(ann, kind, seconds)
        for kind, seconds in [(ExerciseKind.FIND_ONE, 12.0), (ExerciseKind.FIND_ALL, 95.4)]
    }
    boards |= {seconds: find(ann, ExerciseKind.FIND_ONE, seconds) for seconds in (3.0, 40.0, 8.0)}
    keep(ann, Wanted(ExerciseKind.IS_SET), "no board", seconds=500.0)
    assert figures(client.get(PATH)) == [
        (boards[95.4], "95 seconds · Try it again"),
        (boards[40.0], "40 seconds · Try it again"),
        (boards[12.0], "12 seconds · Try it again"),
    ]


def test_best_times_are_the_fastest_of_each_kind_of_board(client, ann):
    for kind, times in {
        ExerciseKind.FIND_ONE: (9.0, 4.0, 21.0),
        ExerciseKind.FIND_ALL: (50.0, 33.0),
        ExerciseKind.ANY_SET: (2.0,),
    }.items():
        for seconds in times:
            find(ann, kind, seconds)
    keep(ann, Wanted(ExerciseKind.IS_SET), "no board", seconds=1.0)
    assert words_of(section(client.get(PATH), "My best times")) == (
        "Is there one at all? 2 s Find them all 33 s Find a SET 4 s"
    )


def test_a_wrong_answer_a_second_try_or_one_that_nobody_timed_is_no_time(client, ann):
    find(ann, ExerciseKind.FIND_ONE, 1.0, right=False)
    find(ann, ExerciseKind.FIND_ONE, 60.0, right=False, again=True)
    find(ann, ExerciseKind.FIND_ONE, 2.0, again=True)
    keep(ann, Wanted(ExerciseKind.FIND_ONE), "not timed", seconds=None)
    response = client.get(PATH)
    assert not section(response, "My best times")
    assert not section(response, "My slowest boards")


def test_a_board_with_help_is_no_best_time(client, ann):
    find(ann, ExerciseKind.FIND_ONE, 9.0)
    keep(ann, Wanted(ExerciseKind.FIND_ONE), "helped", seconds=2.0, hints=1)
    assert words_of(section(client.get(PATH), "My best times")) == "Find a SET 9 s"


def test_a_board_that_went_quicker_the_second_time_is_slow_no_more(client, ann):
    wanted = Wanted(ExerciseKind.FIND_ONE)
    for seconds in (90.0, 5.0):
        keep(ann, wanted, "twice", seconds=seconds)
    assert [words for _board, words in figures(client.get(PATH))] == ["5 seconds · Try it again"]


@pytest.mark.parametrize("kind", [ExerciseKind.FIND_ONE, ExerciseKind.FIND_ALL, ExerciseKind.ANY_SET])
def test_a_slow_board_can_be_tried_again(client, ann, kind):
    find(ann, kind, 30.0)
    (link,) = re.findall(r'<a href="([^"]*)"', section(client.get(PATH), "My slowest boards"))
    exercise = client.get(link).context["question"]
    assert exercise.kind is kind
    assert [card.index for card in exercise.cards] == LearningEvent.objects.get().cards


def test_nobody_tries_the_boards_of_another_or_one_that_is_none(client, ann):
    for number in range(3):
        find(a_user(f"Ben{number}"), ExerciseKind.FIND_ALL, 30.0)
    client.post("/learn/cards/color-green/", {"value": "green"})
    keys = [*LearningEvent.objects.values_list("pk", flat=True), "x", "-1", "", "\u0663", "9" * 18, "9" * 40]
    for key in keys:
        response = client.get("/learn/practice/", {"again": key})
        assert response.status_code == 200
        assert response.context["question"].kind is ExerciseKind.IS_SET, "what a newcomer is asked"


# Pictures


def test_every_picture_has_its_words(client, ann):
    learn_for_days(ann, random.Random("pictures"), tries=60)
    response = client.get(PATH)
    main = response.text.partition("<main")[2].partition("</main>")[0]
    assert len(levels_on(response)) == main.count("<meter") == len(Skill)
    assert all(words for _, _, words in levels_on(response))
    assert main.count("<figure>") == len(figures(response)) == 3
    pictures = re.findall(r"(.{0,90})<svg class=\"card-art", main, re.DOTALL)
    assert pictures
    assert all(re.search(r'<span class="visually-hidden">[\w ]+</span>$', before) for before in pictures)
    assert main.count("<svg") == len(pictures), "there are no other pictures"


def test_every_table_names_its_rows(client, ann):
    learn_for_days(ann, random.Random("tables"), tries=60)
    tables = re.findall(r"<tbody>(.*?)</tbody>", client.get(PATH).text, re.DOTALL)
    assert len(tables) == 2
    for table in tables:
        assert table.count("<tr>") == table.count('<th scope="row">')


# The path


def test_my_path_is_the_path_of_the_course(client, ann):
    unit = course()[0]
    for step in unit.steps:
        finish_step(ann, unit.slug, step.slug, now=NOW)
    mine, home = client.get(PATH), client.get("/learn/")
    assert mine.context["about"].path == home.context["path"]
    for response in (mine, home):
        assert response.text.count("path-unit is-done") == response.text.count("path-unit is-current") == 1


# What the page costs


def test_it_takes_as_many_queries_for_many_tries_as_for_few(client):
    costs = []
    for name, tries in (("Ann", 5), ("Ben", 300)):
        who = a_user(name)
        client.force_login(who.user)
        keep_many(who, tries)
        assert LearningEvent.objects.filter(user=who.user).count() == tries
        with CaptureQueriesContext(connection) as asked:
            client.get(PATH)
        costs.append(len(asked))
    assert costs[0] == costs[1] <= 8
