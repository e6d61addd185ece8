"""The Celery app of test workers: `celery -A tests.worker worker` runs a task only while a test wants it."""

from setsite.celery import app
from tests.background import watch_tasks

watch_tasks(app)
