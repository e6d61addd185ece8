"""Color as eyes see it: lightness, contrast, difference, and a simulation of color blindness."""

from __future__ import annotations

import math
from enum import StrEnum

Triple = tuple[float, float, float]


class Sight(StrEnum):
    USUAL = "usual"
    PROTANOPIA = "protanopia"
    DEUTERANOPIA = "deuteranopia"
    TRITANOPIA = "tritanopia"


# Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision deficiency" (2009),
# at severity 1.0; they apply to linear RGB.
_SIGHT: dict[Sight, tuple[Triple, Triple, Triple]] = {
    Sight.USUAL: ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    Sight.PROTANOPIA: (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    Sight.DEUTERANOPIA: (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    Sight.TRITANOPIA: (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
_XYZ: tuple[Triple, Triple, Triple] = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
_D65: Triple = (0.95047, 1.0, 1.08883)
# Up to here the sRGB curve is a straight line, in sRGB and in linear values.
_STRAIGHT, _STRAIGHT_LINEAR = 0.04045, 0.0031308


def _multiply(matrix: tuple[Triple, Triple, Triple], vector: Triple) -> Triple:
    x, y, z = (sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)
    return x, y, z


def _linear(color: str) -> Triple:
    def channel(text: str) -> float:
        value = int(text, 16) / 255
        return value / 12.92 if value <= _STRAIGHT else float(((value + 0.055) / 1.055) ** 2.4)

    return channel(color[1:3]), channel(color[3:5]), channel(color[5:7])


def _hex(linear: Triple) -> str:
    def channel(value: float) -> int:
        value = min(1.0, max(0.0, value))
        return round(255 * (12.92 * value if value <= _STRAIGHT_LINEAR else 1.055 * value ** (1 / 2.4) - 0.055))

    return "#" + "".join(f"{channel(value):02x}" for value in linear)


def seen(color: str, sight: Sight) -> str:
    """What a "#rrggbb" color looks like to these eyes, as a color for usual eyes."""
    return _hex(_multiply(_SIGHT[sight], _linear(color)))


def lab(color: str) -> Triple:
    """The color in CIE L*a*b*, D65."""

    def root(value: float) -> float:
        return math.cbrt(value) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116

    x, y, z = (root(value / white) for value, white in zip(_multiply(_XYZ, _linear(color)), _D65, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(one: str, other: str) -> float:
    """The CIE 1976 color difference; about 2.3 is just noticeable side by side."""
    return math.dist(lab(one), lab(other))


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2, from 1 to 21."""
    low, high = sorted(_multiply(_XYZ, _linear(color))[1] for color in (one, other))
    return (high + 0.05) / (low + 0.05)
