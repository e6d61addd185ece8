"""Per-process cache: for local counts, for a single process, and as the fallback while the shared cache is down."""

from __future__ import annotations

from contextlib import suppress

from django.core.cache.backends.locmem import LocMemCache


class OwnCache(LocMemCache):
    def count(self, key: str, seconds: int) -> int:
        """Increment a counter that expires `seconds` after its first increment, and return it."""
        for _try in range(2):
            with suppress(ValueError):
                return self.incr(key)
            # No counter yet: create it, or increment again if another thread just did.
            if self.add(key, 1, timeout=seconds):
                break
        return 1
