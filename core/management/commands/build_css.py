"""Write static/css/components.css."""

from typing import Any

from django.core.management.base import BaseCommand

from core.stylesheets import FOLDER, components_css


class Command(BaseCommand):
    help = "Join the components' stylesheets into static/css/components.css."

    def handle(self, *args: Any, **options: Any) -> None:
        target = FOLDER / "components.css"
        target.write_text(components_css(), encoding="utf-8")
        self.stdout.write(f"written to {target}")
