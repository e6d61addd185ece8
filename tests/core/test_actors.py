"""Users and guests: every table that refers to them is known, and a guest's data moves along when they sign in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, timedelta

import pytest
from django.apps import apps
from django.db import models
from django.test.utils import isolate_apps
from django.utils import timezone

from classrooms.live import joining, leading, seats
from classrooms.models import Attendee, Session, WaitingGuest
from core.actors import Actor, NoSuchActor, OwnedByActor, merge_guest, ownerships
from core.jobs import queue
from core.models import Job
from games import puzzles
from games.matches import service as matches
from games.models import PuzzleResult, Seat, Way
from games.rules import Options, find_sets
from lessons.models import HelpGiven, LearningEvent, Progress, StepDone
from lessons.progress.origins import PRACTICE
from lessons.progress.recording import Answered, Asked, finish_step, give_help, rebuild, record_event
from lessons.skills import Evidence, ExerciseKind, Skill, Wanted
from tests.classrooms.people import enrol, make_adult, make_classroom

NOW = 1_800_000_000.0
OUR_APPS = {"core", "games", "lessons", "classrooms", "setsite"}


def is_owned(model: type[models.Model]) -> bool:
    """Whether the model's rows belong to a user or guest, judging by its fields."""
    fields = {field.name for field in model._meta.get_fields() if field.concrete}
    return "guest" in fields or ("user" in fields and model._meta.app_label in OUR_APPS)


def unregistered(known: Iterable[type[models.Model]]) -> set[type[models.Model]]:
    return {model for model in known if is_owned(model)} - {each.model for each in ownerships()}


# The registry


def test_every_model_with_a_user_or_a_guest_says_what_becomes_of_its_rows():
    assert unregistered(apps.get_models()) == set()
    owned = {model for model in apps.get_models() if issubclass(model, OwnedByActor)}
    assert owned <= {each.model for each in ownerships()}


@isolate_apps("games")
def test_a_model_that_does_not_say_it_is_found():
    class Trophy(OwnedByActor):
        class Meta:
            app_label = "games"

    class Visit(models.Model):  # noqa: DJ008 (nobody ever sees one)
        guest = models.CharField(max_length=32)

        class Meta:
            app_label = "games"

    assert unregistered([Trophy, Visit, Seat]) == {Trophy, Visit}


def test_what_belongs_to_users_is_exported_and_what_only_guests_own_is_not():
    for each in ownerships():
        assert bool(each.exported_as) is bool(each.exported) is issubclass(each.model, OwnedByActor)


# Nothing stays behind


@pytest.fixture
def lessons(db) -> list[Session]:
    """Two lessons with guests; in the second somebody was removed, so newcomers have to wait."""
    opened = []
    for name in ("Class 2B", "Class 3A"):
        classroom = make_classroom(make_adult(), name)
        opened.append(leading.open_session(classroom, by=classroom.teachers.get(), allows_guests=True))
    leading.remove(joining.attend(opened[1], Actor(name="Otter", guest="f" * 32)))
    return opened


@pytest.fixture
def mia(lessons) -> Actor:
    (place,) = enrol(lessons[0].classroom, "Mia Okafor")
    return Actor(name=place.student.display_name, user=place.student)


def play(who: Actor) -> None:
    for way in (Way.ALONE, Way.TOGETHER):
        matches.open_match(way=way, options=Options(), player=who, now=NOW)


def practice(who: Actor) -> None:
    asked = Asked(origin=PRACTICE, kind=ExerciseKind.IS_SET, wanted=Wanted(ExerciseKind.IS_SET), seed="s1")
    answered = Answered(answer={}, is_right=True, missed=(), evidence=[Evidence(Skill.COLOR, True)], seconds=2.0)
    record_event(who, asked, answered, now=NOW)


def make_progress(who: Actor) -> None:
    practice(who)
    rebuild(who)


def solve(who: Actor) -> None:
    day, deck = date(2027, 1, 1), puzzles.PuzzleDeck.EASY
    triple = find_sets(puzzles.board_of(day, deck))[0]
    puzzles.find_set(day, deck, who, triple, shown=timezone.now(), now=timezone.now())


def attend(who: Actor) -> None:
    joining.attend(Session.objects.earliest("pk"), who)


def stand_before_the_door(who: Actor) -> None:
    if who.guest:
        seats.wait(Session.objects.latest("pk"), who)


LEAVING: dict[type[models.Model], Callable[[Actor], object]] = {
    LearningEvent: practice,
    Progress: make_progress,
    StepDone: lambda who: finish_step(who, "cards", "any", now=NOW),
    HelpGiven: lambda who: give_help(who, PRACTICE, "s2", stages=3, now=NOW),
    Seat: play,
    PuzzleResult: solve,
    Job: lambda who: queue.enqueue("odds", who.key, {}),
    Attendee: attend,
    WaitingGuest: stand_before_the_door,
}
"""For each model, how somebody comes to own a row."""


