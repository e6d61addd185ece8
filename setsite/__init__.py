"""The hall of the site: settings, addresses and the way in."""

from setsite.celery import app as celery_app

__all__ = ["celery_app"]
