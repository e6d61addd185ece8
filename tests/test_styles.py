"""The stylesheets: sizes, spaces and corners come from the tokens, and each class has one home and a use."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
STYLES = ROOT / "static" / "css"
PROGRAMS = ("core", "games", "lessons", "classrooms", "setsite")

SIZE = r"var\(--t[0-6]\)"
SPACE = r"var\(--s[1-8]\)"
CORNER = r"(?:0|inherit|var\(--r(?:[1-3]|-full)\))"
# A fluid size lies between two of the tokens; what's in the middle follows the screen or the container.
FLUID = r"[\d.]+(?:vw|vh|cqw|cqh|cqmin)"
# A space is a token or a calculation with tokens. Boards name theirs, because the size of a card depends on it.
SPACES = rf"(?:0|auto|var\(--(?:gap|pad|triple-gap[^()]*)\)|{SPACE}|calc\([-+*/\d. ]*{SPACE}[-+*/\d. ]*\))"
FONT_SIZE = re.compile(rf"(?:inherit|{SIZE}|var\(--gap-type, {SIZE}\)|clamp\({SIZE}, {FLUID}, {SIZE}\))")
SPACING = re.compile(
    rf"(?:{SPACES}|var\(--triple-gap, {SPACE}\)|clamp\((?:0px|{SPACE}), {FLUID}, {SPACE}\))"
    rf"(?: (?:{SPACES}|clamp\((?:0px|{SPACE}), {FLUID}, {SPACE}\)))*"
)
# The corners of a card follow its drawing, so they're shares of its width and height.
CORNERS = re.compile(rf"{CORNER}(?: {CORNER})*|[\d.]+% / [\d.]+%")
SPACING_PROPERTY = re.compile(r"(?:margin|padding)(?:-\w+)*|(?:row-|column-)?gap|--gap|--pad|--triple-gap")
MODIFIER = re.compile(r"(?:is|has|of)-")
"""A class that says which state or variant of a component this is; it belongs to the component it stands with."""

# What needn't follow a rule, with the reason. The value is part of the declaration.
NOT_FROM_TOKENS = {
    (
        "components/bottom-bar.css",
        "padding: var(--s1) var(--s3) max(var(--s2), env(safe-area-inset-bottom))",
    ): "above the bar that some phones have of their own",
    ("site.css", "margin: -1px"): "hidden text of one pixel in a corner must not make the page wider",
    ("session.css", "font-size: max(1.125rem, min(3.82vh, 2.4vw))"): "the one place where the projector is scaled",
    (
        "session.css",
        "--gap: 1.8cqmin",
    ): "the gaps of a board shrink with its cards, of many tables at a glance too",
    ("table.css", "font-size: 1.75rem"): "the one place where a table on a very large screen is scaled",
}
# Pictures made of HTML, and the page made of them: their measures are those of the drawing.
DRAWN = {"front.css", "components/burst.css", "components/progress.css", "components/strip.css"}
# Class names that are nowhere in one piece, by the place that puts them together.
PUT_TOGETHER = {
    ("games/templatetags/art.py", "is-{mood}"): {"is-nodding"},
    ("templates/components/strip.html", "is-{{ row.pattern }}"): {"is-all-different"},
    ("templates/roster/plan.html", 'class="is-{{ each.what.value }}"'): {"is-added", "is-changed", "is-same"},
    ("templates/style.html", "is-{{ size }}"): {f"is-t{size}" for size in range(7)},
    ("templates/session/builder/projector.html", "is-{{ crowd }}"): {
        "is-2",
        "is-4",
        "is-6",
        "is-8",
        "is-12",
        "is-more",
    },
    ("templates/session/builder/projector.html", "of-{{ buildings.0.goal }}"): {"of-9"},
    ("templates/session/silent_board/device.html", "has-{{ cards|length }}"): {"has-9", "has-15"},
}


@dataclass(frozen=True)
class Rule:
    file: str
    around: str
    """The conditions and layers that it's in."""
    selector: str
    declarations: tuple[str, ...]


def rules_of(file: str, text: str) -> Iterator[Rule]:
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    opened: list[str] = []
    piece = ""
    for letter in text:
        if letter == "{":
            opened.append(" ".join(piece.split()))
            piece = ""
        elif letter == "}":
            selector = opened.pop()
            if not selector.startswith("@"):
                declarations = tuple(" ".join(each.split()) for each in piece.split(";") if each.strip())
                yield Rule(file, " ".join(opened), selector, declarations)
            piece = ""
        elif letter == ";" and not opened:
            piece = ""
        else:
            piece += letter


def all_rules(folder: Path = STYLES) -> list[Rule]:
    """Those of the files that people write: the others say on top that a program wrote them."""
    rules: list[Rule] = []
    for file in sorted(folder.rglob("*.css")):
        text = file.read_text(encoding="utf-8")
        if not re.match(r"/\* (?:Written|Generated) by", text):
            rules += rules_of(file.relative_to(folder).as_posix(), text)
    return rules


