"""The hall as an app: it keeps jobs, and hands them to workers."""

from uuid import UUID

from django.apps import AppConfig


class SetsiteConfig(AppConfig):
    name = "setsite"

    def ready(self) -> None:
        from setsite.jobs import desk  # noqa: PLC0415 (models are there now)
        from setsite.tasks import run_job  # noqa: PLC0415

        def start(pk: UUID) -> None:
            run_job.delay(str(pk))

        desk.on_ask(start)
