"""Absolute links for mail, cards and everything else that leaves the browser.

They're built from the site's configured address: the Host header is chosen by the client, and a link in a mail or on a
printed card far outlives the request.
"""

from __future__ import annotations

from django.conf import settings
from django.urls import reverse


def absolute_url(name: str, *args: object) -> str:
    """The absolute URL of a page; arguments are as for `reverse`."""
    return str(settings.SITE_URL) + reverse(name, args=args)
