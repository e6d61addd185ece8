"""Log lines have a stable event name and fields."""

from __future__ import annotations

import ast
import json
import logging
import re
from pathlib import Path

from core.logs import JsonLines, TextLines

ROOT = Path(__file__).resolve().parents[2]
APPS = ["core", "games", "lessons", "classrooms", "setsite"]
EVENT = re.compile(r"^[a-z_]+\.[a-z_]+$")


def record(**fields: object) -> logging.LogRecord:
    return logging.makeLogRecord({"name": "core.cache", "levelname": "WARNING", "msg": "cache.away", **fields})


def test_machines_read_an_event_and_its_fields():
    line = json.loads(JsonLines().format(record(error="ConnectionError", seconds=3)))
    del line["timestamp"]
    assert line == {
        "level": "warning",
        "logger": "core.cache",
        "event": "cache.away",
        "error": "ConnectionError",
        "seconds": 3,
    }


def test_a_sentence_of_a_library_is_a_field():
    line = json.loads(JsonLines().format(record(name="celery.worker", msg="Lost %s", args=("the broker",))))
    assert (line["event"], line["message"]) == ("library.message", "Lost the broker")


def test_people_read_the_same_in_one_line():
    assert TextLines("%(levelname)s %(message)s").format(record(error="ConnectionError")) == (
        "WARNING cache.away error=ConnectionError"
    )


def test_everything_that_is_logged_has_a_name_to_search_for():
    calls = 0
    for file in (path for app in APPS for path in (ROOT / app).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_log(node.func):
                event = node.args[0]
                assert isinstance(event, ast.Constant), f"{file}:{node.lineno}"
                assert EVENT.match(str(event.value)), f"{file}:{node.lineno}: {event.value}"
                assert len(node.args) == 1, f"{file}:{node.lineno}: fields are given as extra"
                calls += 1
    assert calls > 20


def _is_log(function: ast.Attribute) -> bool:
    levels = {"debug", "info", "warning", "error", "exception", "critical"}
    return isinstance(function.value, ast.Name) and function.value.id == "log" and function.attr in levels
