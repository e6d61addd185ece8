"""What the database has kept of a load, asked by codes on stdin: whether logs replay, how many answers there are.

`python -m tools.load.check` runs with the environment of the site.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any

# Sets up Django; a log is judged here as the tests judge it.
kept = import_module("tests.scale.race").kept

from classrooms.models import Answer  # noqa: E402


def main() -> None:
    asked = json.load(sys.stdin)
    found: dict[str, Any] = {"versions": {}, "broken": [], "answers": {}}
    for code in asked["matches"]:
        log = kept(code)
        found["versions"][code] = log["version"]
        if log["has_gaps"] or not log["replays"] or log["backwards"]:
            found["broken"].append(code)
    for code in asked["sessions"]:
        found["answers"][code] = Answer.objects.filter(activity__session__code=code).count()
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
