"""Drawings made of pieces: paths with a fill or a stroke, for screen, print and sharing alike.

A paint is a role ("ink", "friend-oval"); who draws says what paint that is. On a page it's the token of that name, so
that a drawing follows the theme; in print and pictures it's a color.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from games.art.geometry import Path, Point
from games.art.svg import path_text

_ARC_HANDLE = 0.5523
"""Length of the Bezier handles of a quarter circle, in radii."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One path of a drawing; it has only absolute M, L, C and Z, which printing draws too."""

    path: str
    fill: str | None = None
    stroke: str | None = None
    width: float = 0


Drawing = tuple[Piece, ...]


def on_page(role: str) -> str:
    """The paint of a role on a page."""
    return f"var(--{role})"


def markup(drawing: Iterable[Piece], paint: Callable[[str], str] = on_page) -> str:
    """The drawing as SVG."""
    return "".join(_piece_markup(piece, paint) for piece in drawing)


def _piece_markup(piece: Piece, paint: Callable[[str], str]) -> str:
    fill = paint(piece.fill) if piece.fill else "none"
    if not piece.stroke:
        return f'<path d="{piece.path}" fill="{fill}"/>'
    return (
        f'<path d="{piece.path}" fill="{fill}" stroke="{paint(piece.stroke)}" stroke-width="{_short(piece.width)}"'
        ' stroke-linecap="round" stroke-linejoin="round"/>'
    )


def outline(path: Path) -> str:
    """A shape's path as a piece has it."""
    return path_text(path)


def line(*points: Point) -> str:
    """Straight strokes from point to point."""
    return "M" + "L".join(_pair(point) for point in points)


def curve(start: Point, *bends: tuple[Point, Point, Point]) -> str:
    """A stroke of cubic curves."""
    return f"M{_pair(start)}" + "".join("C" + " ".join(map(_pair, bend)) for bend in bends)


def ellipse(center: Point, across: float, down: float | None = None) -> str:
    x, y = center
    down = across if down is None else down
    a, b = across * _ARC_HANDLE, down * _ARC_HANDLE
    return (
        curve(
            (x, y - down),
            ((x + a, y - down), (x + across, y - b), (x + across, y)),
            ((x + across, y + b), (x + a, y + down), (x, y + down)),
            ((x - a, y + down), (x - across, y + b), (x - across, y)),
            ((x - across, y - b), (x - a, y - down), (x, y - down)),
        )
        + "Z"
    )


def box(left: float, top: float, width: float, height: float, corner: float) -> str:
    """A rectangle with round corners."""
    right, bottom, k = left + width, top + height, corner * (1 - _ARC_HANDLE)
    corners = (
        ((right - corner, top), (right - k, top), (right, top + k), (right, top + corner)),
        ((right, bottom - corner), (right, bottom - k), (right - k, bottom), (right - corner, bottom)),
        ((left + corner, bottom), (left + k, bottom), (left, bottom - k), (left, bottom - corner)),
        ((left, top + corner), (left, top + k), (left + k, top), (left + corner, top)),
    )
    sides = "".join(f"L{_pair(start)}C{_pair(a)} {_pair(b)} {_pair(end)}" for start, a, b, end in corners)
    return f"M{_pair((left + corner, top))}{sides}Z"


def moved(drawing: Iterable[Piece], by: Point, scale: float = 1) -> Drawing:
    """The drawing scaled about the origin, and then moved."""
    return tuple(
        replace(piece, path=_transformed(piece.path, by, scale), width=piece.width * scale) for piece in drawing
    )


def _transformed(path: str, by: Point, scale: float) -> str:
    def place(pair: re.Match[str]) -> str:
        return _pair((float(pair[1]) * scale + by[0], float(pair[2]) * scale + by[1]))

    return re.sub(r"(-?[\d.]+) (-?[\d.]+)", place, path)


def svg_file(drawing: Sequence[Piece], view: tuple[float, float, float, float], paints: dict[str, str]) -> str:
    """A standalone SVG file, with the paint of each role."""
    view_box = " ".join(map(_short, view))
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view_box}">{markup(drawing, paints.__getitem__)}</svg>\n'


def _pair(point: Point) -> str:
    return f"{_short(point[0])} {_short(point[1])}"


def _short(value: float) -> str:
    return f"{round(value, 2):g}"
