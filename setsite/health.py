"""Liveness, readiness and metrics of this process.

Served without Django, which would demand the right host and HTTPS from a neighboring machine.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus

from django.conf import settings
from django.db import close_old_connections, connection
from django.utils import timezone

from core import heartbeats
from core.http.wsgi_adapter import Receive, Scope, Send, answer
from core.jobs import queue
from core.lanes import pools as lanes
from core.lanes.marks import FAST, HEAVY, REPORTS, SIGN_IN
from core.live.bus import bus
from core.models import Job, JobState
from setsite import metrics

log = logging.getLogger(__name__)

_TIMEOUT_SECONDS = 2.0
_KEPT_SECONDS = 1.0

_pool = ThreadPoolExecutor(3, thread_name_prefix="health")


def _database() -> bool:
    close_old_connections()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return True


def _worker() -> bool:
    """Whether a worker has run beat's tasks recently, or is busy with jobs."""
    return heartbeats.has_seen_worker() or _is_busy()


def _is_busy() -> bool:
    close_old_connections()
    return Job.objects.filter(state=JobState.RUNNING, beat_at__gt=timezone.now() - queue.SILENCE).exists()


class _Check:
    """A check that runs in a thread, one at a time and at most once a second."""

    def __init__(self, look: Callable[[], bool]) -> None:
        self._look = look
        self._running: asyncio.Future[bool] | None = None
        self._at, self._was = -_KEPT_SECONDS, False

    async def __call__(self) -> bool:
        loop = asyncio.get_running_loop()
        if self._running is None:
            if loop.time() - self._at < _KEPT_SECONDS:
                return self._was
            self._running = loop.run_in_executor(_pool, self._safely)
        running = self._running
        done, _late = await asyncio.wait({running}, timeout=_TIMEOUT_SECONDS)
        if not done:
            return False
        self._running, self._at, self._was = None, loop.time(), running.result()
        return self._was

    def _safely(self) -> bool:
        try:
            return self._look()
        except Exception as error:
            log.warning("health.not_ready", extra={"error": type(error).__name__})
            return False


async def _bus() -> bool:
    return bus.is_up


def _lane(name: str) -> Callable[[], Awaitable[bool]]:
    async def has_room() -> bool:
        return not any(lane.is_saturated for lane in lanes.in_use if lane.name == name)

    return has_room


CHECKS: dict[str, Callable[[], Awaitable[bool]]] = {
    "database": _Check(_database),
    "bus": _bus,
    "worker": _Check(_worker),
    "fast_lane": _lane(FAST),
    "heavy_lane": _lane(HEAVY),
    "sign_in_lane": _lane(SIGN_IN),
    "reports_lane": _lane(REPORTS),
}
_REPORTED_ONLY = frozenset({"heavy_lane", "sign_in_lane", "reports_lane"})
"""Reported when full, but the site stays ready; otherwise anyone who fills these lanes could take it offline."""


async def alive(scope: Scope, receive: Receive, send: Send) -> None:
    await _answer_json(send, HTTPStatus.OK, {"alive": True})


async def ready(scope: Scope, receive: Receive, send: Send) -> None:
    """Check everything the site needs, or the one thing named in the path."""
    wanted = scope["path"].removeprefix("/readyz/").strip("/")
    if wanted and wanted not in CHECKS:
        await _answer_json(send, HTTPStatus.NOT_FOUND, {"ready": False})
        return
    names = [wanted] if wanted else list(CHECKS)
    found = dict(zip(names, await asyncio.gather(*(CHECKS[name]() for name in names)), strict=True))
    is_ready = all(is_fine for name, is_fine in found.items() if wanted or name not in _REPORTED_ONLY)
    await _answer_json(
        send, HTTPStatus.OK if is_ready else HTTPStatus.SERVICE_UNAVAILABLE, {"ready": is_ready, **found}
    )


async def figures(scope: Scope, receive: Receive, send: Send) -> None:
    """Prometheus metrics, for clients with the token. Without a token in the settings, nobody gets them."""
    given = dict(scope["headers"]).get(b"authorization", b"")
    token = settings.METRICS_TOKEN
    if not token or not hmac.compare_digest(given, f"Bearer {token}".encode()):
        await _answer_json(send, HTTPStatus.NOT_FOUND, {"found": False})
        return
    page = await asyncio.get_running_loop().run_in_executor(_pool, metrics.page)
    await answer(send, HTTPStatus.OK, [(b"content-type", metrics.CONTENT_TYPE.encode())], page)


async def _answer_json(send: Send, status: int, what: dict[str, bool]) -> None:
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
    await answer(send, status, headers, json.dumps(what).encode())
