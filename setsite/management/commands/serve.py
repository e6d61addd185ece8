"""`manage.py serve`: bring the data up to date and serve the site, in one start of Python."""

import os
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from classrooms.demo import fill_demo
from setsite.server import server

HIGHEST_PORT = 65_535


class Command(BaseCommand):
    help = "Migrate, collect static files, fill the demo if it is on, and serve on 127.0.0.1."

    def handle(self, *args: Any, **options: Any) -> None:
        port = _port(os.environ.get("PORT", "8000"))
        settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        self.stdout.write(f"\n  Setsite is on http://127.0.0.1:{port}/ (stop it with Ctrl+C)\n")
        if settings.DEMO:
            self.stdout.write("\n  Sign-ins of the demo:")
            for person in fill_demo():
                self.stdout.write(f"    {person.title}: {person.sign_in}")
            self.stdout.write("")
        server(port=port).run()


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) <= HIGHEST_PORT:
        raise CommandError(f"PORT is {text!r}; it is a number from 1 to {HIGHEST_PORT}")
    return int(text)
