"""The app's name for Django."""

from django.apps import AppConfig


class LessonsConfig(AppConfig):
    name = "lessons"

    def ready(self) -> None:
        import lessons.signals  # noqa: F401, PLC0415 (they are heard once the models are there)
