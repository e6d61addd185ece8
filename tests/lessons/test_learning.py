"""Learning records: tries are permanent, and progress can always be rebuilt from them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from copy import copy
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth import get_user
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.forms.models import model_to_dict

from classrooms.accounts.sign_up import vouch_for
from classrooms.models import User
from core.actors import merge_guest
from games.players import Player
from games.rules import Feature, explain, is_set
from lessons.course.units import course
from lessons.models import LearningEvent, Progress, StepDone
from lessons.progress.mastery import new_states, statuses
from lessons.progress.origins import Origin, Source
from lessons.progress.recording import Answered, Asked, finish_step, rebuild, record_event
from lessons.progress.records import state_record
from lessons.progress.snapshots import skill_states
from lessons.questions import Exercise, make_exercise
from lessons.skills import Evidence, ExerciseKind, Skill, Wanted

pytestmark = pytest.mark.django_db

NOW = 1_800_000_000.0
DAY = 86_400.0
PASSWORD = "under the third oval"  # noqa: S105 (nobody's)


# Learners and their answers, also used by other learning tests.


def a_guest(key: str = "a" * 32) -> Player:
    return Player(name="Brave Badger", guest=key)


def a_user(name: str = "Ann", password: str | None = None) -> Player:
    user = User.objects.create_adult(email=f"{name.lower()}@home.example", display_name=name, password=password)
    vouch_for(user)
    return Player(name=name, user=user)


def right_answer(exercise: Exercise) -> dict[str, Any]:
    solution = exercise.solve()
    match exercise.kind:
        case ExerciseKind.IS_SET | ExerciseKind.ANY_SET:
            return {"yes": solution.yes}
        case ExerciseKind.WHICH_BREAKS:
            return {"breaks": solution.breaks[0].value}
        case ExerciseKind.EXPLAIN:
            return {feature.value: make.value for feature, make in solution.makes.items()}
        case ExerciseKind.THIRD_CARD:
            return {"card": solution.card.index}
        case ExerciseKind.FIND_ONE:
            return {"cards": [card.index for card in solution.sets[0]]}
    return {"sets": [[card.index for card in triple] for triple in solution.sets]}


def wrong_answer(exercise: Exercise) -> dict[str, Any]:
    right, cards = right_answer(exercise), exercise.cards
    match exercise.kind:
        case ExerciseKind.IS_SET | ExerciseKind.ANY_SET:
            return {"yes": not right["yes"]}
        case ExerciseKind.WHICH_BREAKS:
            return {"breaks": next(each.feature.value for each in explain(*cards).features if not each.is_broken)}
        case ExerciseKind.EXPLAIN:
            makes = ["all-same", "all-different", "two-and-one"]
            return {name: makes[makes.index(make) - 1] for name, make in right.items()}
        case ExerciseKind.THIRD_CARD:
            return {"card": next(card.index for card in exercise.choices if card.index != right["card"])}
    first, second = cards[:2]
    wrong = next([first.index, second.index, card.index] for card in cards[2:] if not is_set(first, second, card))
    return {"cards": wrong} if exercise.kind is ExerciseKind.FIND_ONE else {"sets": [wrong]}


def keep(
    player: Player,
    wanted: Wanted,
    seed: str,
    *,
    right: bool = True,
    now: float = NOW,
    place: str = "practice",
    seconds: float | None = 5.0,
    hints: int = 0,
) -> LearningEvent:
    """Record a try at the exercise with this seed."""
    exercise = make_exercise(wanted, seed)
    answer = right_answer(exercise) if right else wrong_answer(exercise)
    graded = exercise.grade(answer)
    assert graded.is_right is right
    return record_event(
        player,
        Asked(
            origin=Origin.of_place(place),
            kind=wanted.kind,
            wanted=wanted,
            seed=seed,
            cards=[card.index for card in exercise.cards],
        ),
        Answered(
            answer=answer,
            is_right=right,
            missed=graded.missed,
            evidence=graded.evidence,
            seconds=seconds,
            hints=hints,
        ),
        now=now,
    )


def keep_many(
    player: Player,
    count: int,
    *,
    kinds: Sequence[ExerciseKind] = tuple(ExerciseKind),
    place: str = "practice",
    start: float = NOW,
) -> None:
    """Record many tries, a minute apart, cycling through these kinds, every fifth one wrong."""
    samples = {}
    for kind in kinds:
        for right in (True, False):
            with transaction.atomic():
                samples[kind, right] = keep(player, Wanted(kind, 2), "sample", right=right, place=place)
                transaction.set_rollback(True)
    rows = []
    for turn in range(count):
        row = copy(samples[kinds[turn % len(kinds)], turn % 5 > 0])
        row.pk, row.seed, row.is_first = None, f"many-{start}-{turn}", True
        row.at, row.seconds = datetime.fromtimestamp(start + 60 * turn, UTC), 3.0 + turn
        rows.append(row)
    LearningEvent.objects.bulk_create(rows)
    rebuild(player)


def progress_of(player: Player) -> dict[str, Any]:
    """The progress of all skills practiced so far."""
    new = new_states()
    return {skill: state_record(state) for skill, state in skill_states(player).items() if state != new[skill]}


def tries_of(player: Player) -> list[dict[str, Any]]:
    """Every try, with all fields except whose it is."""
    rows = LearningEvent.objects.filter(**player.key).order_by("pk")
    return [{**model_to_dict(row, exclude=["user", "guest"]), "id": row.pk} for row in rows]


def some_wanted(rng: random.Random) -> Wanted:
    easy = rng.random() < 0.3
    features = [None, *(feature for feature in Feature if not (easy and feature is Feature.SHADING))]
    return Wanted(rng.choice(list(ExerciseKind)), rng.randint(1, 3 if easy else 4), rng.choice(features), easy)


def learn_for_days(player: Player, rng: random.Random, *, tries: int, start: float = NOW) -> float:
    """Record tries at all kinds of exercises over days, some of them repeated; return the end time."""
    now, asked = start, []
    for turn in range(tries):
        now += DAY * rng.random() * 3 if rng.random() < 0.05 else rng.uniform(1, 90)
        if asked and rng.random() < 0.25:
            wanted, seed = rng.choice(asked[-5:])
        else:
            wanted, seed = some_wanted(rng), f"{start}/{turn}"
            asked.append((wanted, seed))
        place = rng.choice(["practice", "full-deck/one-differs"])
        keep(player, wanted, seed, right=rng.random() < 0.7, now=now, place=place, hints=rng.choice([0, 0, 1, 2]))
    return now


# Tries


def test_a_try_is_kept_whole():
    wanted = Wanted(ExerciseKind.IS_SET, 2, Feature.SHADING)
    kept = keep(a_guest(), wanted, "s1", right=False, seconds=7.5, hints=2)
    row = LearningEvent.objects.get()
    assert row == kept
    assert (row.source, row.kind, row.seed, row.seconds, row.hints) == ("practice", "is-set", "s1", 7.5, 2)
    assert row.wanted == {"kind": "is-set", "difficulty": 2, "focus": "shading", "easy": False}
    assert row.cards == [card.index for card in make_exercise(wanted, "s1").cards]
    assert row.at.timestamp() == NOW
    assert (row.is_right, row.is_first) == (False, True)
    assert ["is-set", False] in row.evidence


def test_each_try_is_a_row_more_and_changes_none_before_it():
    guest, kept = a_guest(), []
    for turn, right in enumerate([False, True, True, False]):
        keep(guest, Wanted(ExerciseKind.IS_SET), f"s{turn % 2}", right=right, now=NOW + turn)
        assert tries_of(guest)[:-1] == kept
        kept = tries_of(guest)
    assert len(kept) == 4


def test_only_the_first_try_at_a_question_counts():
    guest, wanted = a_guest(), Wanted(ExerciseKind.IS_SET, 2)
    keep(guest, wanted, "s1", right=False)
    after_first = progress_of(guest)
    for turn in range(1, 4):
        assert not keep(guest, wanted, "s1", now=NOW + turn).is_first
        assert progress_of(guest) == after_first
    assert keep(guest, wanted, "s2", now=NOW + 9).is_first
    assert progress_of(guest) != after_first


def test_the_same_seed_at_another_place_is_another_question():
    guest, wanted = a_guest(), Wanted(ExerciseKind.IS_SET)
    assert keep(guest, wanted, "s1", place="practice").is_first
    assert keep(guest, wanted, "s1", place="magic-rule/use-it").is_first


def test_a_try_that_says_nothing_of_skills_is_kept_and_changes_no_progress():
    guest = a_guest()
    answered = Answered(answer={"value": "green"}, is_right=True, missed=(), evidence=())
    record_event(guest, Asked(origin=Origin(Source.COURSE, "cards", "color-green"), kind=None), answered, now=NOW)
    assert LearningEvent.objects.get().kind == ""
    assert skill_states(guest) == new_states()
    rebuild(guest)
    assert skill_states(guest) == new_states()


def test_a_try_without_a_kind_can_say_something_of_a_skill():
    guest = a_guest()
    evidence = [Evidence(Skill.COLOR, True)]
    answered = Answered(answer={"value": "green"}, is_right=True, missed=(), evidence=evidence)
    record_event(
        guest, Asked(origin=Origin(Source.COURSE, "cards", "color-green"), kind=None, seed="s1"), answered, now=NOW
    )
    assert skill_states(guest)[Skill.COLOR].tries == 1


def test_a_row_is_of_one_learner():
    user = a_user()
    for whose in ({}, {"user": user.user, "guest": "a" * 32}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Progress.objects.create(events=1, last_at=datetime.fromtimestamp(NOW, UTC), last_event=1, **whose)


# Steps


def test_a_step_is_done_once_and_keeps_its_first_moment():
    guest = a_guest()
    for turn in range(3):
        finish_step(guest, "cards", "four-features", now=NOW + turn)
    assert StepDone.objects.get().at.timestamp() == NOW


# Progress


def test_who_has_tried_nothing_stands_where_everyone_begins():
    assert skill_states(None) == skill_states(a_guest()) == new_states()


def test_progress_kept_as_one_goes_equals_progress_made_anew():
    guest, user = a_guest(), a_user()
    ends = [learn_for_days(who, random.Random(f"{who.name} learns"), tries=150) for who in (guest, user)]
    kept = [progress_of(who) for who in (guest, user)]
    assert all(len(each) > 10 for each in kept)
    stood = statuses(skill_states(guest), ends[0])
    for who in (guest, user):
        rebuild(who)
    assert [progress_of(who) for who in (guest, user)] == kept
    Progress.objects.update(states={"is-set": {"spoilt": True}})
    call_command("rebuild_progress", verbosity=0)
    assert [progress_of(who) for who in (guest, user)] == kept
    assert statuses(skill_states(guest), ends[0]) == stood


def test_the_command_says_how_many_learners_there_were_and_forgets_progress_without_tries(capsys):
    for who in (a_guest("a" * 32), a_guest("b" * 32), a_user()):
        keep(who, Wanted(ExerciseKind.IS_SET), "s1")
        keep(who, Wanted(ExerciseKind.EXPLAIN), "s2")
    Progress.objects.create(guest="c" * 32, events=1, last_at=datetime.fromtimestamp(NOW, UTC), last_event=1)
    call_command("rebuild_progress")
    assert capsys.readouterr().out == "Progress of 3 learners rebuilt.\n"
    assert not Progress.objects.filter(guest="c" * 32).exists()


def test_two_learners_never_mix():
    ann, ben, guest = a_user("Ann"), a_user("Ben"), a_guest()
    keep(ann, Wanted(ExerciseKind.IS_SET), "s1", right=False)
    finish_step(ann, "cards", "four-features", now=NOW)
    of_ann = progress_of(ann)
    for other in (ben, guest, a_guest("b" * 32)):
        assert skill_states(other) == new_states()
        assert keep(other, Wanted(ExerciseKind.IS_SET), "s1").is_first, "it is new to them"
        rebuild(other)
        finish_step(other, "cards", "four-features", now=NOW)
    assert progress_of(ann) == of_ann
    assert StepDone.objects.count() == 4
    merge_guest(guest, ben)
    assert progress_of(ann) == of_ann
    assert len(tries_of(ann)) == 1


# A guest who signs in


def test_what_a_guest_has_learned_becomes_the_users_own():
    guest, user = a_guest(), a_user()
    end = learn_for_days(guest, random.Random("guest"), tries=40)
    learn_for_days(user, random.Random("user"), tries=40, start=end - DAY)
    both = sorted(tries_of(guest) + tries_of(user), key=lambda row: row["id"])
    merge_guest(guest, user)
    assert tries_of(user) == both, "no try is lost, made or changed"
    assert not tries_of(guest)
    assert not progress_of(guest)
    taken = progress_of(user)
    rebuild(user)
    assert progress_of(user) == taken
    call_command("rebuild_progress", verbosity=0)
    assert progress_of(user) == taken


def test_what_is_taken_along_counts_like_the_users_own():
    guest, user, other = a_guest(), a_user("Ann"), a_user("Ben")
    for turn in range(12):
        for who in ((guest, user)[turn % 2], other):
            keep(who, Wanted(ExerciseKind.IS_SET, 1 + turn % 4), f"s{turn}", right=turn % 3 > 0, now=NOW + turn)
    merge_guest(guest, user)
    assert progress_of(user) == progress_of(other)


def test_steps_are_not_doubled_and_the_users_own_stay():
    guest, user = a_guest(), a_user()
    finish_step(user, "cards", "four-features", now=NOW)
    finish_step(user, "cards", "color-green", now=NOW)
    finish_step(guest, "cards", "color-green", now=NOW + 1)
    finish_step(guest, "cards", "number-three", now=NOW + 1)
    finish_step(guest, "odds", "always", now=NOW + 1)
    merge_guest(guest, user)
    done = StepDone.objects.filter(user=user.user).order_by("at", "pk").values_list("unit", "step", "at")
    assert [(unit, step, at.timestamp() - NOW) for unit, step, at in done] == [
        ("cards", "four-features", 0),
        ("cards", "color-green", 0),
        ("cards", "number-three", 1),
        ("odds", "always", 1),
    ]
    assert StepDone.objects.count() == 4


def test_a_question_that_both_have_tried_counts_once():
    guest, user, other = a_guest(), a_user("Ann"), a_user("Ben")
    for turn, who in enumerate((user, guest)):
        for each in (who, other):
            keep(each, Wanted(ExerciseKind.IS_SET), "s1", now=NOW + turn, place="five-examples/first-decide")
    merge_guest(guest, user)
    assert progress_of(user) == progress_of(other)


def test_to_take_along_nothing_changes_nothing():
    guest, user = a_guest(), a_user()
    keep(user, Wanted(ExerciseKind.IS_SET), "s1")
    before = tries_of(user), progress_of(user)
    merge_guest(guest, user)
    merge_guest(guest, user)
    assert (tries_of(user), progress_of(user)) == before


# Signing in


def sign_in(client, who: Player):
    return client.post("/account/login/", {"login": who.user.email, "password": PASSWORD})


@pytest.fixture
def quick_passwords(settings):
    """Use a fast, insecure password hash."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def ann(quick_passwords) -> Player:
    return a_user("Ann", PASSWORD)