def do_everything(who: Actor) -> None:
    for deed in dict.fromkeys(LEAVING.values()):
        deed(who)


def left_of(guest: Actor) -> dict[str, int]:
    """The number of the guest's rows, by model, in any table."""
    found = {
        model._meta.label: model._default_manager.filter(guest=guest.guest).count()
        for model in apps.get_models()
        if any(field.name == "guest" for field in model._meta.get_fields())
    }
    return {label: count for label, count in found.items() if count}


def rows_of(user: Actor) -> dict[str, int]:
    """The number of the user's rows, by model."""
    return {each.model._meta.label: each.of(user).count() for each in ownerships()}


@pytest.fixture
def guest(lessons) -> Actor:
    who = Actor(name="Badger", guest="a" * 32)
    do_everything(who)
    assert set(left_of(who)) == {each.model._meta.label for each in ownerships()}, "a model isn't in this test"
    return who


def test_nothing_of_a_guest_stays_behind_and_everything_is_the_users(guest, mia):
    before = left_of(guest)
    merge_guest(guest, mia)
    assert left_of(guest) == {}
    assert rows_of(mia) == {**before, "classrooms.WaitingGuest": 0}
    assert not WaitingGuest.objects.exists()


def test_nothing_of_a_guest_stays_behind_where_the_user_has_the_same(guest, mia):
    do_everything(mia)
    for seat in list(Seat.objects.of(guest).filter(match__way=Way.TOGETHER)):
        matches.join(seat.match.code, mia, now=NOW)
    before = rows_of(mia)
    merge_guest(guest, mia)
    assert left_of(guest) == {}
    # The guest's solo game, the second try at the same question, and the job.
    assert rows_of(mia) == {**before, "games.Seat": 4, "lessons.LearningEvent": 4, "setsite.Job": 2}


def test_nothing_of_a_guest_stays_behind_when_an_adult_signs_in(guest):
    adult = make_adult()
    merge_guest(guest, Actor(name=adult.display_name, user=adult))
    assert left_of(guest) == {}


def test_who_takes_nothing_along_loses_nothing(mia, lessons):
    do_everything(mia)
    before = rows_of(mia)
    merge_guest(Actor(name="Badger", guest="a" * 32), mia)
    assert rows_of(mia) == before


def test_a_guest_who_signs_in_to_an_account_that_was_just_removed_stays_a_guest(guest):
    gone = make_adult()
    before = left_of(guest)
    who = Actor(name="Gone", user=gone)
    gone.delete()
    gone.pk = 999_999
    with pytest.raises(NoSuchActor):
        merge_guest(guest, who)
    assert left_of(guest) == before


# Daily puzzles


def result(who: Actor, found: int, *, started: float, day: date = date(2027, 1, 1)) -> PuzzleResult:
    triples = find_sets(puzzles.board_of(day, puzzles.PuzzleDeck.EASY))
    return PuzzleResult.objects.create(
        day=day,
        deck="easy",
        found=[sorted(card.index for card in triple) for triple in triples[:found]],
        started_at=timezone.now() + timedelta(seconds=started),
        **who.key,
    )


@pytest.mark.parametrize(
    ("guests", "own", "stays"),
    [((3, 5), (2, 0), "guest's"), ((1, 0), (2, 5), "own"), ((4, 5), (4, 0), "own"), ((4, 0), (4, 5), "guest's")],
    ids=["more as a guest", "more as oneself", "as many, later as a guest", "as many, earlier as a guest"],
)
def test_of_two_results_of_a_puzzle_the_one_with_more_stays_and_of_equal_ones_the_earlier(mia, guests, own, stays):
    who = Actor(name="Badger", guest="a" * 32)
    results = {
        "guest's": result(who, guests[0], started=guests[1]),
        "own": result(mia, own[0], started=own[1]),
    }
    other = result(who, 1, started=0, day=date(2027, 1, 2))
    merge_guest(who, mia)
    kept = PuzzleResult.objects.of(mia).order_by("day")
    assert [row.pk for row in kept] == [results[stays].pk, other.pk]
    assert PuzzleResult.objects.count() == 2


# Jobs


def test_a_job_that_runs_while_its_owner_signs_in_goes_on_and_is_theirs(mia):
    who = Actor(name="Badger", guest="a" * 32)
    job = queue.claim(queue.enqueue("odds", who.key, {}, address="192.0.2.1").pk)
    merge_guest(who, mia)
    assert queue.beat(job, progress=0.5)
    queue.complete(job, queue.JobResult({"found": 1}))
    (mine,) = queue.jobs_of(mia.key)
    assert (mine.pk, mine.result, mine.client) == (job.pk, {"found": 1}, "")
