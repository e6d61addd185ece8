"""The app's name for Django."""

from django.apps import AppConfig


class LessonsConfig(AppConfig):
    name = "lessons"
