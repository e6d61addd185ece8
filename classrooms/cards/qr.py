"""QR codes as drawings for a page."""

from __future__ import annotations

import qrcode
from django.utils.safestring import SafeString, mark_safe


def qr_drawing(text: str) -> SafeString:
    """A QR code as SVG, one path; it has its quiet zone."""
    code = qrcode.QRCode()
    code.add_data(text)
    rows = code.get_matrix()
    path = "".join(f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, is_dark in enumerate(row) if is_dark)
    box = f'viewBox="0 0 {len(rows)} {len(rows)}" shape-rendering="crispEdges"'
    # Squares only, nothing that a person has typed.
    return mark_safe(f'<svg xmlns="http://www.w3.org/2000/svg" {box} aria-hidden="true"><path d="{path}"/></svg>')  # noqa: S308
