"""Shapes: balanced, upright, and clear of each other and of the card's edge."""

from itertools import pairwise

import pytest

from games.art import shapes
from games.art.geometry import area, bounds, crossings, straight, stripes, widened
from games.rules.cards import Color, Number, Shape


@pytest.mark.parametrize("shape", Shape)
def test_a_shape_looks_the_same_upside_down(shape):
    polygon = shapes.SHAPES[shape].polygon()
    turned = shapes.SHAPES[shape].turned().polygon()
    half = len(polygon) // 2
    assert [*polygon[half:], *polygon[:half]] == [pytest.approx(point) for point in turned]


def test_the_shapes_weigh_about_the_same():
    weights = [area(shapes.outer(shape)) for shape in Shape]
    assert max(weights) < 1.3 * min(weights)


@pytest.mark.parametrize("shape", Shape)
def test_a_symbol_is_tall_and_about_two_thirds_of_the_card(shape):
    left, top, right, bottom = bounds(shapes.outer(shape))
    assert 0.65 < (bottom - top) / shapes.CARD_HEIGHT < 0.75
    assert bottom - top > 1.8 * (right - left)
    assert right - left < shapes.SYMBOL_WIDTH
    assert bottom - top < shapes.SYMBOL_HEIGHT


def test_only_the_squiggle_is_wavy():
    def is_wavy(shape):
        turns = _turns(shapes.SHAPES[shape].polygon())
        return min(turns) < -1e-6

    assert [shape for shape in Shape if is_wavy(shape)] == [Shape.SQUIGGLE]


def test_the_squiggle_bends_in_by_a_quarter_of_its_width():
    polygon = shapes.outer(Shape.SQUIGGLE)
    left, _, right, _ = bounds(polygon)
    head, waist = crossings(polygon, -46)[0], crossings(polygon, -18)[0]
    assert waist - head > (right - left) / 4


@pytest.mark.parametrize("shape", Shape)
def test_the_outline_is_equally_thick_all_around(shape):
    polygon = shapes.SHAPES[shape].polygon()
    length = sum(_distance(a, b) for a, b in pairwise([*polygon, polygon[0]]))
    ring = area(shapes.outer(shape)) - area(shapes.inner(shape))
    assert ring == pytest.approx(length * shapes.STROKE, rel=0.02)


@pytest.mark.parametrize("shape", Shape)
def test_stripes_are_even_and_end_under_the_outline(shape):
    lines = shapes.stripe_lines(shape)
    ys = [y for y, _, _ in lines]
    steps = [below - above for above, below in pairwise(ys)]
    assert len(lines) in {15, 16}
    assert steps == pytest.approx([steps[0]] * len(steps))
    assert [-y for y in reversed(ys)] == pytest.approx(ys)
    for y, left, right in lines:
        outside, inside = crossings(shapes.outer(shape), y), crossings(shapes.inner(shape), y)
        assert outside[0] < left < inside[0]
        assert inside[-1] < right < outside[-1]


@pytest.mark.parametrize("number", Number)
def test_symbols_stand_in_the_middle_without_touching(number):
    places = shapes.symbol_places(number)
    assert len(places) == number
    assert sum(x for x, _ in places) / number == shapes.CARD_WIDTH / 2
    assert {y for _, y in places} == {shapes.CARD_HEIGHT / 2}
    assert all(b[0] - a[0] == shapes.SYMBOL_WIDTH for a, b in pairwise(places))
    assert places[0][0] - shapes.SYMBOL_WIDTH / 2 > 20


@pytest.mark.parametrize("color", Color)
@pytest.mark.parametrize("shape", Shape)
def test_a_mark_keeps_clear_of_the_symbols_and_of_the_edge(color, shape):
    symbols = [[(px + x, py + y) for px, py in shapes.outer(shape)] for x, y in shapes.symbol_places(3)]
    for path in shapes.mark_paths(color):
        mark = path.polygon(6)
        left, top, right, bottom = bounds(mark)
        assert left > 6
        assert top > 6
        assert right < shapes.CARD_WIDTH - 6
        assert bottom < shapes.CARD_HEIGHT - 6
        assert min(_distance(p, q) for p in mark for symbol in symbols for q in symbol) > 4


def test_growing_rounds_corners_and_shrinking_keeps_them():
    square = straight((0, 0), (10, 0), (10, 10), (0, 10)).polygon()
    assert area(square) == 100
    assert bounds(widened(square, 2)) == pytest.approx((-2, -2, 12, 12))
    assert area(widened(square, 2)) == pytest.approx(100 + 4 * 20 + 3.14159 * 4, rel=0.001)
    assert area(widened(square, -2)) == pytest.approx(36)


def test_stripes_leave_a_gap_at_either_end():
    square = straight((0, 0), (10, 0), (10, 10), (0, 10)).polygon()
    assert stripes(square, (0, 10), 5, 1) == (
        (pytest.approx(19 / 6), 0, 10),
        (pytest.approx(41 / 6), 0, 10),
    )


def _turns(polygon):
    """For each corner, the sine of its angle times its side lengths; negative if the outline bends inward."""
    triples = zip(polygon, [*polygon[1:], *polygon[:1]], [*polygon[2:], *polygon[:2]], strict=True)
    return [(b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) for a, b, c in triples]


def _distance(one, other):
    return ((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5
