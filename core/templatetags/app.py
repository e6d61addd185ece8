"""What a page tells the service worker."""

from typing import Any

from django import template

from core.offline import policy as offline

register = template.Library()


@register.simple_tag(takes_context=True)
def whose(context: dict[str, Any]) -> str:
    """For whom this page is; nobody knows on a page of an error that came before the visitor was known."""
    request = context.get("request")
    return offline.whose(request) if request is not None and hasattr(request, "user") else ""
