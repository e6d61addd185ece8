"""Compile translation catalogs: `locale/<language>/` holds the .po files that translators edit."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

import polib


def compile_stale(folders: Iterable[str | Path]) -> list[Path]:
    """Compile each .po file whose .mo file is missing or older. Returns the compiled files."""
    made = []
    for folder in folders:
        for source in sorted(Path(folder).glob("*/LC_MESSAGES/*.po")):
            target = source.with_suffix(".mo")
            if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
                _compile(source, target)
                made.append(target)
    return made


def _compile(source: Path, target: Path) -> None:
    # Several processes may start at once, so each moves a complete file into place.
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".", suffix=".mo", delete=False) as part:
        part.write(polib.pofile(str(source)).to_binary())
    made = Path(part.name)
    made.chmod(0o644)
    made.replace(target)
