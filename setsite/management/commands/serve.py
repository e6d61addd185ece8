"""`manage.py serve`: bring the data up to date and serve the site, in one Python process."""

import os
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from core.numbers import whole_number
from setsite.server import server

HIGHEST_PORT = 65_535


class Command(BaseCommand):
    help = "Migrate, collect static files, fill the demo if it is on, and serve on 127.0.0.1."

    def handle(self, *args: Any, **options: Any) -> None:
        port = _port(os.environ.get("PORT", "8000"))
        call_command("prepare", stdout=self.stdout)
        self.stdout.write(f"\n  Setsite is on http://127.0.0.1:{port}/ (stop it with Ctrl+C)\n")
        server(port=port).run()


def _port(text: str) -> int:
    port = whole_number(text, most=HIGHEST_PORT)
    if not port:
        raise CommandError(f"PORT is {text!r}; it is a number from 1 to {HIGHEST_PORT}")
    return port
