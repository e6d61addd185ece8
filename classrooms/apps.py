"""The app's name for Django."""

from django.apps import AppConfig


class ClassroomsConfig(AppConfig):
    name = "classrooms"

    def ready(self) -> None:
        from classrooms.sessions.playing import may_watch  # noqa: PLC0415 (models are there only now)
        from games.access import allow_watching  # noqa: PLC0415

        allow_watching(may_watch)
