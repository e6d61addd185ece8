"""Celery, for the set-up with workers; without a broker the web process does the same work by itself."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "setsite.settings")

app = Celery("setsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.set_default()
app.autodiscover_tasks()
