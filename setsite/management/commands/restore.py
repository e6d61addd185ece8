"""`manage.py restore FILE`: replace the database with a backup."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from setsite.backups import BackupFailed, restore


class Command(BaseCommand):
    help = "Replace the whole database by a backup; stop the site before."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--key", type=Path, help="the file with the private key, for a sealed backup")
        parser.add_argument("--no-input", action="store_false", dest="asks", help="do not ask whether it is meant")

    def handle(self, *args: Any, file: Path, key: Path | None, asks: bool, **options: Any) -> None:
        if asks and not _is_meant():
            raise CommandError("nothing was changed")
        try:
            settled = restore(file, key=key.read_text(encoding="utf-8") if key else "")
        except (BackupFailed, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Restored. Everybody is signed out; deleted again: {settled.deleted}.")
        if settled.is_ledger_whole:
            self.stdout.write(f"Students with new pictures, whose newest card still works: {settled.new_cards}.")
        else:
            self.stdout.write(
                f"There is no ledger that goes back to this backup, so every student has new pictures and needs a new"
                f" card: {settled.new_cards}. Whoever was deleted since the last backup is back: delete them again."
            )


def _is_meant() -> bool:
    try:
        return input("Everything that came after this backup will be gone. Type yes: ") == "yes"
    except EOFError:
        return False
