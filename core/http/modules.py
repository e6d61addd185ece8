"""JavaScript modules: which files a module needs, so that a page can load them all at once."""

from __future__ import annotations

import posixpath
import re
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders

_IMPORT = re.compile(r"""^import\b[^"';]*["'](\.[^"']+)["'];""", re.MULTILINE)


def module_files(name: str) -> tuple[str, ...]:
    """The static files of a module: those it imports, directly or not, before itself."""
    return _find_files(name) if settings.DEBUG else _remembered(name)


def _find_files(name: str) -> tuple[str, ...]:
    files: dict[str, None] = {}
    _add(name, files, ())
    return tuple(files)


_remembered = cache(_find_files)


def _add(name: str, files: dict[str, None], importers: tuple[str, ...]) -> None:
    """Add a module after its imports; modules that import each other are each added once."""
    if name in files or name in importers:
        return
    for imported in _IMPORT.findall(_read(name)):
        _add(posixpath.normpath(posixpath.join(posixpath.dirname(name), imported)), files, (*importers, name))
    files[name] = None


def _read(name: str) -> str:
    path = finders.find(name)
    if path is None:
        raise FileNotFoundError(f"there is no static file {name}")
    return Path(path).read_text()
