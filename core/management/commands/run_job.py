"""`manage.py run_job`: one run of one job, started by whoever watches over it."""

from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandParser

from core.jobs.runs import do


class Command(BaseCommand):
    help = "Do one job; the workers call this."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("job", type=UUID)
        parser.add_argument("attempt", type=int)

    def handle(self, *args: Any, job: UUID, attempt: int, **options: Any) -> None:
        do(job, attempt)
