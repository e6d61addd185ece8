"""The check that every web process runs each second: due events happen in any match, even if nobody is watching."""

import time

import pytest

from games.matches import service as matches
from games.models import Match, Way
from games.players import Player
from games.rules import Options
from games.rules import commands as ask

ANN, BEN = Player(name="Ann", guest="a" * 32), Player(name="Ben", guest="b" * 32)


def open_table(*, now: float) -> str:
    match = matches.open_match(way=Way.TOGETHER, options=Options(), player=ANN, now=now)
    matches.join(match.code, BEN, now=now)
    matches.command(match.code, ask.Deal(0), now=now)
    return match.code


@pytest.mark.django_db
def test_keeping_time_enforces_every_deadline_that_has_passed_and_no_other():
    now = time.time()
    late, early = open_table(now=now - 60), open_table(now=now - 60)
    matches.command(late, ask.Call(1), now=now - 30)
    matches.command(early, ask.Call(1), now=now)
    assert matches.catch_up_all(now=time.time()) == 1
    assert Match.objects.get(code=late).state.control is None
    assert Match.objects.get(code=late).state.seats[1].points == -1
    assert Match.objects.get(code=early).state.control is not None
    assert matches.catch_up_all(now=time.time()) == 0
