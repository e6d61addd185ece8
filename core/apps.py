"""The app's name for Django."""

from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "core"
    # The tables were made under this name.
    label = "setsite"
