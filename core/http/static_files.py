"""How static files are stored in production."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage


class ModuleStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """File names contain a content hash, also where one of our JavaScript modules imports another.

    Django's own patterns for that read other people's scripts too, and take words in their comments for imports.
    """

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        (
            "js/*.js",
            (
                (r"""(?P<matched>\bfrom "(?P<url>\.[^"]+)";)""", 'from "%(url)s";'),
                (r"""(?m)^(?P<matched>import "(?P<url>\.[^"]+)";)""", 'import "%(url)s";'),
            ),
        ),
    )
