"""Absolute links for mails, cards and everything else that leaves the browser.

They're built from the configured address of the site. The Host header of a request is the client's word, and a link in
a mail or on a printed card outlives the request by far.
"""

from __future__ import annotations

from django.conf import settings
from django.urls import reverse


def absolute_url(name: str, *args: object) -> str:
    """The full address of a page, as `reverse` finds it."""
    return str(settings.SITE_URL) + reverse(name, args=args)
