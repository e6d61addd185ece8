"""The site's Celery app on a short schedule: letters, mail and purges come due each second."""

from setsite.celery import app

DUE = ("weekly-letters", "friday-summaries", "keep-privacy", "send-mail")

app.conf.beat_schedule = {
    name: {**entry, "schedule": 1.0, "options": {}} for name, entry in app.conf.beat_schedule.items() if name in DUE
}
