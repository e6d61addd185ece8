"""The load test's client counts correctly, and a small load loses nothing."""

from __future__ import annotations

import asyncio
import math
import time

import numpy as np
import pytest

from tests.coroutines import run
from tests.scale.race import stored_log
from tools.load.arrivals import Peak, arrivals, busiest, waits
from tools.load.client import Screen, ScreenGroup, percentile
from tools.load.sizing import costs, most_students
from tools.load.tables import Table


def table(version: int) -> bytes:
    return f'7\r\nevent: table\ndata: <div data-version="{version}">\n\n\r\n'.encode()


def screen_group(screens: int) -> ScreenGroup:
    made = ScreenGroup()
    made.screens = [Screen("", made) for _screen in range(screens)]
    for screen in made.screens:
        screen.data_received(table(1))
    return made


@pytest.mark.parametrize(("share", "expected"), [(0.5, 2), (0.75, 3), (0.95, 4), (0.0, 1), (1.0, 4)])
def test_a_percentile_is_a_value_that_was_measured(share, expected):
    assert percentile([3, 1, 4, 2], share) == expected


def test_of_nothing_there_is_no_percentile():
    assert math.isnan(percentile([], 0.95))


def test_a_change_is_over_when_the_last_screen_has_it():
    async def play() -> None:
        seen = screen_group(3)
        change = seen.begin_change()
        seen.screens[0].data_received(table(2))
        seen.screens[1].data_received(table(2))
        # A repeated table, or one from before the change, is nothing new.
        seen.screens[1].data_received(table(2))
        seen.screens[2].data_received(table(1))
        assert (change.remaining, change.shown_on_all.done()) == (1, False)
        # A screen that missed it but has a later version counts too.
        seen.screens[2].data_received(table(5))
        await seen.wait_for(change)
        assert (seen.measurements.changes, seen.measurements.pushes, seen.measurements.late) == (1, 3, 0)
        assert seen.version == 5

    run(play())


def test_a_message_may_come_in_pieces():
    seen = screen_group(1)
    whole = table(12)
    for start in range(0, len(whole), 10):
        seen.screens[0].data_received(whole[start : start + 10])
    assert seen.version == 12


def test_a_screen_that_never_hears_of_a_change_is_late(monkeypatch):
    monkeypatch.setattr("tools.load.client.PATIENCE", 0.01)

    async def play() -> None:
        seen = screen_group(2)
        change = seen.begin_change()
        seen.screens[0].data_received(table(2))
        await seen.wait_for(change)
        assert (seen.measurements.changes, seen.measurements.late) == (0, 1)

    run(play())


def test_the_costs_are_found_from_which_the_cells_were_made():
    def traffic(changes: int, pushes: int) -> dict[str, object]:
        used = 0.003 * changes + 0.0001 * pushes + 0.02 * 10
        return {"changes": changes, "pushes": pushes, "seconds": 10, "cpu": {"web": used}}

    shapes = [(10, 300), (10, 3_000), (100, 3_000), (400, 400)]
    cells = [{"webs": 1, **traffic(*shape), "bare": traffic(*shape)} for shape in shapes]
    found = costs(cells)
    assert (found.change, found.push, found.idle) == pytest.approx((3_000, 100, 20_000))


def test_the_most_students_are_those_whose_need_fits():
    assert most_students(lambda _one, students: students**2, None, 1e6) == pytest.approx(1_000, rel=0.01)


def test_with_enough_servers_nobody_waits_and_with_too_few_all_do():
    rng = np.random.default_rng(1)
    moments = arrivals(Peak(students=5_000), rng)
    assert len(moments) == 5_000
    assert list(moments) == sorted(moments)
    rate = busiest(moments)
    many = waits(moments, servers=int(100 * rate), service=0.01, rng=rng)
    few = waits(moments, servers=1, service=10 / rate, rng=rng)
    assert np.percentile(many, 95) == 0
    assert np.percentile(few, 50) > 100


def test_a_line_is_served_in_order_by_one_who_is_never_idle():
    rng = np.random.default_rng(1)
    waited = waits(np.zeros(100), servers=1, service=1.0, rng=rng)
    assert list(waited) == sorted(waited)
    assert waited[0] == 0


def test_a_small_load_loses_nothing(scaled_site):
    tables = [Table(number, [web.port for web in scaled_site.web], every=0.2) for number in range(2)]
    versions: dict[str, list[int]] = {}

    async def play() -> None:
        for each in tables:
            await each.open()
            await each.watch(1)
        until = time.perf_counter() + 2
        await asyncio.gather(*(each.play(until) for each in tables))
        for each in tables:
            await each.settle()
            versions[each.code] = [screen.version for screen in each.screens]
            each.leave()

    run(play())
    for each in tables:
        log = stored_log(each.code)
        assert log["replays"]
        assert not log["has_gaps"]
        assert versions[each.code] == [log["version"]] * 5
        assert each.measurements.changes
        assert (each.measurements.errors, each.measurements.late, each.measurements.dropped) == (0, 0, 0)
        assert each.measurements.pushes == 5 * each.measurements.changes
