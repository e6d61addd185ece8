"""The cache that all processes share; while Redis is away each has one of its own, and no page fails."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, cast

from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from setsite.own_cache import OwnCache

log = logging.getLogger(__name__)

_SOCKET_SECONDS = 0.5
_AWAY_SECONDS = 1.0
"""For so long nobody tries again, so that not every page waits for what does not answer."""

_COUNT = "local n = redis.call('incr', KEYS[1]); if n == 1 then redis.call('expire', KEYS[1], ARGV[1]) end; return n"


class _Redis(RedisCache):
    def count(self, key: str, seconds: int) -> int:
        """In one trip."""
        own_key = self.make_and_validate_key(key)
        return int(self._cache.get_client(own_key, write=True).eval(_COUNT, 1, own_key, seconds))


class SharedCache(_Redis):
    """Limits stay limits while Redis is away: each process then counts by itself what comes to it."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        sockets = {"socket_timeout": _SOCKET_SECONDS, "socket_connect_timeout": _SOCKET_SECONDS}
        options = {**sockets, "retry": Retry(NoBackoff(), 1), **params.get("OPTIONS", {})}
        super().__init__(server, {**params, "OPTIONS": options})
        self._own = cast("OwnCache", caches["process"])

    # One for all threads of the process, of which each has a cache object.
    _away_until = 0.0

    def clear(self) -> None:
        """Forget everything: what all share, and what this process has counted by itself."""
        self._own.clear()
        _with_own("clear")(self)


def _with_own(name: str) -> Callable[..., Any]:
    def method(self: SharedCache, *args: Any, **kwargs: Any) -> Any:
        if time.monotonic() >= SharedCache._away_until:
            try:
                return getattr(_Redis, name)(self, *args, **kwargs)
            except RedisError as error:
                SharedCache._away_until = time.monotonic() + _AWAY_SECONDS
                log.warning("the shared cache is away: %s", type(error).__name__)
        return getattr(self._own, name)(*args, **kwargs)

    return method


for _name in (
    "add",
    "get",
    "set",
    "touch",
    "delete",
    "get_many",
    "has_key",
    "incr",
    "set_many",
    "delete_many",
    "count",
):
    setattr(SharedCache, _name, _with_own(_name))
