"""The app's name for Django."""

from django.apps import AppConfig


class GamesConfig(AppConfig):
    name = "games"
