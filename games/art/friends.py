"""The three friends: an oval, a squiggle and a diamond with a face, two arms and two legs.

They're on children's pages, on the wall and on students' devices. None of them is ever sad.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from games.art import shapes
from games.art.geometry import Point
from games.art.pieces import Drawing, Piece, curve, ellipse, line, outline
from games.rules.cards import Shape

BOX = (-66.0, -90.0, 132.0, 184.0)
"""Left, top, width and height of what a friend is drawn in; a friend stands on its lower edge."""


class Mood(StrEnum):
    HAPPY = "happy"
    THINKING = "thinking"
    CHEERING = "cheering"
    ASLEEP = "asleep"


@dataclass(frozen=True, slots=True)
class _Form:
    """Where the parts of a friend are; `feet` are the hips, and `face` is what eyes and mouth are drawn with."""

    eyes: Point
    mouth: Point
    left_shoulder: Point
    right_shoulder: Point
    chin: Point
    feet: tuple[Point, Point]
    face: str


_BODIES = {
    Shape.OVAL: _Form((0, -24), (0, -6), (-28, 12), (28, 12), (12, 6), ((-11, 62), (11, 62)), "friend-face"),
    Shape.SQUIGGLE: _Form((-3, -38), (-3, -20), (-22, 14), (12, 12), (8, -6), ((0, 64), (18, 62)), "friend-face-light"),
    Shape.DIAMOND: _Form((0, -8), (0, 11), (-26, 16), (26, 16), (13, 20), ((-6, 58), (6, 58)), "friend-face-light"),
}
_EYE_APART = 11.5
_LIMB, _STICKER, _STICKER_EDGE = 6, 16, 23


@cache
def friend(shape: Shape, mood: Mood = Mood.HAPPY) -> Drawing:
    """A friend in a mood. The outline in the color of a sticker keeps it apart from any background."""
    body = _BODIES[shape]
    limbs = [*(_leg(hip, side) for hip, side in zip(body.feet, (-1, 1), strict=True)), *_arms(body, mood)]
    form, color = outline(shapes.SHAPES[shape]), f"friend-{shape}"
    front = [Piece(_arm_at_chin(body), stroke="friend-limb", width=_LIMB)] if mood is Mood.THINKING else []
    return (
        *(Piece(limb, stroke="friend-sticker", width=_STICKER) for limb in limbs),
        Piece(form, fill="friend-sticker", stroke="friend-sticker", width=_STICKER_EDGE),
        *(Piece(limb, stroke="friend-limb", width=_LIMB) for limb in limbs),
        Piece(form, fill=color, stroke=color, width=11),
        *_face(body, mood),
        *front,
    )


def _leg(hip: Point, side: int) -> str:
    x, y = hip
    foot = y + 22
    return (
        line((x, y), (x, foot - 5))
        + curve((x, foot - 5), ((x, foot - 2), (x + 2 * side, foot), (x + 5 * side, foot)))
        + line((x + 5 * side, foot), (x + 9 * side, foot))
    )


def _arms(body: _Form, mood: Mood) -> list[str]:
    (lx, ly), (rx, ry) = body.left_shoulder, body.right_shoulder
    hanging = curve((lx, ly), ((lx - 9, ly + 4), (lx - 14, ly + 12), (lx - 15, ly + 23)))
    if mood is Mood.CHEERING:
        return [
            curve((lx, ly), ((lx - 20, ly - 2), (lx - 26, ly - 26), (lx - 20, ly - 46))),
            curve((rx, ry), ((rx + 20, ry - 2), (rx + 26, ry - 26), (rx + 20, ry - 46))),
        ]
    if mood is Mood.THINKING:
        return [hanging]
    if mood is Mood.ASLEEP:
        return [hanging, curve((rx, ry), ((rx + 9, ry + 4), (rx + 14, ry + 12), (rx + 15, ry + 23)))]
    return [hanging, curve((rx, ry), ((rx + 11, ry + 2), (rx + 21, ry - 2), (rx + 27, ry - 12)))]


def _arm_at_chin(body: _Form) -> str:
    (x, y), (chin_x, chin_y) = body.right_shoulder, body.chin
    return curve((x - 2, y + 10), ((x + 20, y + 14), (x + 16, chin_y - 10), (chin_x, chin_y)))


def _face(body: _Form, mood: Mood) -> list[Piece]:
    (x, y), (mx, my) = body.eyes, body.mouth
    sides = [(x - _EYE_APART, y), (x + _EYE_APART, y)]
    smile = curve((mx - 8, my), ((mx - 4, my + 6), (mx + 4, my + 6), (mx + 8, my)))
    if mood is Mood.CHEERING:
        laugh = curve(
            (mx - 12, my - 6),
            ((mx - 11, my + 5), (mx - 6, my + 9), (mx, my + 9)),
            ((mx + 6, my + 9), (mx + 11, my + 5), (mx + 12, my - 6)),
        )
        arches = [curve((a - 7, b + 2), ((a - 4, b - 6), (a + 4, b - 6), (a + 7, b + 2))) for a, b in sides]
        return [
            *(Piece(arch, stroke=body.face, width=5) for arch in arches),
            Piece(f"{laugh}Z", fill=body.face, stroke=body.face, width=2),
        ]
    if mood is Mood.ASLEEP:
        lids = [curve((a - 7, b), ((a - 4, b + 6), (a + 4, b + 6), (a + 7, b))) for a, b in sides]
        snore = line((x + 30, y - 18), (x + 40, y - 18), (x + 30, y - 7), (x + 40, y - 7))
        small = line((x + 42, y - 36), (x + 49, y - 36), (x + 42, y - 28), (x + 49, y - 28))
        return [
            *(Piece(lid, stroke=body.face, width=4.5) for lid in lids),
            Piece(ellipse((mx, my + 3), 4), fill=body.face),
            *(Piece(each, stroke="friend-sticker", width=10) for each in (snore, small)),
            *(Piece(each, stroke="friend-limb", width=4) for each in (snore, small)),
        ]
    look = (2.5, -4) if mood is Mood.THINKING else (2.5, 2.5)
    eyes = [
        piece
        for a, b in sides
        for piece in (
            Piece(ellipse((a, b), 8.5, 9.5), fill="friend-eye"),
            Piece(ellipse((a + look[0], b + look[1]), 4.8), fill="friend-face"),
        )
    ]
    if mood is Mood.HAPPY:
        return [*eyes, Piece(smile, stroke=body.face, width=4.5)]
    brow = curve((x + 5, y - 14), ((x + 9, y - 19), (x + 14, y - 19), (x + 19, y - 14)))
    hum = curve((mx - 6, my + 1), ((mx - 2, my + 2), (mx + 3, my + 1), (mx + 7, my - 2)))
    return [*eyes, Piece(hum, stroke=body.face, width=4.5), Piece(brow, stroke=body.face, width=4)]


PAINTS = {
    "friend-oval": "#f5c33b",
    "friend-squiggle": "#2f80b8",
    "friend-diamond": "#454a50",
    "friend-face": "#25221d",
    "friend-face-light": "#fffdf8",
    "friend-eye": "#ffffff",
    "friend-limb": "#25221d",
    "friend-sticker": "#fffdf8",
}
"""Paints on paper, where a friend is printed or shared."""
