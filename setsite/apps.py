"""The hall as an app: it has the words ready, keeps jobs, and tells other processes what changes in this one."""

from collections.abc import Callable
from functools import partial

from django.apps import AppConfig
from django.conf import settings

from core.handoff import HandOff
from core.i18n.catalogs import compile_stale

publishing = HandOff("publish")
"""Tells the broker what there is to do."""


class SetsiteConfig(AppConfig):
    name = "setsite"

    def ready(self) -> None:
        compile_stale(settings.LOCALE_PATHS)

        from classrooms.live import changes  # noqa: PLC0415 (models are there now)
        from core import mail  # noqa: PLC0415
        from core.jobs import queue  # noqa: PLC0415
        from core.tasks import run_jobs, send_mail  # noqa: PLC0415
        from games import access  # noqa: PLC0415
        from games.live.bus import bus  # noqa: PLC0415
        from games.matches import service as matches  # noqa: PLC0415

        def publish(work: Callable[[], object]) -> None:
            """Without a broker it's done at once; with one nobody waits for it, since what's lost is found again."""
            work() if settings.IS_BROKERLESS else publishing.put(work)

        queue.on_enqueue(lambda _pk: publish(run_jobs.delay))
        mail.on_queue(partial(publish, send_mail.delay))
        if bus.is_shared:
            matches.on_change(lambda written: bus.tell("match", written.match.code, written.match.version))
            changes.on_change(partial(bus.tell, "session"))
            changes.on_seat_closed(partial(bus.tell, "drop"))
            access.on_rights_changed(partial(bus.tell, "rights"))
