"""Closed paths of cubic Bezier curves: flattened, widened, measured and cut into stripes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

Point = tuple[float, float]
Polygon = tuple[Point, ...]
Curve = tuple[Point, Point, Point]  # two control points and the end
Segment = tuple[float, float, float]  # y, left x, right x

STEPS = 32  # straight pieces per curve: under a fifth of a pixel off on a card 3000 pixels wide
_ARC_STEP = math.radians(6)
_NOTHING = 1e-6


@dataclass(frozen=True, slots=True)
class Path:
    """A closed outline, clockwise on a screen (y grows downwards)."""

    start: Point
    curves: tuple[Curve, ...]

    def moved(self, dx: float, dy: float) -> Path:
        def move(p: Point) -> Point:
            return p[0] + dx, p[1] + dy

        return Path(move(self.start), tuple((move(a), move(b), move(c)) for a, b, c in self.curves))

    def turned(self) -> Path:
        """The path turned by 180 degrees about the origin."""

        def turn(p: Point) -> Point:
            return -p[0], -p[1]

        return Path(turn(self.start), tuple((turn(a), turn(b), turn(c)) for a, b, c in self.curves))

    def polygon(self, steps: int = STEPS) -> Polygon:
        """The path as straight pieces, without duplicate points."""
        points: list[Point] = [self.start]
        for a, b, c in self.curves:
            # Points along a straight side would make the offset cross itself next to a corner.
            points.extend([c] if _is_straight(points[-1], a, b, c) else _along(points[-1], a, b, c, steps))
        return tuple(p for p, following in pairwise([*points, points[0]]) if math.dist(p, following) > _NOTHING)


def line_to(start: Point, end: Point) -> Curve:
    """A straight side as a curve, so that a path has only one kind of piece."""
    (x0, y0), (x1, y1) = start, end
    return ((2 * x0 + x1) / 3, (2 * y0 + y1) / 3), ((x0 + 2 * x1) / 3, (y0 + 2 * y1) / 3), end


def straight(*corners: Point) -> Path:
    """The path around the given corners."""
    return Path(corners[0], tuple(line_to(a, b) for a, b in pairwise([*corners, corners[0]])))


def _is_straight(p0: Point, p1: Point, p2: Point, p3: Point) -> bool:
    run = p3[0] - p0[0], p3[1] - p0[1]
    return all(abs(run[0] * (p[1] - p0[1]) - run[1] * (p[0] - p0[0])) < _NOTHING for p in (p1, p2))


def _along(p0: Point, p1: Point, p2: Point, p3: Point, steps: int) -> Iterable[Point]:
    for step in range(1, steps + 1):
        t = step / steps
        u = 1 - t
        w0, w1, w2, w3 = u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t
        yield (
            w0 * p0[0] + w1 * p1[0] + w2 * p2[0] + w3 * p3[0],
            w0 * p0[1] + w1 * p1[1] + w2 * p2[1] + w3 * p3[1],
        )


def area(polygon: Polygon) -> float:
    """Positive when the polygon runs clockwise on a screen."""
    return sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in pairwise([*polygon, polygon[0]])) / 2


def bounds(polygon: Polygon) -> tuple[float, float, float, float]:
    """Left, top, right, bottom."""
    xs, ys = [p[0] for p in polygon], [p[1] for p in polygon]
    return min(xs), min(ys), max(xs), max(ys)


def widened(polygon: Polygon, distance: float) -> Polygon:
    """Grow a clockwise polygon by a distance, with round corners; a negative one shrinks it, with sharp corners."""
    points: list[Point] = []
    count = len(polygon)
    for i, corner in enumerate(polygon):
        before, after = _normal(polygon[i - 1], corner), _normal(corner, polygon[(i + 1) % count])
        points.extend(_join(corner, before, after, distance))
    return tuple(points)


def _normal(start: Point, end: Point) -> Point:
    length = math.dist(start, end)
    return (end[1] - start[1]) / length, (start[0] - end[0]) / length


def _join(corner: Point, before: Point, after: Point, distance: float) -> Iterable[Point]:
    bend = math.atan2(before[0] * after[1] - before[1] * after[0], before[0] * after[0] + before[1] * after[1])
    if bend * distance > 0:
        pieces = math.ceil(abs(bend) / _ARC_STEP)
        first = math.atan2(before[1], before[0])
        angles = (first + bend * piece / pieces for piece in range(pieces + 1))
        yield from ((corner[0] + distance * math.cos(a), corner[1] + distance * math.sin(a)) for a in angles)
    else:
        reach = distance / (1 + math.cos(bend))
        yield corner[0] + reach * (before[0] + after[0]), corner[1] + reach * (before[1] + after[1])


def crossings(polygon: Polygon, y: float) -> list[float]:
    """Where the horizontal line at y crosses the polygon, from left to right."""
    found = []
    for (x0, y0), (x1, y1) in pairwise([*polygon, polygon[0]]):
        if (y0 <= y) != (y1 <= y):
            found.append(x0 + (x1 - x0) * (y - y0) / (y1 - y0))
    return sorted(found)


def stripes(polygon: Polygon, ends: tuple[float, float], pitch: float, thickness: float) -> tuple[Segment, ...]:
    """Horizontal lines across the polygon, about a pitch apart, evenly spaced with a gap at each of the two ends."""
    top, bottom = ends
    count = round((bottom - top) / pitch)
    step = (bottom - top + thickness) / (count + 1)
    lines: list[Segment] = []
    for row in range(1, count + 1):
        y = top - thickness / 2 + row * step
        xs = crossings(polygon, y)
        lines.extend((y, left, right) for left, right in zip(xs[::2], xs[1::2], strict=True))
    return tuple(lines)
