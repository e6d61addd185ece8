"""`manage.py renew_encryption`: after a change of the secret key, reencrypt what older keys have encrypted."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from classrooms.privacy.renewing import renew_encryption


class Command(BaseCommand):
    help = "Encrypt pictures and second factors again with the present key, so that older keys can be thrown away."

    def handle(self, *args: Any, **options: Any) -> None:
        renewed, unreadable = renew_encryption()
        self.stdout.write(f"Encrypted again with the present key: {renewed}.")
        if unreadable:
            raise CommandError(
                f"{unreadable} can't be read with any key of ours. Put the key that made them into"
                " SETSITE_SECRET_KEY_FALLBACKS, or give these people new pictures or second factors."
            )
