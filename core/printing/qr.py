"""QR codes as rectangles, so that they stay sharp at any size."""

from __future__ import annotations

from dataclasses import dataclass

import qrcode
from django.utils.safestring import SafeString, mark_safe
from qrcode.constants import ERROR_CORRECT_M

QUIET = 4
"""How many squares must be left free around a code."""


@dataclass(frozen=True, slots=True)
class Squares:
    """A QR code without its quiet zone."""

    side: int
    """Width and height in squares."""
    runs: tuple[tuple[int, int, int], ...]
    """Runs of dark squares: column, row from the top, length."""


def squares(text: str) -> Squares:
    code = qrcode.QRCode(error_correction=ERROR_CORRECT_M, border=0)
    code.add_data(text)
    code.make(fit=True)
    matrix = code.get_matrix()
    runs = []
    for number, row in enumerate(matrix):
        start = None
        for column, is_dark in enumerate([*row, False]):
            if is_dark and start is None:
                start = column
            elif not is_dark and start is not None:
                runs.append((start, number, column - start))
                start = None
    return Squares(len(matrix), tuple(runs))


def path_text(code: Squares) -> str:
    """The code as SVG path data, one unit per square."""
    return "".join(f"M{column} {row}h{length}v1h-{length}z" for column, row, length in code.runs)


def qr_drawing(text: str) -> SafeString:
    """The code as inline SVG, with its quiet zone."""
    code = squares(text)
    side = code.side + 2 * QUIET
    box = f'viewBox="{-QUIET} {-QUIET} {side} {side}" shape-rendering="crispEdges"'
    # Only squares, no user input.
    return mark_safe(  # noqa: S308
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} aria-hidden="true"><path d="{path_text(code)}"/></svg>'
    )
