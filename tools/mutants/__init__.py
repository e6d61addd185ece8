"""The list of guards: what to remove from which file, and which test must then fail."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
_LISTS = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """A piece of code that protects somebody, and the test that proves it."""

    area: str
    name: str
    file: str
    find: str
    """The text to remove; it occurs exactly once in the file."""
    replace: str
    test: str
    engines: bool = False
    """Whether the test needs PostgreSQL and Redis to notice the removal."""

    def without_guard(self, source: str) -> str:
        """The source with this guard removed."""
        if source.count(self.find) != 1:
            raise ValueError(f"{self.name}: its `find` text occurs {source.count(self.find)} times in {self.file}")
        return source.replace(self.find, self.replace)


def guards() -> list[Guard]:
    return [
        Guard(area=path.stem, **entry)
        for path in sorted(_LISTS.glob("*.toml"))
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["guard"]
    ]
