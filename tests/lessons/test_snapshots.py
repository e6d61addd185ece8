"""Progress is a snapshot plus later events; in whatever order they came, it equals all events together."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.actors import merge_guest
from lessons.models import LearningEvent, Progress
from lessons.progress import snapshots
from lessons.progress.mastery import mastery
from lessons.progress.recording import rebuild
from lessons.progress.records import try_of
from lessons.progress.snapshots import MOST_SINCE, skill_states, skill_states_of
from lessons.skills import ExerciseKind, Wanted
from tests.lessons.test_learning import NOW, a_guest, a_user, keep

pytestmark = pytest.mark.django_db

WANTED = Wanted(ExerciseKind.IS_SET, 2)
MANY = MOST_SINCE + 5


def learn(player, number: int, *, start: float = NOW) -> None:
    for turn in range(number):
        keep(player, WANTED, f"{start}/{turn}", right=turn % 3 > 0, now=start + turn)


def all_together(player):
    """Progress computed from all events, without a snapshot."""
    tries = [try_of(event) for event in LearningEvent.objects.filter(**player.key).counted().order_by("at", "pk")]
    return mastery(tries, max(each.at for each in tries))


def test_whoever_reads_after_many_events_writes_a_snapshot_and_the_next_reads_only_what_came_since():
    ann = a_user()
    learn(ann, MANY)
    assert skill_states(ann) == all_together(ann)
    row = Progress.objects.get()
    assert (row.events, row.version) == (MANY, 1)
    learn(ann, 3, start=NOW + 100)
    with CaptureQueriesContext(connection) as caught:
        found = skill_states(ann)
    assert found == all_together(ann)
    (tail,) = [each["sql"] for each in caught if "evidence" in each["sql"]]
    assert "last_at" not in tail
    with connection.cursor() as cursor:
        cursor.execute(tail)
        assert len(cursor.fetchall()) == 3
    assert Progress.objects.get().version == 1, "three more are no reason to write"


def test_an_answer_writes_one_row_and_no_summary():
    ann = a_user()
    learn(ann, MANY)
    skill_states(ann)
    with CaptureQueriesContext(connection) as caught:
        keep(ann, WANTED, "one more", now=NOW + 500)
    written = [each["sql"] for each in caught if each["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]
    assert len(written) == 1
    assert "lessons_learningevent" in written[0]


@pytest.mark.parametrize("moment", [NOW - 50, NOW + 7.5, NOW + MANY - 1])
def test_an_answer_that_comes_late_counts_where_it_belongs(moment):
    """Answered offline: before, among or at the same time as the events in the snapshot."""
    ann = a_user()
    learn(ann, MANY)
    skill_states(ann)
    keep(ann, WANTED, "late", right=False, now=moment)
    learn(ann, 2, start=NOW + 100)
    assert skill_states(ann) == all_together(ann)
    assert skill_states(ann) == all_together(ann)
    assert Progress.objects.get().events in {MANY, MANY + 3}


def test_a_snapshot_from_what_was_read_before_is_not_written_over_a_newer_one():
    ann = a_user()
    learn(ann, MANY)
    skill_states(ann)
    read_before = Progress.objects.get()
    learn(ann, MANY, start=NOW + 100)
    skill_states(ann)
    newer = Progress.objects.get()
    assert newer.events == 2 * MANY
    stale = {"states": {}, "events": 1, "last_at": read_before.last_at, "last_event": 1}
    snapshots._save((ann.user.pk, ""), read_before, stale)
    snapshots._save((ann.user.pk, ""), None, stale)
    assert Progress.objects.get().events == newer.events


def test_whoever_signs_in_has_one_snapshot_of_both():
    ann, guest = a_user(), a_guest()
    learn(guest, MANY)
    learn(ann, MANY, start=NOW + 10.5)
    skill_states(ann), skill_states(guest)
    merge_guest(guest, ann)
    assert skill_states(ann) == all_together(ann)
    assert Progress.objects.get().user == ann.user


def test_a_snapshot_of_events_that_are_gone_says_nothing():
    guest = a_guest()
    learn(guest, MANY)
    skill_states(guest)
    LearningEvent.objects.exclude(seed=f"{NOW}/0").delete()
    assert skill_states(guest) == all_together(guest)
    LearningEvent.objects.all().delete()
    assert skill_states(guest) == skill_states(None)
    rebuild(guest)
    assert not Progress.objects.exists()


def test_many_learners_are_read_in_as_many_queries_as_few():
    learners = [a_user(f"Ann-{number}") for number in range(6)]
    for number, each in enumerate(learners):
        learn(each, number * 8)

    def queries(some) -> int:
        with CaptureQueriesContext(connection) as caught:
            states = skill_states_of([each.user for each in some])
        assert all(states[each.user.pk] == skill_states(each) for each in some)
        return len([each for each in caught if each["sql"].startswith("SELECT")])

    skill_states_of([each.user for each in learners])
    assert queries(learners) == queries(learners[:3])
