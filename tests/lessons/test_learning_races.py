"""Simultaneous answers: each counts once, and progress equals a rebuild."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from uuid import uuid4

import pytest
from django.db import IntegrityError, connections, transaction

from classrooms.models import User
from core.actors import merge_guest
from games.players import Player
from lessons.models import HelpGiven, LearningEvent, StepDone
from lessons.progress.origins import PRACTICE
from lessons.progress.recording import (
    Answered,
    Asked,
    finish_step,
    give_help,
    hints_given,
    rebuild,
    record_event,
)
from lessons.progress.snapshots import skill_states
from lessons.skills import Evidence, ExerciseKind, Skill, Wanted

NOW = 1_800_000_000.0
SKILLS = (Skill.COLOR, Skill.SHAPE, Skill.THIRD_CARD)


def together(*jobs: Callable[[], object]) -> None:
    """Run all jobs simultaneously, each in a thread with its own connection; raise the first error."""
    barrier = threading.Barrier(len(jobs))
    errors: list[BaseException] = []

    def work(job: Callable[[], object]) -> None:
        try:
            barrier.wait(60)
            job()
        except BaseException as error:
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    if errors:
        raise errors[0]


def user() -> Player:
    found = User.objects.create_student(display_name="Mia", pictures="")
    return Player(name="Mia", user=found)


def guest() -> Player:
    return Player(name="Badger", guest="a" * 32)


LEARNERS = pytest.mark.parametrize("learner", [user, guest])


def answer(who: Player, seed: str, *, at: float = NOW, is_right: bool = True, sent_as=None) -> LearningEvent:
    evidence = [Evidence(skill, is_right) for skill in SKILLS]
    asked = Asked(origin=PRACTICE, kind=ExerciseKind.THIRD_CARD, wanted=Wanted(ExerciseKind.THIRD_CARD), seed=seed)
    answered = Answered(answer={}, is_right=is_right, missed=(), evidence=evidence, seconds=2.0)
    return record_event(who, asked, answered, now=at, sent_as=sent_as)


def assert_progress_is_a_rebuild(who: Player) -> None:
    before = skill_states(who)
    rebuild(who)
    assert skill_states(who) == before


def answers_of_thread(who: Player, number: int, amount: int) -> Sequence[LearningEvent]:
    return [answer(who, f"{number}-{each}", at=NOW + each * 4 + number) for each in range(amount)]


@LEARNERS
def test_of_answers_from_four_devices_at_once_every_one_counts(transactional_db, learner):
    who = learner()
    together(*(lambda number=number: answers_of_thread(who, number, 40) for number in range(4)))
    assert LearningEvent.objects.filter(is_first=True, **who.key).count() == 160
    # Without a lock, PostgreSQL lost all but 44 of 160, because each changed the summary.
    states = skill_states(who)
    assert [states[skill].tries for skill in SKILLS] == [160] * len(SKILLS)
    assert_progress_is_a_rebuild(who)


@LEARNERS
def test_a_question_that_is_answered_twice_at_once_has_one_first_try(transactional_db, learner):
    who = learner()
    for number in range(8):
        together(*(lambda seed=f"s{number}": answer(who, seed) for _device in range(3)))
    assert LearningEvent.objects.filter(**who.key).count() == 24
    assert LearningEvent.objects.filter(is_first=True, **who.key).count() == 8
    assert_progress_is_a_rebuild(who)


@LEARNERS
def test_the_database_itself_takes_one_first_try_of_a_question(db, learner):
    first = answer(learner(), "s")
    first.pk, first.sent_as = None, None
    with pytest.raises(IntegrityError), transaction.atomic():
        first.save(force_insert=True)
    first.is_first = False
    first.save(force_insert=True)
    with pytest.raises(IntegrityError), transaction.atomic():
        LearningEvent.objects.update(is_first=True)


def test_an_answer_that_is_sent_twice_at_once_is_one_answer(transactional_db):
    who, name = user(), uuid4()
    together(*(lambda: answer(who, "s", sent_as=name) for _try in range(4)))
    assert LearningEvent.objects.count() == 1
    assert_progress_is_a_rebuild(who)


def test_answers_from_offline_among_those_of_now_are_counted_in_their_order(transactional_db):
    who = user()
    late = [lambda n=n: answer(who, f"late {n}", at=NOW - 100 * n, is_right=False) for n in range(4)]
    now = [lambda n=n: answer(who, f"now {n}", at=NOW + n) for n in range(4)]
    together(*late, *now)
    assert LearningEvent.objects.filter(is_first=True).count() == 8
    assert_progress_is_a_rebuild(who)


def test_a_guest_who_signs_in_while_both_answer_keeps_one_first_try_of_each_question(transactional_db):
    who, before = user(), guest()
    for seed in ("both", "guest's"):
        answer(before, seed, at=NOW - 5)
    answer(who, "both", at=NOW)
    together(
        lambda: merge_guest(before, who),
        lambda: answer(who, "both", at=NOW + 1),
        lambda: answer(who, "guest's", at=NOW + 1),
        lambda: answer(who, "own", at=NOW + 2),
    )
    firsts = LearningEvent.objects.filter(user=who.user, is_first=True).values_list("seed", flat=True)
    assert sorted(firsts) == ["both", "guest's", "own"]
    assert not LearningEvent.objects.exclude(guest="").exists()
    assert_progress_is_a_rebuild(who)


def test_a_guest_whose_answer_was_sent_again_after_signing_in_has_it_once(transactional_db):
    who, before, name = user(), guest(), uuid4()
    answer(before, "s", sent_as=name)
    answer(who, "s", sent_as=name)
    merge_guest(before, who)
    assert LearningEvent.objects.get().is_first
    assert_progress_is_a_rebuild(who)


def test_two_who_sign_in_with_each_others_guest_never_wait_for_each_other(transactional_db):
    ann, ben = user(), user()
    guests = [Player(name="Badger", guest=f"{number:032}") for number in range(2)]
    for each in guests:
        answer(each, "s")
    together(
        lambda: merge_guest(guests[0], ann),
        lambda: merge_guest(guests[1], ann),
        lambda: merge_guest(guests[0], ben),
        lambda: merge_guest(guests[1], ben),
    )
    assert LearningEvent.objects.exclude(user=None).count() == 2
    for who in (ann, ben):
        assert_progress_is_a_rebuild(who)


def test_rebuilding_while_answers_come_loses_none(transactional_db):
    who = user()
    together(lambda: answers_of_thread(who, 0, 10), *(lambda: rebuild(who) for _time in range(3)))
    assert LearningEvent.objects.count() == 10
    assert_progress_is_a_rebuild(who)


def test_a_step_that_is_finished_twice_at_once_is_done_once(transactional_db):
    who = user()
    together(*(lambda: finish_step(who, "cards", "any", now=NOW) for _tab in range(4)))
    assert StepDone.objects.count() == 1


def test_help_that_is_asked_for_in_several_tabs_at_once_is_counted_each_time_up_to_its_end(transactional_db):
    who = user()
    together(*(lambda: give_help(who, PRACTICE, "s", stages=3, now=NOW) for _tab in range(5)))
    assert HelpGiven.objects.count() == 1
    assert hints_given(who, PRACTICE, "s") == 3
