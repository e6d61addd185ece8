"""The learning data of the demo's children: created by the real services, and different for each child."""

from __future__ import annotations

import pytest

from classrooms.accounts.pictures import are_pictures
from classrooms.demo import DAY, fill_demo
from classrooms.models import Assignment, Classroom
from classrooms.reports.ledger import ledger
from classrooms.reports.report import class_report
from games.rules import Feature
from lessons.models import LearningEvent
from lessons.progress.misconceptions import Idea
from lessons.progress.recording import rebuild
from lessons.progress.snapshots import skill_states
from tests.classrooms.tries import player_of

pytestmark = pytest.mark.django_db

NOW = 1_800_000_000.0


@pytest.fixture
def classroom(db) -> Classroom:
    fill_demo(now=NOW)
    return Classroom.objects.get(name="Class 2B")


def test_the_demo_has_something_to_see_for_a_teacher(classroom):
    report = class_report(classroom, now=NOW)
    beliefs = {row.enrolment.student.display_name: row.beliefs for row in report.rows}
    assert [(each.idea, each.feature) for each in beliefs["Mia"]] == [(Idea.OVERLOOKS, Feature.SHADING)]
    assert beliefs["Lina"] == ()
    assert 1 <= len(report.in_need) < len(report.rows)
    counts = ledger(classroom).whole.counts
    assert max(counts, key=counts.__getitem__) is Feature.SHADING
    assert len(report.open_standings) >= 2
    assert Assignment.objects.count() == 3
    assert all(row.days and row.minutes for row in report.rows)


def test_each_child_has_pictures_and_a_group_and_the_class_is_allowed(classroom):
    assert classroom.authorised_by
    assert classroom.code == "MAPLE2B"
    for enrolment in classroom.enrolments.present():
        assert are_pictures(enrolment.student.pictures)
        assert enrolment.group


def test_what_was_learned_lies_in_the_past_and_follows_from_the_tries(classroom):
    moments = [attempt.at.timestamp() for attempt in LearningEvent.objects.all()]
    assert min(moments) > NOW - 28 * DAY
    assert max(moments) < NOW
    for enrolment in classroom.enrolments.present():
        player = player_of(enrolment)
        before = skill_states(player)
        rebuild(player)
        assert skill_states(player) == before
