"""Reports on a class and a student: levels, who needs help, attendance, time, and the ledger."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from classrooms.classes.assignments import assign
from classrooms.models import Task
from classrooms.reports.activity import LONGEST_TRY, activity_of
from classrooms.reports.ledger import ledger, wrong_triples
from classrooms.reports.report import class_report, needs_of, student_report, weeks_of
from games.matches import service as matches
from games.models import PuzzleResult, Way
from games.rules import Feature, Options, find_sets
from games.rules import commands as ask
from lessons.progress.mastery import Level, statuses
from lessons.progress.misconceptions import Idea
from lessons.progress.recording import finish_step
from lessons.progress.snapshots import skill_states, skill_states_of
from lessons.queries import latest_tries_of
from lessons.skills import ExerciseKind, Skill
from tests.classrooms.people import enrol, make_adult, make_classroom
from tests.classrooms.tries import DAY, NOW, a_set, answered, board, broken_by, player_of

pytestmark = pytest.mark.django_db

MOMENT = datetime.fromtimestamp(NOW, UTC)


def counts(tally) -> dict[str, int]:
    return {feature.value: count for feature, count in tally.counts.items() if count}


def says_yes(who, cards, **more):
    return answered(who, ExerciseKind.IS_SET, cards, {"yes": True}, **more)


# The class


def test_a_class_without_students_has_an_empty_report(classroom):
    report = class_report(classroom, now=NOW)
    assert (report.rows, report.in_need, report.open_standings) == ((), [], [])


def test_students_stand_in_the_order_of_a_register_and_deleted_ones_are_left_out(classroom):
    zoe, adam, eve = enrol(classroom, "Zoe Stern", "Adam Ash", "Eve Elm")
    eve.student.deleted_at = MOMENT
    eve.student.save()
    assert [row.enrolment for row in class_report(classroom, now=NOW).rows] == [adam, zoe]


def test_every_skill_stands_as_on_the_students_own_page(classroom):
    mia, noah = enrol(classroom, "Mia Okafor", "Noah Brandt")
    for skip in range(6):
        says_yes(mia, a_set(skip), at=NOW - DAY + skip)
    first, second = class_report(classroom, now=NOW).rows
    assert [status.skill for status in first.skills] == list(Skill)
    assert list(first.skills) == statuses(skill_states(player_of(mia)), NOW)
    assert first.skills[list(Skill).index(Skill.IS_SET)].level > Level.NEW
    assert all(status.level is Level.NEW for status in second.skills)
    assert second.enrolment == noah


def test_states_of_many_are_the_states_of_each(classroom):
    enrolments = enrol(classroom, "Mia Okafor", "Noah Brandt")
    says_yes(enrolments[0], broken_by(Feature.COLOR))
    states = skill_states_of([each.student for each in enrolments])
    assert states == {each.student_id: skill_states(player_of(each)) for each in enrolments}


def test_who_is_sure_is_counted_skill_by_skill(classroom):
    mia, _noah = enrol(classroom, "Mia Okafor", "Noah Brandt")
    for skip in range(12):
        says_yes(mia, a_set(skip), at=NOW - 600 + skip)
    report = class_report(classroom, now=NOW)
    sure = dict(zip(Skill, report.sure, strict=True))
    assert sure[Skill.IS_SET] == 1
    assert sure[Skill.FIND_ALL] == 0


# Who needs help


def test_who_overlooks_shading_again_and_again_needs_help_with_it(classroom):
    mia, _noah = enrol(classroom, "Mia Okafor", "Noah Brandt")
    for skip in range(6):
        says_yes(mia, broken_by(Feature.SHADING, skip=skip), at=NOW - DAY + skip)
    for skip in range(2):
        answered(
            mia,
            ExerciseKind.IS_SET,
            broken_by(Feature.SHADING, skip=8 + skip),
            {"yes": False},
            at=NOW - DAY + 10 + skip,
        )
    (row,) = class_report(classroom, now=NOW).in_need
    assert row.enrolment == mia
    assert [(each.idea, each.feature) for each in row.beliefs] == [(Idea.OVERLOOKS, Feature.SHADING)]
    assert row.help_words == ["seems not to look at the shading", "shading: two and one missed 6 of 8"]


def test_a_miss_or_two_are_no_need(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    for skip in range(2):
        says_yes(mia, broken_by(Feature.SHADING, skip=skip))
    assert class_report(classroom, now=NOW).in_need == []


def test_a_need_that_is_over_is_none(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    for skip in range(5):
        says_yes(mia, broken_by(Feature.SHADING, skip=skip), at=NOW - 2 * DAY + skip)
    for skip in range(10):
        answered(
            mia, ExerciseKind.IS_SET, broken_by(Feature.SHADING, skip=10 + skip), {"yes": False}, at=NOW - DAY + skip
        )
        says_yes(mia, a_set(skip), at=NOW - DAY + skip)
    assert class_report(classroom, now=NOW).in_need == []


def test_what_was_missed_months_ago_is_not_now(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    for skip in range(6):
        says_yes(mia, broken_by(Feature.SHADING, skip=skip), at=NOW - 60 * DAY)
    assert class_report(classroom, now=NOW).in_need == []


def test_where_no_feature_explains_it_the_kind_of_exercise_is_named(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    for number in range(4):
        answered(mia, ExerciseKind.ANY_SET, board(sets=0), {"yes": True}, at=NOW - DAY + number)
    tries = latest_tries_of([mia.student], since=MOMENT - timedelta(days=28), latest=50)[mia.student_id]
    (need,) = needs_of(tries)
    assert (need.about, need.words) == (ExerciseKind.ANY_SET, "“Is there one at all?”: missed 4 of 4")


def test_the_latest_tries_of_many_are_limited_each(classroom):
    mia, noah = enrol(classroom, "Mia Okafor", "Noah Brandt")
    for number in range(5):
        says_yes(mia, a_set(number), at=NOW - 100 + number)
    says_yes(noah, a_set(), at=NOW - 50 * DAY)
    tries = latest_tries_of([mia.student, noah.student], since=MOMENT - timedelta(days=28), latest=3)
    assert [each.at for each in tries[mia.student_id]] == [NOW - 98, NOW - 97, NOW - 96]
    assert tries[noah.student_id] == []


# Attendance and time


def test_days_are_those_with_an_answer_a_step_a_game_or_a_puzzle(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    says_yes(mia, a_set(0), at=NOW - DAY)
    says_yes(mia, a_set(1), at=NOW - DAY + 60)
    finish_step(player_of(mia), "cards", "any", now=NOW - 3 * DAY)
    played = matches.open_match(
        way=Way.ALONE, options=Options.of("us", alone=True), player=player_of(mia), seed="s", now=NOW - 5 * DAY
    )
    assert played.pk
    PuzzleResult.objects.create(
        day=(MOMENT - timedelta(days=7)).date(),
        deck="full",
        user=mia.student,
        started_at=MOMENT - timedelta(days=7),
    )
    says_yes(mia, a_set(2), at=NOW - 29 * DAY)
    activity = activity_of([mia.student], now=MOMENT)[mia.student_id]
    assert sorted((MOMENT.date() - day).days for day in activity.days) == [1, 3, 5, 7]
    assert activity.last_seen == MOMENT - timedelta(days=1) + timedelta(seconds=60)


def test_time_is_thinking_time_and_one_try_counts_for_three_minutes_at_most(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    says_yes(mia, a_set(0), seconds=20.0)
    says_yes(mia, a_set(1), seconds=4000.0)
    says_yes(mia, a_set(2), seconds=None)
    says_yes(mia, a_set(3), seconds=60.0, at=NOW - 40 * DAY)
    (row,) = class_report(classroom, now=NOW).rows
    assert row.activity.seconds == 20 + LONGEST_TRY
    assert row.minutes == 3


def test_a_game_is_being_seen_too(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    matches.open_match(
        way=Way.ALONE, options=Options.of("us", alone=True), player=player_of(mia), seed="s", now=NOW - 90 * DAY
    )
    (row,) = class_report(classroom, now=NOW).rows
    assert row.activity.last_seen == MOMENT - timedelta(days=90)
    assert (row.days, row.minutes) == (0, 0)


def test_who_was_never_here_was_never_seen(classroom):
    enrol(classroom, "Mia Okafor")
    (row,) = class_report(classroom, now=NOW).rows
    assert (row.activity.last_seen, row.days, row.minutes) == (None, 0, 0)


# The ledger


def test_a_wrong_yes_counts_for_each_feature_that_breaks_it(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    says_yes(mia, broken_by(Feature.SHADING))
    says_yes(mia, broken_by(Feature.SHADING, Feature.NUMBER))
    says_yes(mia, a_set())
    (row,) = ledger(classroom).rows
    assert counts(row.tally) == {"shading": 2, "number": 1}
    assert row.tally.triples == 2


def test_a_set_that_is_refused_was_broken_by_nothing(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    answered(mia, ExerciseKind.IS_SET, a_set(), {"yes": False})
    assert ledger(classroom).whole.triples == 0


def test_a_feature_that_was_not_named_counts_and_not_the_one_that_was(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    answered(mia, ExerciseKind.WHICH_BREAKS, broken_by(Feature.COLOR), {"breaks": "shape"})
    answered(mia, ExerciseKind.WHICH_BREAKS, broken_by(Feature.COLOR), {"breaks": "color"})
    assert counts(ledger(classroom).whole) == {"color": 1}


def test_a_wrong_third_card_makes_a_wrong_triple(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    first, second, wrong = broken_by(Feature.SHAPE)
    answered(mia, ExerciseKind.THIRD_CARD, (first, second), {"card": wrong.index}, choices=(wrong,))
    assert counts(ledger(classroom).whole) == {"shape": 1}


def test_wrong_picks_on_a_board_count_and_right_ones_do_not(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    wrong, right = broken_by(Feature.NUMBER), a_set()
    cards = tuple(dict.fromkeys((*wrong, *right)))
    answered(mia, ExerciseKind.FIND_ONE, cards, {"cards": [card.index for card in wrong]})
    sets = [[card.index for card in triple] for triple in (right, wrong)]
    answered(mia, ExerciseKind.FIND_ALL, cards, {"sets": sets})
    whole = ledger(classroom).whole
    assert (counts(whole), whole.triples) == ({"number": 2}, 2)


def test_an_explanation_counts_what_was_seen_wrong(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    first, second, third = broken_by(Feature.SHADING)
    kinds = {feature.value: "all-same" for feature in Feature}
    attempt = answered(mia, ExerciseKind.EXPLAIN, (first, second, third), kinds)
    assert "shading" in attempt.missed
    assert counts(ledger(classroom).whole) == dict.fromkeys(attempt.missed, 1)


def test_yes_or_no_about_a_board_and_questions_of_the_course_name_no_triple(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    answered(mia, ExerciseKind.ANY_SET, board(sets=0), {"yes": True})
    assert wrong_triples([mia.student_id]) == []


def test_a_failed_call_in_a_game_counts_for_who_called(classroom):
    mia, noah = enrol(classroom, "Mia Okafor", "Noah Brandt")
    match = matches.open_match(
        way=Way.TOGETHER, options=Options.of("us", quick=True), player=player_of(mia), seed="ledger", now=NOW - DAY
    )
    matches.join(match.code, player_of(noah), now=NOW - DAY)
    state = matches.command(match.code, ask.Deal(0), now=NOW - DAY).state
    wrong = next(
        (a, b, c)
        for a in state.table
        for b in state.table
        for c in state.table
        if len({a, b, c}) == 3 and not find_sets([a, b, c])
    )
    matches.command(match.code, ask.Pick(1, wrong), now=NOW - DAY + 5)
    rows = {row.enrolment: row.tally.triples for row in ledger(classroom).rows}
    assert rows == {mia: 0, noah: 1}
    (told,) = ledger(classroom).whole.telling
    assert set(told.verdict.cards) == set(wrong)


def test_the_class_is_the_sum_of_its_students_and_strangers_do_not_count(classroom):
    mia, noah = enrol(classroom, "Mia Okafor", "Noah Brandt")
    (other,) = enrol(make_classroom(make_adult("Stone")), "Zoe Stern")
    says_yes(mia, broken_by(Feature.SHADING))
    says_yes(noah, broken_by(Feature.COLOR))
    says_yes(other, broken_by(Feature.COLOR))
    assert counts(ledger(classroom).whole) == {"shading": 1, "color": 1}


def test_the_most_telling_triples_are_those_that_most_students_got_wrong(classroom):
    mia, noah = enrol(classroom, "Mia Okafor", "Noah Brandt")
    often = broken_by(Feature.SHADING)
    many = broken_by(Feature.COLOR, Feature.SHAPE)
    older, newer = broken_by(Feature.NUMBER), broken_by(Feature.NUMBER, skip=1)
    worse = broken_by(Feature.NUMBER, Feature.SHADING)
    for number in range(3):
        says_yes(mia, often, at=NOW - 900 + number)
    for who in (mia, noah):
        says_yes(who, many, at=NOW - 800)
    says_yes(mia, older, at=NOW - 700)
    says_yes(mia, newer, at=NOW - 600)
    says_yes(noah, worse, at=NOW - 500)
    told = ledger(classroom).whole.telling
    assert [set(each.verdict.cards) for each in told] == [set(many), set(often), set(newer)]
    assert [(each.times, each.students) for each in told] == [(2, 2), (3, 1), (1, 1)]


def test_of_triples_that_were_got_wrong_once_those_of_the_usual_feature_tell_more(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    usual = [broken_by(Feature.SHADING, skip=skip) for skip in range(4)]
    for number, triple in enumerate(usual):
        says_yes(mia, triple, at=NOW - 900 + number)
    says_yes(mia, broken_by(Feature.SHAPE), at=NOW - 100)
    told = ledger(classroom).whole.telling
    assert [set(each.verdict.cards) for each in told] == [set(triple) for triple in usual[:0:-1]]


def test_the_same_three_cards_in_another_order_are_the_same_triple(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    cards = broken_by(Feature.SHADING)
    says_yes(mia, cards)
    says_yes(mia, cards[::-1])
    (told,) = ledger(classroom).whole.telling
    assert told.times == 2


# One student


def test_the_weeks_of_a_student_count_first_tries(classroom):
    (mia,) = enrol(classroom, "Mia Okafor")
    says_yes(mia, a_set(), at=NOW - 7 * DAY)
    says_yes(mia, broken_by(Feature.COLOR), at=NOW - 7 * DAY, seed="same")
    answered(mia, ExerciseKind.IS_SET, broken_by(Feature.COLOR), {"yes": False}, at=NOW - 7 * DAY + 60, seed="same")
    says_yes(mia, a_set(), at=NOW - 300 * DAY)
    weeks = weeks_of(mia, now=NOW)
    assert len(weeks) == 8
    assert all(week.monday.weekday() == 0 for week in weeks)
    assert [(week.tries, week.rights) for week in weeks if week.tries] == [(2, 1)]


def test_a_students_report_is_the_row_of_the_class_report_and_more(classroom):
    mia, _noah = enrol(classroom, "Mia Okafor", "Noah Brandt")
    for number in range(25):
        says_yes(mia, broken_by(Feature.SHADING, skip=number), at=NOW - DAY + number)
    assign(classroom, by=classroom.teachers.get(), task=Task.BOARDS, amount=3, now=NOW - DAY)
    report = student_report(mia, now=NOW)
    assert report.row == class_report(classroom, now=NOW).rows[0]
    assert report.tries.paginator.count == 25
    assert len(report.tries) == 20
    assert report.tries[0].at > report.tries[1].at, "the newest first"
    assert report.tally == ledger(classroom).rows[0].tally
    assert report.row.open_tasks == 1
    assert len(student_report(mia, now=NOW, page=2).tries) == 5


# Query counts


def grow(classroom, names) -> None:
    for each in enrol(classroom, *names):
        says_yes(each, broken_by(Feature.SHADING))
        says_yes(each, a_set())
        finish_step(player_of(each), "cards", "any", now=NOW - DAY)


@pytest.mark.parametrize("read", [lambda room: class_report(room, now=NOW), ledger])
def test_forty_students_take_as_many_queries_as_three(classroom, read):
    teacher = classroom.teachers.get()
    for task, what, amount in [("unit", "cards", 1), ("skill", "color", 3), ("boards", "", 4), ("daily", "", 1)]:
        assign(classroom, by=teacher, task=Task(task), what=what, amount=amount, now=NOW - DAY)
    grow(classroom, [f"Early {number}" for number in range(3)])
    with CaptureQueriesContext(connection) as few:
        read(classroom)
    grow(classroom, [f"Late {number}" for number in range(37)])
    with CaptureQueriesContext(connection) as many:
        assert len(read(classroom).rows) == 40
    assert len(many) == len(few)
