"""`make audit`: run the Nu HTML checker and Lighthouse on the pages of the browser tests; see docs/audit.md."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from tests.browser.page_visits import PAGES
from tests.browser.visits import Ready, Visit, ready
from tests.browser.world import World, a_world
from tests.conftest import CHROMIUM_FLAGS

TOOLS = settings.VAR_DIR / "audit"
REPORT = settings.BASE_DIR / "docs" / "audit.md"
VISITS = [visit for visits in PAGES.values() for visit in visits]
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
# Categories that must score 95 or more; the others are informational.
KEY_PAGES = ("front", "learn:step, cards/color-green", "play:table, playing", "teach:class")
WANTED = 95
# htmx attributes, which the checker doesn't know, are counted separately.
_OF_HTMX = re.compile(r"Attribute “(hx|sse)-[a-z-]+” not allowed")


def title(visit: Visit) -> str:
    return f"{visit.name}{visit.state and ', ' + visit.state}"


def is_read(visit: Visit) -> bool:
    """Whether Lighthouse can check it: it sends no forms and needs a successful page."""
    return visit.sends is None and visit.status == 200


def test_the_pages_are_audited(site, tmp_path):
    with a_world(mail=tmp_path) as world:
        html = checked_html(world)
        lines = [line for visit in chosen() for line in [audited(visit, world, site)]]
    write_report(html, lines)
    keys = [line for line in lines if line["page"] in KEY_PAGES]
    assert len(keys) == len(KEY_PAGES)
    low = [line for line in keys if line["shift"] or min(line[each] for each in CATEGORIES) < WANTED]
    assert not low
    assert not html["errors"]


# The Nu HTML checker


def checked_html(world: World) -> dict[str, Any]:
    """The checker's messages about all pages in all languages, each message once."""
    folder = TOOLS / "html"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    count = 0
    for language, _name in settings.LANGUAGES:
        for visit in VISITS:
            with ready(visit, world, language) as visitor:
                (folder / f"{language}-{visit.slug}-{count}.html").write_text(visitor.answer().text)
            count += 1
    jar = TOOLS / "node_modules/vnu-jar/build/dist/vnu.jar"
    command = ["java", "-jar", jar, "--format", "json", "--stdout", "--exit-zero-always", folder]
    said = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["messages"]
    found: dict[str, Counter[str]] = {"errors": Counter(), "warnings": Counter(), "htmx": Counter()}
    for each in said:
        kind = "errors" if each["type"] != "info" else "warnings" if each.get("subType") == "warning" else None
        if _OF_HTMX.match(each["message"]):
            kind = "htmx"
        if kind:
            page = Path(each["url"]).stem.partition("-")[2].rpartition("-")[0]
            found[kind][f"{each['message']} ({page.removeprefix('us-').removeprefix('gb-')})"] += 1
    return {"pages": count, **found}


# Lighthouse


def chosen() -> list[Visit]:
    """The key pages and the first of every group, or with AUDIT=all every page that can be opened."""
    if os.environ.get("AUDIT") == "all":
        return [visit for visit in VISITS if is_read(visit)]
    firsts = [next((visit for visit in visits if is_read(visit)), None) for visits in PAGES.values()]
    return [visit for visit in VISITS if title(visit) in KEY_PAGES or visit in firsts]


def audited(visit: Visit, world: World, site: str) -> dict[str, Any]:
    with ready(visit, world, "en-us") as visitor:
        found = lighthouse(visitor, site)
    line: dict[str, Any] = {"page": title(visit), "who": visit.who.value}
    for each in CATEGORIES:
        line[each] = round(100 * (found["categories"][each]["score"] or 0))
    line["shift"] = round(found["audits"]["cumulative-layout-shift"]["numericValue"], 3)
    return line


def lighthouse(visitor: Ready, site: str) -> dict[str, Any]:
    cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in visitor.client.cookies.items())
    headers = TOOLS / "headers.json"
    headers.write_text(json.dumps({"Cookie": cookies}))
    flags = " ".join(["--headless=new", *CHROMIUM_FLAGS])
    command = [
        *("node", TOOLS / "node_modules/lighthouse/cli/index.js", site + visitor.path),
        *("--quiet", "--output=json", f"--extra-headers={headers}", f"--chrome-flags={flags}"),
    ]
    environment = {**os.environ, "CHROME_PATH": shutil.which("chromium") or "chromium"}
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)


def write_report(html: dict[str, Any], lines: list[dict[str, Any]]) -> None:
    counts = f"{html['errors'].total()} errors, {html['warnings'].total()} warnings"
    apart = f"attributes of htmx, which it does not know, are counted apart: {html['htmx'].total()}"
    checked = f"The Nu HTML checker read {html['pages']} pages, every visit in every language: {counts} ({apart})."
    rows = [
        "# What the audit says",
        "",
        f"Made by `make audit` on {timezone.now():%Y-%m-%d}, over the visits of the browser tests.",
        "",
        "## HTML",
        "",
        checked,
        "",
        *(
            f"- {kind}: {words}, {count} times"
            for kind in ("errors", "warnings")
            for words, count in html[kind].items()
        ),
        "",
        "## Lighthouse",
        "",
        f"At mobile settings; front page, lesson step, match and class page must have {WANTED} or more and no shift.",
        "",
        "| page | who | performance | accessibility | best practices | SEO | layout shift |",
        "|---|---|---|---|---|---|---|",
        *(f"| {' | '.join(str(value) for value in line.values())} |" for line in lines),
    ]
    REPORT.write_text("\n".join(rows) + "\n")
