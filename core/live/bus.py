"""Message bus that tells the other web processes over Redis what changed here. A single process doesn't need it.

Publishing never blocks and never fails, since the change is committed already. If a message is lost (Redis is down, or
the process died before sending it), the hubs catch up by checking the versions of what they watch.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import queue
import random
import secrets
import threading
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings

log = logging.getLogger(__name__)

Listener = Callable[..., None]

_MOST_WAITING = 10_000
_MOST_AT_ONCE = 500
_SOCKET_SECONDS = 2.0
_QUIET_SECONDS = 5.0
"""After this much silence we ping Redis."""
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 2.0
_BATCH_SECONDS = 0.025
"""How long to batch messages after a send: receiving a message costs far more than reading a longer one."""


class Bus:
    """One Redis channel for all processes of a site. Without an address the process is alone."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.is_shared = bool(address)
        self.is_up = not self.is_shared
        """Whether we're receiving the others' messages now."""
        self._name = secrets.token_hex(8)
        self._listeners: dict[str, list[Listener]] = {}
        self._after_gap: list[Callable[[], None]] = []
        self._hearing: asyncio.Task[None] | None = None
        self._lock = threading.Lock()
        self._waiting: queue.SimpleQueue[list[Any] | None] = queue.SimpleQueue()
        self._sender: threading.Thread | None = None
        if self.is_shared:
            # A worker's forked children copy this object, but not its thread.
            os.register_at_fork(after_in_child=self._reset)

    def on(self, kind: str, listener: Listener) -> None:
        """Register a function to be called on the event loop with other processes' messages of this kind."""
        self._listeners.setdefault(kind, []).append(listener)

    def off(self, kind: str, listener: Listener) -> None:
        self._listeners[kind].remove(listener)

    def on_gap(self, listener: Callable[[], None]) -> None:
        """Register a function to be called after reconnecting, when messages may have been missed."""
        self._after_gap.append(listener)

    def off_gap(self, listener: Callable[[], None]) -> None:
        self._after_gap.remove(listener)

    def start(self) -> None:
        """Start listening, on the running event loop."""
        if self.is_shared and self._hearing is None:
            self._hearing = asyncio.ensure_future(self._listen())

    async def stop(self) -> None:
        if self._hearing:
            self._hearing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._hearing
            self._hearing = None
            self.is_up = False
        with self._lock:
            sender, self._sender = self._sender, None
        if sender:
            # Send what's still in the queue first.
            self._waiting.put(None)
            await asyncio.to_thread(sender.join, _SOCKET_SECONDS)

    # Sending, from any thread

    def tell(self, kind: str, *values: str | int | bool) -> None:
        """Send a message to the other processes. This one gets no copy."""
        if not self.is_shared:
            return
        with self._lock:
            if self._sender is None:
                self._sender = threading.Thread(target=self._send, args=(self._waiting,), name="bus", daemon=True)
                self._sender.start()
        if self._waiting.qsize() < _MOST_WAITING:
            self._waiting.put([self._name, kind, *values])

    def _reset(self) -> None:
        self._lock, self._waiting, self._sender = threading.Lock(), queue.SimpleQueue(), None

    def _send(self, waiting: queue.SimpleQueue[list[Any] | None]) -> None:
        import redis  # noqa: PLC0415 (only the scaled set-up has it)
        from redis.backoff import NoBackoff  # noqa: PLC0415
        from redis.retry import Retry  # noqa: PLC0415

        # Retry once, since an idle connection may have been closed; more retries would only deliver late.
        client = redis.Redis.from_url(
            self.address,
            socket_timeout=_SOCKET_SECONDS,
            socket_connect_timeout=_SOCKET_SECONDS,
            retry=Retry(NoBackoff(), 1),
        )
        is_away = is_over = False
        spoke = 0.0
        while not is_over:
            words = [waiting.get()]
            time.sleep(max(0.0, spoke + _BATCH_SECONDS - time.monotonic()))
            while len(words) < _MOST_AT_ONCE and not waiting.empty():
                words.append(waiting.get())
            is_over = None in words
            words = [word for word in words if word]
            spoke = time.monotonic()
            try:
                client.publish(_channel(client), json.dumps(words))
            except redis.RedisError as error:
                if not is_away:
                    log.warning("bus.not_told", extra={"error": type(error).__name__})
                is_away = True
            else:
                is_away = False
        client.close()

    # Listening, on the loop

    async def _listen(self) -> None:
        from redis.exceptions import RedisError  # noqa: PLC0415

        wait = _FIRST_WAIT
        while True:
            try:
                await self._hear()
            except (RedisError, OSError) as error:
                if self.is_up:
                    log.warning("bus.not_heard", extra={"error": type(error).__name__})
                    wait = _FIRST_WAIT
            self.is_up = False
            # Jitter, so that not all processes reconnect at the same moment.
            await asyncio.sleep(wait * random.uniform(0.5, 1.0))
            wait = min(2 * wait, _LONGEST_WAIT)

    async def _hear(self) -> None:
        """Listen until the connection fails."""
        from redis.asyncio import Redis  # noqa: PLC0415
        from redis.asyncio.retry import Retry  # noqa: PLC0415
        from redis.backoff import NoBackoff  # noqa: PLC0415

        # Without the library's retries, which would hide a gap from us.
        client = Redis.from_url(
            self.address,
            socket_timeout=_SOCKET_SECONDS,
            socket_connect_timeout=_SOCKET_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )
        async with client, client.pubsub() as words:
            await words.subscribe(_channel(client))
            is_asked = False
            while True:
                word = await words.get_message(timeout=_QUIET_SECONDS)
                if word is None:
                    if is_asked:
                        raise TimeoutError("no answer from Redis")
                    await words.ping()
                    is_asked = True
                    continue
                is_asked = False
                if word["type"] == "subscribe":
                    self.is_up = True
                    for callback in list(self._after_gap):
                        callback()
                elif word["type"] == "message":
                    self._dispatch(word["data"])

    def _dispatch(self, data: bytes) -> None:
        try:
            for sender, kind, *values in json.loads(data):
                if sender != self._name:
                    for listener in list(self._listeners.get(kind, ())):
                        listener(*values)
        except Exception:
            log.exception("bus.message_rejected")


def _channel(client: Any) -> str:
    """The channel's name includes the database, since a Redis server's databases share channels, unlike keys."""
    return f"setsite/{client.connection_pool.connection_kwargs.get('db', 0)}"


bus = Bus(settings.REDIS_URL)
