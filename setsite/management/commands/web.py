"""`manage.py web`: one of several processes that serve the site, after `prepare` has brought the data up to date."""

import os
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from setsite.management.commands.serve import _port
from setsite.server import server


class Command(BaseCommand):
    help = "Serve the site, on data that `prepare` has brought up to date."
    # No checks: a process started while the database is down should wait for it, as a running one does.
    requires_system_checks: list[str] = []  # noqa: RUF012 (as Django declares it)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (0.0.0.0 in a container)")
        parser.add_argument("--port", default=os.environ.get("PORT", "8000"))

    def handle(self, *args: Any, host: str, port: str, **options: Any) -> None:
        server(host=host, port=_port(port)).run()
