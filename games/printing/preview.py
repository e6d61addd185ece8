"""Pages as SVG, to look at before printing: the same places, the same curves."""

from __future__ import annotations

from html import escape

from games.art import shapes
from games.art.svg import card_drawing
from games.printing.codes import path_text, squares
from games.printing.lettering import REGULAR
from games.printing.page import BLACK, Box, Code, Face, Item, Lines, Page, Text


def page_svg(page: Page, label: str) -> str:
    """A picture that stands within a page of ours; the label says what it shows."""
    width, height = page.size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="sheet" viewBox="0 0 {_n(width)} {_n(height)}" role="img"'
        f' aria-label="{escape(label)}"><rect width="100%" height="100%" fill="#ffffff"/>'
        f"{''.join(_drawn(item, height) for item in page.items)}</svg>"
    )


def _drawn(item: Item, high: float) -> str:
    """One item; y goes downwards here."""
    match item:
        case Face():
            scale = item.width / shapes.CARD_WIDTH
            top = high - item.y - scale * shapes.CARD_HEIGHT
            drawing = card_drawing(item.card, item.palette, marks=item.marks)
            return f'<g transform="translate({_n(item.x)} {_n(top)}) scale({scale:.5f})">{drawing}</g>'
        case Text():
            return _text(item, high)
        case Lines():
            path = "".join(f"M{_n(a)} {_n(high - b)}L{_n(c)} {_n(high - d)}" for a, b, c, d in item.lines)
            return f'<path d="{path}" fill="none" stroke="{item.ink}" stroke-width="{_n(item.width)}"/>'
        case Box():
            dashes = f' stroke-dasharray="{_n(item.dashes[0])} {_n(item.dashes[1])}"' if item.dashes else ""
            return (
                f'<rect x="{_n(item.x)}" y="{_n(high - item.y - item.height)}" width="{_n(item.width)}"'
                f' height="{_n(item.height)}" rx="{_n(item.corner)}" fill="none" stroke="{item.ink}"'
                f' stroke-width="{_n(item.line)}"{dashes}/>'
            )
        case Code():
            code = squares(item.text)
            place = f"translate({_n(item.x)} {_n(high - item.y - item.size)}) scale({item.size / code.side:.5f})"
            return f'<path transform="{place}" d="{path_text(code)}" fill="{BLACK}" shape-rendering="crispEdges"/>'


def _text(item: Text, high: float) -> str:
    line = item.line
    if line is None:
        return ""
    weight = ' font-weight="700"' if line.font != REGULAR else ""
    # The browser orders and joins letters by itself; it only has to fill the same length.
    return (
        f'<text x="{_n(item.x)}" y="{_n(high - item.y)}" font-size="{_n(line.size)}"{weight} fill="{item.ink}"'
        f' text-anchor="{item.anchor.value}" textLength="{_n(line.width)}" lengthAdjust="spacingAndGlyphs">'
        f"{escape(item.text)}</text>"
    )


def _n(value: float) -> str:
    return f"{round(value, 2):g}"
