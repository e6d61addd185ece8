"""A check for the whole suite: heavy work in a request of the fast lane fails the test that made the request."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any
from unittest.mock import patch

import xlsxwriter
from django.core.handlers.base import BaseHandler
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from classrooms.classes.rosters import files, proposals
from core.lanes.choice import LaneChoice
from core.lanes.marks import FAST
from core.passwords import Argon2Hasher

_here = threading.local()
HEAVY_WORK: list[tuple[Any, str, str]] = [
    (Argon2Hasher, "encode", "a password is hashed"),
    (Argon2Hasher, "verify", "a password is hashed"),
    (files, "read_names", "a list is read"),
    (proposals, "read_uploads", "a file is read"),
    (proposals, "write_all", "a whole list is written"),
    (Canvas, "save", "a PDF is written"),
    (xlsxwriter.Workbook, "close", "a spreadsheet is written"),
    (Image.Image, "save", "a picture is drawn"),
]


class InFastLane(AssertionError):
    """Heavy work in the lane for pages and game moves: mark the view with `core.lanes.marks.slow`."""


@contextmanager
def lanes_are_watched() -> Iterator[None]:
    """While active, requests know their lane and heavy work checks it."""
    choose = LaneChoice()
    # Build it before any test changes its inputs.
    choose("POST", "/")
    answer = BaseHandler.get_response

    def get_response(handler: BaseHandler, request: Any) -> Any:
        before = getattr(_here, "lane", None)
        _here.lane = choose(request.method, request.path_info)
        try:
            return answer(handler, request)
        finally:
            _here.lane = before

    with ExitStack() as patches:
        patches.enter_context(patch.object(BaseHandler, "get_response", get_response))
        for owner, name, what in HEAVY_WORK:
            patches.enter_context(patch.object(owner, name, _watched(getattr(owner, name), what)))
        yield


def _watched(work: Callable[..., Any], what: str) -> Callable[..., Any]:
    @wraps(work)
    def watched(*arguments: Any, **more: Any) -> Any:
        if getattr(_here, "lane", None) == FAST:
            raise InFastLane(f"{what} in the fast lane")
        return work(*arguments, **more)

    return watched
