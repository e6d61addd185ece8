"""A town of hostile visitors, and the site configured as in production."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from tests.safety.town import Town, town_of
from tests.test_permissions import make_world

_FILES = ["django.template.loaders.filesystem.Loader", "django.template.loaders.app_directories.Loader"]


@pytest.fixture
def unread_town(db, settings) -> Iterator[Town]:
    """A town whose forms haven't been read yet."""
    templates = settings.TEMPLATES[0]
    loaders = [("template_partials.loader.Loader", [("django.template.loaders.cached.Loader", _FILES)])]
    settings.TEMPLATES = [{**templates, "OPTIONS": {**templates["OPTIONS"], "loaders": loaders}}]
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.DEBUG_PROPAGATE_EXCEPTIONS = True
    settings.EMAIL_FILE_PATH = "/nowhere"
    logging.disable()
    with town_of(make_world()) as town:
        yield town
    logging.disable(logging.NOTSET)


@pytest.fixture
def town(unread_town) -> Town:
    unread_town.learn_forms()
    return unread_town
