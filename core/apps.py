"""Django app configuration."""

from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "core"
    # The tables were created under this label.
    label = "setsite"
