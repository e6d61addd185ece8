"""Garbage collector settings for a web process: full collections are rare, since all screens wait for them.

With 1,750 open streams a full collection took up to 0.3 s, every few seconds. Requests leave young objects behind,
which the short collections find as usual.
"""

import gc

_DEFAULT_THRESHOLDS = gc.get_threshold()
_FULL_COLLECTION_EVERY = 1_000
"""Collections of the second generation before a full one; Python's default is 10."""


def settle() -> None:
    """Exempt objects that exist at startup from collection, and make full collections rare."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_DEFAULT_THRESHOLDS[:2], _FULL_COLLECTION_EVERY)


def unsettle() -> None:
    gc.unfreeze()
    gc.set_threshold(*_DEFAULT_THRESHOLDS)
