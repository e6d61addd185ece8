"""QR codes as drawings for a page."""

from __future__ import annotations

from django.utils.safestring import SafeString, mark_safe

from games.printing.codes import QUIET, path_text, squares


def qr_drawing(text: str) -> SafeString:
    """A QR code as SVG, one path; it has its quiet zone."""
    code = squares(text)
    side = code.side + 2 * QUIET
    box = f'viewBox="{-QUIET} {-QUIET} {side} {side}" shape-rendering="crispEdges"'
    # Squares only, nothing that a person has typed.
    return mark_safe(  # noqa: S308
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} aria-hidden="true"><path d="{path_text(code)}"/></svg>'
    )
