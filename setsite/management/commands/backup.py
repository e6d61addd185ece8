"""`manage.py backup FILE`: everything that the site keeps, in one file."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from setsite.backups import BackupFailed, back_up


class Command(BaseCommand):
    help = "Write the whole database into a new file, while the site goes on."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        try:
            back_up(file)
        except BackupFailed as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{file} has it all; keep it where the site's data may be kept.")