def complaints(rules: list[Rule]) -> list[str]:
    """Declarations whose size, space or corner isn't one of the tokens."""
    found = []
    for rule in rules:
        # Paper is measured in points and millimeters.
        if "@media print" in rule.around or rule.file in {"tokens.css", *DRAWN}:
            continue
        for declaration in rule.declarations:
            if (rule.file, declaration) in NOT_FROM_TOKENS:
                continue
            name, _colon, value = (part.strip() for part in declaration.partition(":"))
            if name == "font-size":
                is_fine = FONT_SIZE.fullmatch(value)
            elif SPACING_PROPERTY.fullmatch(name):
                is_fine = SPACING.fullmatch(value)
            elif re.fullmatch(r"border(?:-\w+)*-radius", name):
                is_fine = CORNERS.fullmatch(value)
            else:
                continue
            if not is_fine:
                found.append(f"{rule.file}: {rule.selector} {{ {declaration} }}")
    return found


def split(selector: str, at: str) -> list[str]:
    """Split at these characters, but not inside parentheses and brackets."""
    parts, depth = [""], 0
    for letter in selector:
        depth += (letter in "([") - (letter in ")]")
        if letter in at and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def subjects(selector: str) -> set[str]:
    """The classes of what a selector styles, not of what's around it."""
    found: set[str] = set()
    nested = r"\(((?:[^()]|\([^()]*\))*)\)"
    for each in split(selector, ","):
        last = split(each.strip(), " >+~")[-1]
        last = re.sub(rf":(?:not|has){nested}", "", last)
        for inner in re.findall(rf":(?:is|where){nested}", last):
            found |= subjects(inner)
        found |= set(re.findall(r"\.([a-zA-Z_][\w-]*)", re.sub(rf":(?:is|where){nested}", "", last)))
    return found


def classes_of(rules: list[Rule]) -> dict[str, set[str]]:
    """The files that style each class. A modifier isn't styled by itself."""
    homes = defaultdict(set)
    for rule in rules:
        for name in subjects(rule.selector):
            homes[name].add(rule.file)
    return {name: files for name, files in homes.items() if not MODIFIER.match(name)}


def program_text() -> str:
    files = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "static" / "js").rglob("*.js")]
    for package in PROGRAMS:
        files += (ROOT / package).rglob("*.py")
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def unused(rules: list[Rule], text: str) -> list[str]:
    # The style page has a swatch for each color, named like the color's token.
    written = [re.sub(r"\.swatch\.is-[\w-]+", ".swatch", rule.selector) for rule in rules]
    names = {name for selector in written for name in re.findall(r"\.([a-zA-Z_][\w-]*)", selector)}
    return sorted(names - set(re.findall(r"[\w-]+", text)) - set().union(*PUT_TOGETHER.values()))


@pytest.fixture(scope="module")
def rules() -> list[Rule]:
    return all_rules()


def test_sizes_of_type_spaces_and_corners_are_tokens(rules):
    assert complaints(rules) == []


def test_each_class_is_styled_in_one_file(rules):
    homes = classes_of([rule for rule in rules if rule.file not in DRAWN])
    assert {name: sorted(files) for name, files in homes.items() if len(files) > 1} == {}


def test_each_class_is_used(rules):
    assert unused(rules, program_text()) == []


def test_the_lists_of_exceptions_are_needed(rules):
    written = {(rule.file, each) for rule in rules for each in rule.declarations}
    assert set(NOT_FROM_TOKENS) <= written
    for (file, part), names in PUT_TOGETHER.items():
        assert part in (ROOT / file).read_text(encoding="utf-8"), file
        assert names <= {name for rule in rules for name in re.findall(r"\.([\w-]+)", rule.selector)}


@pytest.mark.parametrize(
    "declaration",
    [
        "font-size: 1.3rem",
        "font-size: 13px",
        "font-size: clamp(1rem, 2vw, var(--t3))",
        "font-size: var(--t7)",
        "padding: 0.5em",
        "margin: 0 auto 5px",
        "margin-inline: calc(2 * var(--step))",
        "gap: 4px 8px",
        "row-gap: 1vh",
        "--gap: 5px",
        "border-radius: 7px",
        "border-radius: 50%",
        "border-start-end-radius: 12px",
    ],
)
def test_what_is_not_a_token_is_found(declaration):
    rules = list(rules_of("some.css", f"@layer pages {{ .some > a {{ color: red; {declaration}; }} }}"))
    assert complaints(rules) == [f"some.css: .some > a {{ {declaration} }}"]


def test_a_second_home_and_a_class_without_use_are_found():
    text = ".home .card:not(.other), :is(.twice, .once):hover::before { color: red; }"
    one, other = list(rules_of("one.css", text)), list(rules_of("two.css", ".page > .twice.is-new { color: red; }"))
    assert classes_of([*one, *other]) == {"card": {"one.css"}, "once": {"one.css"}, "twice": {"one.css", "two.css"}}
    assert unused([*one, *other], 'class="home card twice is-new other page"') == ["once"]
