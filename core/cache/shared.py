"""The cache that all processes share; while Redis is away each has one of its own, and no page fails."""

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
"""While Redis is away one thread asks it so often whether it's back, and no page waits for it."""
_ROOM = b" " * 65_536
"""What must fit in before Redis counts as back: with room for a few bytes it would be away again at once."""
_AWAY = object()

_COUNT = "local n = redis.call('incr', KEYS[1]); if n == 1 then redis.call('expire', KEYS[1], ARGV[1]) end; return n"


_UNREADABLE = object()
"""Stands for a value that this code hasn't written: as good as not there."""


class JsonSerializer:
    """Values as JSON: unlike Django's own, reading them runs no code, whoever has written them."""

    def dumps(self, value: Any) -> bytes | int:
        # Redis counts with plain numbers only. A truth value is a number to Python, but not here.
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
        """In one trip."""
        own_key = self.make_and_validate_key(key)
        return int(self._cache.get_client(own_key, write=True).eval(_COUNT, 1, own_key, seconds))


def _with_own(name: str) -> Callable[..., Any]:
    """The process's own cache does it while Redis is away."""

    def method(self: SharedCache, *args: Any, **kwargs: Any) -> Any:
        answer = self._shared(name, *args, **kwargs)
        return getattr(self._own, name)(*args, **kwargs) if answer is _AWAY else answer

    return method


def _instead_of_own(name: str) -> Callable[..., Any]:
    """The same; what Redis has done ends what the process has kept by itself under these keys."""

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
    """Limits stay limits while Redis is away: each process then counts by itself what comes to it.

    A Redis that is full and throws nothing out is away too. It still answers, but its counts stand still.
    """

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        sockets = {"socket_timeout": _SOCKET_SECONDS, "socket_connect_timeout": _SOCKET_SECONDS}
        # Once more where the connection was closed while it lay idle, but not where Redis hangs.
        retry = Retry(NoBackoff(), 1, supported_errors=(Disconnected,))
        options = {**sockets, "retry": retry, "serializer": JsonSerializer, **params.get("OPTIONS", {})}
        super().__init__(server, {**params, "OPTIONS": options})
        self._own = cast("OwnCache", caches["process"])

    # One for all threads of the process, of which each has a cache object.
    _is_away = False
    _lock = threading.Lock()

    def _lost(self, error: RedisError) -> None:
        """Have everybody use the process's own cache until Redis answers again."""
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
                self._write_something()
                SharedCache._is_away = False
                log.warning("cache.back")

    def _write_something(self) -> None:
        """Raises `RedisError` unless Redis takes what is written; that it answers isn't enough."""
        key = self.make_key(f"room:{os.getpid()}")
        with self._cache.get_client(write=True).pipeline(transaction=False) as pipe:
            # Redis refuses a write when it's full already, so the second one finds out whether the first fits in.
            pipe.set(key, _ROOM, ex=1)
            pipe.set(key, b"", ex=1)
            pipe.delete(key)
            pipe.execute()

    def _shared(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """What Redis answers, or `_AWAY`."""
        if not SharedCache._is_away:
            try:
                return getattr(_Redis, name)(self, *args, **kwargs)
            except RedisError as error:
                self._lost(error)
        return _AWAY

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        return self.get_many([key], version=version).get(key, default)

    def get_many(self, keys: Iterable[str], version: int | None = None) -> dict[str, Any]:
        """While Redis is there, counts include what this process has counted by itself."""
        keys = list(keys)
        own = self._own.get_many(keys, version=version)
        shared = self._shared("get_many", keys, version=version)
        if shared is _AWAY:
            return own
        counts = {key: (count, shared.get(key, 0)) for key, count in own.items()}
        return {**shared} | {key: sum(both) for key, both in counts.items() if {type(each) for each in both} == {int}}

    def clear(self) -> None:
        """Forget everything: what all share, and what this process has counted by itself."""
        self._own.clear()
        self._shared("clear")

    add = _with_own("add")
    touch = _with_own("touch")
    has_key = _with_own("has_key")
    incr = _with_own("incr")
    count = _with_own("count")
    set = _instead_of_own("set")
    set_many = _instead_of_own("set_many")
    delete = _instead_of_own("delete")
    delete_many = _instead_of_own("delete_many")


def _reset() -> None:
    """A worker's child has no thread that waits for Redis: it finds out by itself."""
    SharedCache._is_away, SharedCache._lock = False, threading.Lock()


os.register_at_fork(after_in_child=_reset)
