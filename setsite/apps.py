"""The project as a Django app: it compiles translations and wires the other apps together."""

from django.apps import AppConfig
from django.conf import settings

from core.i18n.catalogs import compile_stale


class SetsiteConfig(AppConfig):
    name = "setsite"
    label = "project"

    def ready(self) -> None:
        compile_stale(settings.LOCALE_PATHS)
        from setsite import wiring  # noqa: PLC0415 (models are there now)

        wiring.connect()
