"""`manage.py backup FILE`, or `manage.py backup --folder FOLDER`, which also deletes older backups."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from setsite.backups import BackupFailed, back_up, back_up_into


class Command(BaseCommand):
    help = "Write the whole database into a new file, while the site goes on."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, nargs="?")
        parser.add_argument("--folder", type=Path, help="name the file by the moment, and remove older ones")
        parser.add_argument("--daily", type=int, default=7, help="with --folder: for how many days to keep one (7)")
        parser.add_argument("--weekly", type=int, default=4, help="with --folder: for how many weeks to keep one (4)")

    def handle(
        self, *args: Any, file: Path | None, folder: Path | None, daily: int, weekly: int, **options: Any
    ) -> None:
        if (file is None) is (folder is None):
            raise CommandError("name a file, or a folder with --folder")
        if daily < 0 or weekly < 0:
            raise CommandError("--daily and --weekly are numbers from 0")
        try:
            if folder:
                file = back_up_into(folder, daily=daily, weekly=weekly, now=timezone.now())
            elif file:
                back_up(file)
        except BackupFailed as error:
            raise CommandError(str(error)) from error
        if settings.BACKUP_KEY:
            self.stdout.write(f"{file} is sealed; only the private key opens it.")
        else:
            self.stdout.write(f"{file} isn't encrypted: keep it where the site's data may be kept.")
