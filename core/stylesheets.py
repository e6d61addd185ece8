"""The components' stylesheets joined into one file, so that a page asks for one file instead of a dozen."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

FOLDER = Path(settings.BASE_DIR) / "static" / "css"
_HEAD = "/* Written by `manage.py build_css` from the files in components/; change it there. */\n"


def components_css() -> str:
    """The text of static/css/components.css."""
    parts = sorted((FOLDER / "components").glob("*.css"))
    return "\n".join([_HEAD, *(part.read_text(encoding="utf-8") for part in parts)])
