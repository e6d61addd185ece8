"""`manage.py backup_key FILE`: make a key pair, so that the site can write backups but not read them."""

import os
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.sealed_files import new_keys


class Command(BaseCommand):
    help = "Make a key pair for backups: the private key goes into FILE, the public one is printed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        private, public = new_keys()
        try:
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise CommandError(f"{file} can't be written, or is there already") from error
        with os.fdopen(handle, "w") as content:
            content.write(private + "\n")
        self.stdout.write(f"SETSITE_BACKUP_KEY={public}")
        self.stderr.write(f"Move {file} away from this machine: without it no sealed backup can be read, ever.")
