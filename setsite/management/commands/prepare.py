"""`manage.py prepare`: bring the data and the static files up to date, once for all processes."""

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from classrooms.demo import fill_demo
from core.serving import refuse_unfinished_restore


class Command(BaseCommand):
    help = "Migrate, collect static files, and fill the demo if it is on."

    def handle(self, *args: Any, **options: Any) -> None:
        settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
        refuse_unfinished_restore()
        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        if settings.DEMO:
            self.stdout.write("\n  Sign-ins of the demo:")
            for person in fill_demo():
                self.stdout.write(f"    {person.title}: {person.sign_in}")
            self.stdout.write("")
