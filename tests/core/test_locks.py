"""Lock order: a transaction that could deadlock with another fails here, on both databases."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import transaction

from classrooms.live import changes, leading
from classrooms.models import Session
from core.db.locks import LockLevel, WrongOrder, lock_word, note_lock
from games.matches import service as matches
from games.models import Way
from games.players import Player
from games.rules import Options
from games.rules import commands as ask
from lessons.progress.recording import rebuild
from tests.classrooms.people import make_adult, make_classroom

pytestmark = pytest.mark.django_db


def lock_both(*jobs: Callable[[], object]) -> None:
    with transaction.atomic():
        for job in jobs:
            job()


def enter(session: Session) -> None:
    with changes.locked(session):
        pass


def test_locking_upwards_fails():
    with pytest.raises(WrongOrder):
        lock_both(lambda: note_lock(LockLevel.MATCH), lambda: note_lock(LockLevel.SESSION))


def test_people_are_locked_in_the_order_of_their_keys():
    one, two = (lambda: lock_word(LockLevel.PERSON, "a")), (lambda: lock_word(LockLevel.PERSON, "b"))
    lock_both(one, two, two)
    with pytest.raises(WrongOrder):
        lock_both(two, one)


def test_each_transaction_begins_anew():
    for _time in range(2):
        lock_both(lambda: note_lock(LockLevel.CLASSROOM), lambda: note_lock(LockLevel.PERSON, "a"))


def test_a_lesson_or_a_table_that_is_written_after_a_learner_fails():
    player = Player(name="Badger", guest="a" * 32)
    teacher = make_adult()
    session = leading.open_session(make_classroom(teacher), by=teacher)
    code = matches.open_match(way=Way.TOGETHER, options=Options(), player=player, now=0.0).code
    with pytest.raises(WrongOrder):
        lock_both(lambda: rebuild(player), lambda: enter(session))
    with pytest.raises(WrongOrder):
        lock_both(lambda: rebuild(player), lambda: matches.command(code, ask.Deal(0), now=1.0))
