"""Metrics of this process for Prometheus, which scrapes each process separately."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import timedelta

from django.db import DatabaseError, close_old_connections
from django.db.models import Count
from django.utils import timezone
from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from classrooms.live.topic import hub as lessons
from classrooms.models import Session
from core.http.connections import idle
from core.lanes import pools as lanes
from core.live.bus import bus
from core.logs import log_request
from core.models import Job, JobState
from core.streams import limits
from games.live.topic import hub as tables
from games.models import Match
from games.rules.state import Phase

log = logging.getLogger(__name__)

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
RECENT = timedelta(minutes=10)
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

registry = CollectorRegistry()
_requests = Histogram(
    "setsite_request_seconds",
    "From the arrival of a request to its answer, the wait for a thread included.",
    ["route", "method", "status"],
    buckets=_BUCKETS,
    registry=registry,
)


def answered(*, method: str, route: str, status: int, seconds: float) -> None:
    """Count an answered request and log it."""
    # A client may send any method, so unknown ones mustn't become labels.
    known = method if method in {"GET", "HEAD", "POST", "OPTIONS"} else "other"
    _requests.labels(route, known, f"{status // 100}xx").observe(seconds)
    log_request(method=known, route=route, status=status, seconds=seconds)


class _ScrapeTimeCollector(Collector):
    """Metrics collected at scrape time."""

    def collect(self) -> Iterator[Metric]:
        streams = GaugeMetricFamily("setsite_streams", "Open streams of this process.", labels=["of"])
        pushes = CounterMetricFamily("setsite_pushes", "Changes given to streams of this process.", labels=["of"])
        for hub in (tables, lessons):
            streams.add_metric([hub.type.name], hub.watching)
            pushes.add_metric([hub.type.name], hub.pushes)
        yield from (streams, pushes)
        yield from _lane_metrics()
        yield CounterMetricFamily("setsite_streams_refused", "Streams refused.", value=limits.refused)
        yield GaugeMetricFamily("setsite_connections_idle", "Connections without a request.", value=idle.count)
        yield CounterMetricFamily("setsite_connections_closed", "Idle ones closed to make room.", value=idle.closed)
        yield GaugeMetricFamily("setsite_bus_up", "Whether the other processes are heard.", value=int(bus.is_up))
        try:
            yield from list(_database_metrics())
        except DatabaseError:
            log.exception("metrics.database_not_counted")


def _lane_metrics() -> Iterator[Metric]:
    waiting = GaugeMetricFamily("setsite_lane_waiting", "Requests that wait for a thread, by lane.", labels=["lane"])
    running = GaugeMetricFamily("setsite_lane_running", "Requests that have a thread, by lane.", labels=["lane"])
    refused = CounterMetricFamily("setsite_lane_refused", "Requests answered with busy, by lane.", labels=["lane"])
    for lane in lanes.in_use:
        waiting.add_metric([lane.name], lane.waiting)
        running.add_metric([lane.name], lane.running)
        refused.add_metric([lane.name], lane.refused)
    yield from (waiting, running, refused)


def _database_metrics() -> Iterator[Metric]:
    """Metrics from the database, which are the same for every process."""
    close_old_connections()
    lately = Match.objects.filter(touched_at__gt=timezone.now() - RECENT).exclude(phase=Phase.OVER)
    yield GaugeMetricFamily("setsite_matches_open", "Matches not over, touched lately.", value=lately.count())
    lessons = Session.objects.filter(ended_at=None, opened_at__gt=timezone.now() - timedelta(days=1))
    yield GaugeMetricFamily("setsite_sessions_open", "Sessions of the last day not over.", value=lessons.count())
    jobs = GaugeMetricFamily("setsite_jobs", "Jobs that are kept, by state.", labels=["state"])
    counts = dict(Job.objects.order_by().values_list("state").annotate(Count("pk")))
    for state in JobState.values:
        jobs.add_metric([state], counts.get(state, 0))
    yield jobs


registry.register(_ScrapeTimeCollector())


def page() -> bytes:
    return generate_latest(registry)
