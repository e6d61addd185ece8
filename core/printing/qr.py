"""QR codes as rectangles, so that they stay sharp at any size."""

from __future__ import annotations

from dataclasses import dataclass

import qrcode
from django.utils.safestring import SafeString, mark_safe
from qrcode.constants import ERROR_CORRECT_M

QUIET = 4
"""How many squares must stay free around a code."""


@dataclass(frozen=True, slots=True)
class Squares:
    """A code without its quiet zone."""

    side: int
    """How many squares it is wide and high."""
    runs: tuple[tuple[int, int, int], ...]
    """Dark squares side by side: column, row from the top, how many."""


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
    """The code in the words of SVG, a unit for each square."""
    return "".join(f"M{column} {row}h{length}v1h-{length}z" for column, row, length in code.runs)


def qr_drawing(text: str) -> SafeString:
    """The code for a page, as SVG of one path with its quiet zone."""
    code = squares(text)
    side = code.side + 2 * QUIET
    box = f'viewBox="{-QUIET} {-QUIET} {side} {side}" shape-rendering="crispEdges"'
    # Squares only, nothing that a person has typed.
    return mark_safe(  # noqa: S308
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} aria-hidden="true"><path d="{path_text(code)}"/></svg>'
    )
