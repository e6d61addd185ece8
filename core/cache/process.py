"""The memory of one process: for what it counts by itself, and where it is alone or cut off from the shared cache."""

from __future__ import annotations

from contextlib import suppress

from django.core.cache.backends.locmem import LocMemCache


class OwnCache(LocMemCache):
    def count(self, key: str, seconds: int) -> int:
        """One more of what is forgotten so many seconds after the first."""
        for _try in range(2):
            with suppress(ValueError):
                return self.incr(key)
            # The first, unless somebody else is first at this moment.
            if self.add(key, 1, timeout=seconds):
                break
        return 1
