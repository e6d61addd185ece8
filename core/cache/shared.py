"""The cache shared by all processes. While Redis is down each process falls back to its own, and no page fails."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, cast

from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import RedisError
from redis.retry import Retry

from core.cache.process import OwnCache

log = logging.getLogger(__name__)

_SOCKET_SECONDS = 0.5
_ASK_AGAIN_SECONDS = 1.0
"""How often one thread checks whether Redis is back. Pages don't wait for it."""
_ROOM = b" " * 65_536
"""Redis must have room for this before it counts as back; with only a few bytes free it would fail again at once."""
_AWAY = object()

_COUNT = "local n = redis.call('incr', KEYS[1]); if n == 1 then redis.call('expire', KEYS[1], ARGV[1]) end; return n"


_UNREADABLE = object()
"""Marks a value that this code didn't write; treated as a cache miss."""


class JsonSerializer:
    """Serialize as JSON: unlike Django's pickle serializer, loading can't run code, whoever wrote the value."""

    def dumps(self, value: Any) -> bytes | int:
        # Redis can only increment plain integers. `type(...) is` leaves out bool, which is an int to Python.
        if type(value) is int:
            return value
        return json.dumps(value).encode()

    def loads(self, data: bytes) -> Any:
        try:
            return int(data)
        except ValueError:
            pass
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            log.warning("cache.unreadable_value")
            return _UNREADABLE


class _Redis(RedisCache):
    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        found = super().get(key, default, version=version)
        return default if found is _UNREADABLE else found

    def get_many(self, keys: Iterable[str], version: int | None = None) -> dict[str, Any]:
        found = super().get_many(keys, version=version)
        return {key: value for key, value in found.items() if value is not _UNREADABLE}

    def count(self, key: str, seconds: int) -> int:
        """Increment and set the expiry in one round trip."""
        own_key = self.make_and_validate_key(key)
        return int(self._cache.get_client(own_key, write=True).eval(_COUNT, 1, own_key, seconds))


def _with_fallback(name: str) -> Callable[..., Any]:
    """A method of Redis that falls back to the process's own cache while Redis is down."""

    def method(self: SharedCache, *args: Any, **kwargs: Any) -> Any:
        answer = self._shared(name, *args, **kwargs)
        return getattr(self._own, name)(*args, **kwargs) if answer is _AWAY else answer

    return method


def _with_fallback_reset(name: str) -> Callable[..., Any]:
    """Likewise, and once Redis has done it, drop what the process's own cache holds under these keys."""

    def method(self: SharedCache, what: Any, *args: Any, **kwargs: Any) -> Any:
        what = what if isinstance(what, str | dict) else list(what)
        answer = self._shared(name, what, *args, **kwargs)
        if answer is _AWAY:
            return getattr(self._own, name)(what, *args, **kwargs)
        keys = [what] if isinstance(what, str) else list(what)
        self._own.delete_many(keys, version=kwargs.get("version"))
        return answer

    return method


class SharedCache(_Redis):
    """Redis with a per-process fallback: while Redis is down, each process enforces limits with its own counts.

    A Redis that's full and evicts nothing counts as down too: it still answers, but its counters don't move.
    """

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        sockets = {"socket_timeout": _SOCKET_SECONDS, "socket_connect_timeout": _SOCKET_SECONDS}
        # Retry once if an idle connection was closed, but not if Redis hangs.
        retry = Retry(NoBackoff(), 1, supported_errors=(Disconnected,))
        options = {**sockets, "retry": retry, "serializer": JsonSerializer, **params.get("OPTIONS", {})}
        super().__init__(server, {**params, "OPTIONS": options})
        self._own = cast("OwnCache", caches["process"])

    # On the class, since each thread of the process has its own cache object.
    _is_away = False
    _lock = threading.Lock()

    def _mark_away(self, error: RedisError) -> None:
        """Switch the whole process to its own cache until Redis answers again."""
        with SharedCache._lock:
            if SharedCache._is_away:
                return
            SharedCache._is_away = True
        log.warning("cache.away", extra={"error": type(error).__name__})
        threading.Thread(target=self._wait_until_back, name="cache", daemon=True).start()

    def _wait_until_back(self) -> None:
        while SharedCache._is_away:
            time.sleep(_ASK_AGAIN_SECONDS)
            with suppress(RedisError):
                self._check_writable()
                SharedCache._is_away = False
                log.warning("cache.back")

    def _check_writable(self) -> None:
        """Raise `RedisError` unless Redis accepts a write; a mere answer isn't enough."""
        key = self.make_key(f"room:{os.getpid()}")
        with self._cache.get_client(write=True).pipeline(transaction=False) as pipe:
            # Redis refuses a write only when it's already full, so the second write shows whether the first one fit.
            pipe.set(key, _ROOM, ex=1)
            pipe.set(key, b"", ex=1)
            pipe.delete(key)
            pipe.execute()

    def _shared(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Redis's answer, or `_AWAY`."""
        if not SharedCache._is_away:
            try:
                return getattr(_Redis, name)(self, *args, **kwargs)
            except RedisError as error:
                self._mark_away(error)
        return _AWAY

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        return self.get_many([key], version=version).get(key, default)

    def get_many(self, keys: Iterable[str], version: int | None = None) -> dict[str, Any]:
        """Get the values. While Redis is up, counts include what this process has counted on its own."""
        keys = list(keys)
        own = self._own.get_many(keys, version=version)
        shared = self._shared("get_many", keys, version=version)
        if shared is _AWAY:
            return own
        counts = {key: (count, shared.get(key, 0)) for key, count in own.items()}
        return {**shared} | {key: sum(both) for key, both in counts.items() if {type(each) for each in both} == {int}}

    def clear(self) -> None:
        """Clear both the shared cache and this process's own counts."""
        self._own.clear()
        self._shared("clear")

    add = _with_fallback("add")
    touch = _with_fallback("touch")
    has_key = _with_fallback("has_key")
    incr = _with_fallback("incr")
    count = _with_fallback("count")
    set = _with_fallback_reset("set")
    set_many = _with_fallback_reset("set_many")
    delete = _with_fallback_reset("delete")
    delete_many = _with_fallback_reset("delete_many")


def _reset() -> None:
    """Start a forked child afresh: it has no thread waiting for Redis, so it must find out on its own."""
    SharedCache._is_away, SharedCache._lock = False, threading.Lock()


os.register_at_fork(after_in_child=_reset)
