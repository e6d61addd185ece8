"""Run long simulations in chunks of a fixed size, so that a seed gives the same result however often it reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator

ShouldStop = Callable[[], bool]


def chunks(
    count: int, size: int, every: int, report: Callable[[], None], should_stop: ShouldStop | None
) -> Iterator[int]:
    """Yield the sizes of the chunks that add up to the count.

    Reports after every `every` trials, rounded up to the end of a chunk, and after the last one. After each report but
    the last it asks whether to stop, so a stopped run has always done at least one chunk.
    """
    done = reported = 0
    while done < count:
        chunk = min(size, count - done)
        yield chunk
        done += chunk
        if done < count and done - reported < every:
            continue
        reported = done
        report()
        if done < count and should_stop is not None and should_stop():
            return
