"""Check what the database holds after a load test: whether logs replay, and how many answers there are.

`python -m tools.load.check` reads the codes from stdin as JSON and needs the site's environment variables.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any

# This import sets up Django. It checks a log the way the tests do.
stored_log = import_module("tests.scale.race").stored_log

from classrooms.models import Answer  # noqa: E402


def main() -> None:
    asked = json.load(sys.stdin)
    found: dict[str, Any] = {"versions": {}, "broken": [], "answers": {}}
    for code in asked["matches"]:
        log = stored_log(code)
        found["versions"][code] = log["version"]
        if log["has_gaps"] or not log["replays"] or log["backwards"]:
            found["broken"].append(code)
    for code in asked["sessions"]:
        found["answers"][code] = Answer.objects.filter(activity__session__code=code).count()
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
