"""Log formatters for a public site: one line of JSON for each request and each problem, with no personal data.

A page is named by its route, since a URL may contain the code of a class or a table. Of a database error only the
first line is logged, since the others quote rows.
"""

from __future__ import annotations

import json
import logging
import re
import traceback
from datetime import UTC, datetime
from typing import Any

from django.db import Error as DatabaseError

requests = logging.getLogger("setsite.requests")
_EVENT = re.compile(r"[a-z_]+\.[a-z_]+")


_STANDARD_FIELDS = {*vars(logging.makeLogRecord({})), "message", "asctime", "taskName", "request", "status_code"}


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """The fields passed as `extra`."""
    return {name: value for name, value in vars(record).items() if name not in _STANDARD_FIELDS}


class JsonLines(logging.Formatter):
    """For machines: a stable event name and its fields."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "timestamp": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        if request := getattr(record, "request", None):
            # Django's own messages end with the URL.
            line |= {"event": "request.failed", "route": route_of(request), "status": getattr(record, "status_code", 0)}
        elif _EVENT.fullmatch(str(record.msg)):
            line |= {"event": record.msg, **fields_of(record)}
        else:
            # A library's own sentence.
            line |= {"event": "library.message", "message": record.getMessage(), **fields_of(record)}
        if record.exc_info and record.exc_info[1]:
            line["trace"] = _trace(record.exc_info[1])
        return json.dumps(line, ensure_ascii=False, default=str)


class TextLines(logging.Formatter):
    """For people: the same as a line of text."""

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        if fields := " ".join(f"{name}={value}" for name, value in fields_of(record).items()):
            first, newline, trace = text.partition("\n")
            text = f"{first} {fields}{newline}{trace}"
        return text


def log_request(*, method: str, route: str, status: int, seconds: float) -> None:
    fields = {"method": method, "route": route, "status": status, "ms": round(1000 * seconds, 1)}
    requests.info("request.answered", extra=fields)


def route_of(request: Any) -> str:
    """The name of the view, which doesn't reveal whose page it is."""
    match = getattr(request, "resolver_match", None)
    return match.view_name if match and match.view_name else "unknown"


def _trace(error: BaseException) -> str:
    whole = traceback.TracebackException.from_exception(error)
    seen: list[traceback.TracebackException] = [whole]
    for each in seen:
        if (isinstance(each.exc_type, type) and issubclass(each.exc_type, DatabaseError)) or "psycopg" in _module(each):
            each._str = each._str.partition("\n")[0]  # type: ignore[attr-defined]
        seen += [cause for cause in (each.__cause__, each.__context__) if cause]
    return "".join(whole.format())


def _module(trace: traceback.TracebackException) -> str:
    return getattr(trace.exc_type, "__module__", "") or ""
