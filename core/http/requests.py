"""The request type with our middleware's attributes, and file downloads."""

from django.http import HttpRequest, HttpResponse
from django_htmx.middleware import HtmxDetails


class Request(HttpRequest):
    """A request that knows whether htmx sent it."""

    htmx: HtmxDetails


def download(content: bytes | str, content_type: str, name: str) -> HttpResponse:
    """A response that downloads a file and isn't cached."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return HttpResponse(content, content_type=content_type, headers=headers)
