"""`manage.py restore FILE`: what a backup holds, in place of what there is."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from setsite.backups import BackupFailed, restore


class Command(BaseCommand):
    help = "Replace the whole database by a backup; stop the site before."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--no-input", action="store_false", dest="asks", help="do not ask whether it is meant")

    def handle(self, *args: Any, file: Path, asks: bool, **options: Any) -> None:
        if asks and not _is_meant():
            raise CommandError("nothing was changed")
        try:
            restore(file)
        except BackupFailed as error:
            raise CommandError(str(error)) from error
        self.stdout.write("Restored. Run `manage.py prepare` if the site is newer than the backup.")


def _is_meant() -> bool:
    try:
        return input("Everything that came after this backup will be gone. Type yes: ") == "yes"
    except EOFError:
        return False
