"""The Django project: settings, URLs and the ASGI entry point."""

from setsite.celery import app as celery_app

__all__ = ["celery_app"]
