"""Rate limits slide, add up to a growing delay, and can't be bypassed by simultaneous tries."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from core.limits import RateLimit, TooMany, Window

PASSWORDS = RateLimit("tried-passwords", (Window(5, 60), Window(10, 900), Window(20, 86_400)))


@pytest.fixture(autouse=True)
def clock(clock_of_limits: SimpleNamespace) -> SimpleNamespace:
    return clock_of_limits


def is_allowed(limit: RateLimit, who: str = "ann") -> bool:
    try:
        limit.take(who)
    except TooMany:
        return False
    return True


def test_a_few_tries_pass_and_the_next_waits():
    assert [is_allowed(PASSWORDS) for _ in range(7)] == [True] * 5 + [False] * 2
    assert is_allowed(PASSWORDS, "ben")


def test_the_wait_that_is_named_is_long_enough_and_not_a_second_too_long(clock):
    for _ in range(60):
        wait = PASSWORDS.wait("ann")
        if wait:
            clock.now += wait - 1
            assert not is_allowed(PASSWORDS)
            clock.now += 1
        assert is_allowed(PASSWORDS)


def test_who_goes_on_waits_longer_and_longer(clock):
    waits = []
    for _ in range(20):
        waits.append(PASSWORDS.wait("ann"))
        clock.now += waits[-1]
        PASSWORDS.take("ann")
    assert waits[:5] == [0] * 5
    assert 0 < waits[5] <= 2 * 60
    assert 2 * 60 < waits[10] <= 2 * 900
    assert PASSWORDS.wait("ann") > 3600


@pytest.mark.parametrize("seed", range(5))
def test_in_the_long_run_no_more_pass_than_the_most_for_each_window(clock, seed):
    chance, limit, began, passed = random.Random(seed), RateLimit("edges", (Window(5, 60),)), clock.now, 0
    for _ in range(2_000):
        clock.now += chance.choice([0.1, 1, 5, 29])
        passed += is_allowed(limit)
    assert passed <= 5 * ((clock.now - began) / 60 + 1)


def test_a_burst_at_the_edge_of_a_window_is_not_allowed_twice(clock):
    limit = RateLimit("edges", (Window(5, 60),))
    clock.now += 59
    assert sum(is_allowed(limit) for _ in range(10)) == 5
    clock.now += 2
    assert sum(is_allowed(limit) for _ in range(10)) == 0


def test_impatience_does_not_make_the_wait_longer(clock):
    for _ in range(5):
        PASSWORDS.take("ann")
    wait = PASSWORDS.wait("ann")
    for _ in range(50):
        assert not is_allowed(PASSWORDS)
    assert PASSWORDS.wait("ann") == wait


def test_after_the_right_one_everything_is_forgotten(clock):
    for _ in range(5):
        PASSWORDS.take("ann")
    PASSWORDS.forget("ann")
    assert PASSWORDS.wait("ann") == 0
    assert sum(is_allowed(PASSWORDS) for _ in range(10)) == 5


def test_a_hundred_at_the_same_moment_are_no_more_than_the_most():
    with ThreadPoolExecutor(20) as pool:
        assert sum(pool.map(lambda _: is_allowed(PASSWORDS), range(100))) <= 5


def test_a_limit_of_none_lets_nobody_through():
    assert not is_allowed(RateLimit("closed", (Window(0, 60),)))
