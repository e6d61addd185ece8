"""The app's name for Django."""

from django.apps import AppConfig


class ClassroomsConfig(AppConfig):
    name = "classrooms"
