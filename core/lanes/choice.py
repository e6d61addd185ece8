"""Choose a request's lane by method and path, before it gets a thread.

The URLconf decides: views are marked with `core.lanes.marks.slow`, and allauth's views follow the rule below. A fast
page costs one regular expression; only what looks slow is resolved.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from django.urls import Resolver404, URLPattern, URLResolver, get_resolver

from core.lanes.marks import ANY, FAST, SIGN_IN, lane_of, slow_methods

_GROUP_NAME = re.compile(r"\(\?P<\w+>")
_ENDS = ("\\Z", "$")
_HASHES_NOTHING = frozenset({"account_logout"})
"""Signing out must work on a busy site too: the next child is waiting for the tablet."""


def slow_lane_of(view: Callable[..., Any], name: str | None) -> tuple[str, frozenset[str]]:
    """A view's slow lane, and the methods that take it.

    A POST to allauth hashes a password, or could after its next release. Its social sign-in calls another server, even
    in the callback, which is a GET.
    """
    module = getattr(view, "view_class", view).__module__
    if module.startswith("allauth.socialaccount"):
        return SIGN_IN, frozenset({ANY})
    if module.startswith("allauth.") and name not in _HASHES_NOTHING:
        return SIGN_IN, frozenset({"POST"})
    return lane_of(view), slow_methods(view)


class LaneChoice:
    """Callable that picks the lane for a method and path, from a URLconf's slow views."""

    def __init__(self, urlconf: str | None = None) -> None:
        self._urlconf = urlconf

    def __call__(self, method: str, path: str) -> str:
        looks_slow = self._patterns.get(method, self._of_any_method)
        if not looks_slow.match(path):
            return FAST
        try:
            found = self._resolver.resolve(path)
        except Resolver404:
            return FAST
        lane, methods = slow_lane_of(found.func, found.url_name)
        return lane if method in methods or ANY in methods else FAST

    @cached_property
    def _resolver(self) -> URLResolver:
        return get_resolver(self._urlconf)

    @cached_property
    def _slow(self) -> list[tuple[str, frozenset[str]]]:
        """Each slow view's regular expression for the whole path, and its methods."""
        found = ((regex, slow_lane_of(each.callback, each.name)[1]) for regex, each in _walk(self._resolver))
        return [(regex, methods) for regex, methods in found if methods]

    @cached_property
    def _of_any_method(self) -> re.Pattern[str]:
        return _either(regex for regex, methods in self._slow if ANY in methods)

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        named = {method for _regex, methods in self._slow for method in methods if method != ANY}
        return {method: _either(regex for regex, own in self._slow if own & {method, ANY}) for method in named}


def _walk(resolver: URLResolver, before: str = "") -> Iterator[tuple[str, URLPattern]]:
    here = before + _inner_regex(resolver.pattern)
    for each in resolver.url_patterns:
        if isinstance(each, URLResolver):
            yield from _walk(each, here)
        else:
            yield here + _inner_regex(each.pattern), each


def _inner_regex(pattern: Any) -> str:
    """A pattern's regex without its anchors, and without group names, which may occur only once in a joined regex."""
    text: str = _GROUP_NAME.sub("(?:", pattern.regex.pattern).removeprefix("^")
    for end in _ENDS:
        text = text.removesuffix(end)
    return text


def _either(regexes: Iterator[str]) -> re.Pattern[str]:
    """A regex for full matches of any of these; one that never matches if there are none."""
    # Not `\Z`: Django patterns that end with `$` also match before a final newline.
    return re.compile("|".join(f"(?:{each})$" for each in regexes) or r"(?!)")
