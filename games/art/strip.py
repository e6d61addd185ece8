"""The feature strip, a verdict in pictures: a row for each feature with three glyphs, how they're joined, and a mark.

All the same: a straight line. All different: the three fan out on an arc. Two and one: the two are joined, and the odd
one has dropped out, with a dashed edge. When that's the one in the middle, the line goes around it.
"""

from __future__ import annotations

from dataclasses import dataclass

from games.art.glyphs import HEIGHT, WIDTH, value_glyph
from games.art.pieces import Drawing, Piece, box, curve, ellipse, line, moved
from games.rules.triples import FeaturePattern, FeatureVerdict, Verdict


@dataclass(frozen=True, slots=True)
class StripRow:
    """One feature: three glyphs in card order, the link behind them, and the place of the odd one, if any."""

    verdict: FeatureVerdict
    glyphs: tuple[Drawing, Drawing, Drawing]
    link: str
    odd: int | None


def strip_rows(verdict: Verdict) -> list[StripRow]:
    return [_row(each) for each in verdict.features]


def _row(verdict: FeatureVerdict) -> StripRow:
    one, two, three = map(value_glyph, verdict.values)
    odd = verdict.values.index(verdict.odd_value) if verdict.odd_value is not None else None
    return StripRow(verdict, (one, two, three), _link(verdict.kind, odd), odd)


def _link(pattern: FeaturePattern, odd: int | None) -> str:
    if pattern is FeaturePattern.ALL_DIFFERENT:
        return curve((14, 74), ((38, 24), (62, 24), (86, 74)))
    if pattern is FeaturePattern.ALL_SAME:
        return line((17, 50), (83, 50))
    return (
        line((50, 50), (83, 50)),
        curve((17, 46), ((24, -18), (76, -18), (83, 46))),
        line((17, 50), (50, 50)),
    )[odd or 0]


# The strip as one drawing, for print and sharing.

ROW_WIDTH, ROW_HEIGHT = 420.0, 96.0
_CENTERS = (70.0, 180.0, 290.0)
_TOKEN_SCALE = 0.62
_MARK_X, _MARK = 382.0, 19.0
_FAN, _DROP = 8.0, 7.0


def strip_drawing(verdict: Verdict) -> Drawing:
    """All four rows, one below the other, `ROW_WIDTH` wide and four times `ROW_HEIGHT` high."""
    return tuple(
        piece
        for place, row in enumerate(strip_rows(verdict))
        for piece in moved(_row_drawing(row), (0, place * ROW_HEIGHT))
    )


def _row_drawing(row: StripRow) -> Drawing:
    is_broken = row.odd is not None
    ground, edge = ("retry-soft", "retry") if is_broken else ("paper", None)
    middles = [_middle(row, place) for place in range(3)]
    return (
        Piece(box(3, 3, ROW_WIDTH - 6, ROW_HEIGHT - 6, 16), fill=ground, stroke=edge, width=3),
        Piece(_joins(row, middles), stroke="retry-strong" if is_broken else "accent", width=6),
        *(piece for place in range(3) for piece in _token(row, place, middles[place])),
        *_mark(is_fine=not is_broken),
    )


def _middle(row: StripRow, place: int) -> float:
    """How far down the middle of a glyph is."""
    level = ROW_HEIGHT / 2
    if row.verdict.kind is FeaturePattern.ALL_DIFFERENT:
        return level + (-_FAN if place == 1 else _FAN / 2)
    return level + _DROP if place == row.odd else level


def _joins(row: StripRow, middles: list[float]) -> str:
    points = [(x, y) for place, (x, y) in enumerate(zip(_CENTERS, middles, strict=True)) if place != row.odd]
    if row.odd == 1:
        (left, level), (right, _) = points
        return curve((left, level), ((left + 30, level - 44), (right - 30, level - 44), (right, level)))
    return line(*points)


def _token(row: StripRow, place: int, middle: float) -> Drawing:
    width, height = WIDTH * _TOKEN_SCALE, HEIGHT * _TOKEN_SCALE
    left, top = _CENTERS[place] - width / 2, middle - height / 2
    edge, thickness = ("retry-strong", 4.0) if place == row.odd else ("card-edge", 1.5)
    paper = Piece(box(left, top, width, height, 8), fill="card-paper", stroke=edge, width=thickness)
    return paper, *moved(row.glyphs[place], (left, top), _TOKEN_SCALE)


def _mark(*, is_fine: bool) -> Drawing:
    x, y = _MARK_X, ROW_HEIGHT / 2
    disc = Piece(ellipse((x, y), _MARK), fill="accent" if is_fine else "retry")
    if is_fine:
        return disc, Piece(line((x - 9, y), (x - 2, y + 7), (x + 9, y - 7)), stroke="accent-ink", width=5)
    cross = line((x - 7, y - 7), (x + 7, y + 7)) + line((x + 7, y - 7), (x - 7, y + 7))
    return disc, Piece(cross, stroke="on-retry", width=5)
