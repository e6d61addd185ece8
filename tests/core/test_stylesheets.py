"""The components' stylesheet is what its parts say, and no class belongs to two components."""

from __future__ import annotations

import re
from collections import defaultdict

from core.stylesheets import FOLDER, components_css

PARTS = sorted((FOLDER / "components").glob("*.css"))


def test_the_components_are_built():
    written = (FOLDER / "components.css").read_text(encoding="utf-8")
    assert written == components_css(), "run make css"
    assert len(PARTS) > 10


def test_a_component_has_its_classes_to_itself():
    """The last class of a selector is what it styles; words like `is-broken` and `on-felt` say in what state."""
    homes = defaultdict(set)
    for part in PARTS:
        text = re.sub(r"/\*.*?\*/", "", part.read_text(encoding="utf-8"), flags=re.DOTALL)
        for selectors in re.findall(r"([^{}]+)\{", text):
            for selector in re.split(r",(?![^()]*\))", selectors):
                owner = re.findall(r"\.([a-z][\w-]*)", selector.split()[0]) if selector.split() else []
                if owner and not re.match(r"(is|on|has)-", owner[0]):
                    homes[owner[0]].add(part.name)
    shared = {name: sorted(files) for name, files in homes.items() if len(files) > 1}
    assert not shared
