"""The garbage collector of a web process: what lives long is seldom looked through, since all screens wait for that.

With 1,750 streams open a full round took up to 0.3 s, and came every few seconds. What requests leave behind is young,
and is found by the short rounds as ever.
"""

import gc

_AS_EVER = gc.get_threshold()
_SELDOM = 1_000
"""Rounds of the second generation before a full one; Python's own is 10."""


def settle() -> None:
    """What is there at the start stays: it is not looked through at all."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_AS_EVER[:2], _SELDOM)


def unsettle() -> None:
    gc.unfreeze()
    gc.set_threshold(*_AS_EVER)
