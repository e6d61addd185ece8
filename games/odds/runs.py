"""How a long simulation goes: in chunks of one size, so that a seed means one result however often it is watched."""

from __future__ import annotations

from collections.abc import Callable, Iterator

ShouldStop = Callable[[], bool]


def chunks(
    count: int, size: int, every: int, report: Callable[[], None], should_stop: ShouldStop | None
) -> Iterator[int]:
    """The sizes of the chunks that make up the count.

    After each `every` trials, to the end of a chunk, and after the last, it reports; then, unless that was the end, it
    asks whether to stop. So a run that is stopped has always done at least one chunk.
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
