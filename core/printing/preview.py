"""Pages as SVG previews, with the same positions and curves as the PDF."""

from __future__ import annotations

from html import escape

from core.printing.page import BLACK, Box, Code, Figure, Item, Lines, Outline, Page, Text
from core.printing.paths import number as _n
from core.printing.qr import path_text, squares
from core.printing.shaping import EM, REGULAR


def page_svg(page: Page, label: str) -> str:
    """An inline SVG of the page; the label describes it to screen readers."""
    width, height = page.size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="sheet" viewBox="0 0 {_n(width)} {_n(height)}" role="img"'
        f' aria-label="{escape(label)}"><rect width="100%" height="100%" fill="#ffffff"/>'
        f"{''.join(_drawn(item, height) for item in page.items)}</svg>"
    )


def _drawn(item: Item, high: float) -> str:
    """Draw one item; y points downwards here."""
    match item:
        case Figure():
            place = f"translate({_n(item.x)} {_n(high - item.y - item.height)}) scale({item.scale:.5f})"
            return f'<g transform="{place}" stroke-linejoin="round">{"".join(map(_outline, item.outlines))}</g>'
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


def _outline(outline: Outline) -> str:
    ends = ' stroke-linecap="round"' if outline.has_round_ends else ""
    stroke = f' stroke="{outline.stroke}" stroke-width="{_n(outline.width)}"{ends}' if outline.stroke else ""
    return f'<path d="{outline.path}" fill="{outline.fill or "none"}"{stroke}/>'


def _text(item: Text, high: float) -> str:
    line = item.line
    if line is None:
        return ""
    if line.outline:
        place = f"translate({_n(item.left(line))} {_n(high - item.y)}) scale({line.size / EM:.5f})"
        return f'<path transform="{place}" d="{line.outline}" fill="{item.ink}"/>'
    weight = ' font-weight="700"' if line.font != REGULAR else ""
    # The browser may use another font, so stretch the text to the same length.
    return (
        f'<text x="{_n(item.x)}" y="{_n(high - item.y)}" font-size="{_n(line.size)}"{weight} fill="{item.ink}"'
        f' text-anchor="{item.anchor.value}" textLength="{_n(line.width)}" lengthAdjust="spacingAndGlyphs">'
        f"{escape(item.text)}</text>"
    )
