"""The hall as an app: it has the words ready, keeps jobs, and tells other processes what changes in this one."""

from functools import partial
from uuid import UUID

from django.apps import AppConfig
from django.conf import settings

from setsite.catalogs import compile_stale


class SetsiteConfig(AppConfig):
    name = "setsite"

    def ready(self) -> None:
        compile_stale(settings.LOCALE_PATHS)

        from classrooms.sessions import changes  # noqa: PLC0415 (models are there now)
        from games import matches  # noqa: PLC0415
        from games.live.bus import bus  # noqa: PLC0415
        from setsite.jobs import desk  # noqa: PLC0415
        from setsite.tasks import run_job  # noqa: PLC0415

        def start(pk: UUID) -> None:
            run_job.delay(str(pk))

        desk.on_ask(start)
        if bus.is_shared:
            matches.on_change(lambda written: bus.tell("match", written.match.code, written.match.version))
            changes.on_change(partial(bus.tell, "session"))
