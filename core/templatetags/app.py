"""Template tag for what a page tells the service worker."""

from typing import Any

from django import template

from core.offline import policy as offline

register = template.Library()


@register.simple_tag(takes_context=True)
def whose(context: dict[str, Any]) -> str:
    """The visitor's offline id; empty on an error page rendered before the visitor was known."""
    request = context.get("request")
    return offline.whose(request) if request is not None and hasattr(request, "user") else ""