def do_steps(client) -> None:
    """Do the first steps of a newcomer."""
    assert client.post("/learn/cards/four-features/").status_code == 200
    assert client.post("/learn/cards/color-green/", {"value": "red"}).status_code == 200
    assert client.post("/learn/cards/color-green/", {"value": "green"}).status_code == 200


def test_signing_in_takes_along_what_the_guest_has_done(client, ann):
    finish_step(ann, "cards", "four-features", now=NOW)
    do_steps(client)
    guest = Player(name="?", guest=client.session["guest"]["key"])
    learned = progress_of(guest)
    assert len(tries_of(guest)) == 2
    assert sign_in(client, ann).status_code == 302
    assert get_user(client) == ann.user
    assert progress_of(ann) == learned
    assert [row["is_first"] for row in tries_of(ann)] == [True, False]
    assert set(StepDone.objects.values_list("user", "step")) == {
        (ann.user.pk, "four-features"),
        (ann.user.pk, "color-green"),
    }
    assert "guest" not in client.session
    page = client.get("/learn/")
    assert page.context["path"][0].done == 2


def test_a_second_sign_in_does_nothing_more(client, ann):
    do_steps(client)
    sign_in(client, ann)
    before = tries_of(ann), progress_of(ann), list(StepDone.objects.order_by("pk").values())
    sign_in(client, ann)
    client.post("/account/logout/")
    sign_in(client, ann)
    assert (tries_of(ann), progress_of(ann), list(StepDone.objects.order_by("pk").values())) == before


def test_who_signs_in_after_another_takes_nothing_of_theirs(client, ann):
    ben = a_user("Ben", PASSWORD)
    do_steps(client)
    sign_in(client, ann)
    client.post("/account/logout/")
    sign_in(client, ben)
    assert not tries_of(ben)
    assert len(tries_of(ann)) == 2


def test_a_wrong_password_takes_nothing_along_and_keeps_the_guest(client, ann):
    do_steps(client)
    assert client.post("/account/login/", {"login": ann.user.email, "password": "wrong"}).status_code == 200
    assert not tries_of(ann)
    assert client.get("/learn/").context["path"][0].done == 2


def test_a_whole_course_is_taken_along(client, ann):
    do_steps(client)
    guest = Player(name="?", guest=client.session["guest"]["key"])
    for unit in course():
        for step in unit.steps:
            finish_step(guest, unit.slug, step.slug, now=NOW)
    sign_in(client, ann)
    assert all(row.is_done for row in client.get("/learn/").context["path"])
