"""A picture of a puzzle's result to share: how many SETs were found, but never where."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image, ImageDraw

from games.art.icons import app_icon
from games.art.sheets import label_font

_SIZE = (1200, 630)
_PAPER, _INK, _SOFT, _JOY = "#f8f3e9", "#25221d", "#5d564b", "#f5c33b"


def share_picture(found: int, of: int, lines: Sequence[str]) -> Image.Image:
    """Lines of text above a row of small cards, one for each SET, with a check mark if it's found."""
    image = Image.new("RGB", _SIZE, _PAPER)
    draw = ImageDraw.Draw(image)
    icon = app_icon(120).convert("RGBA")
    image.paste(icon, (80, 70), icon)
    draw.text((230, 130), "Setsite", font=label_font(72), fill=_INK, anchor="lm")
    for number, line in enumerate(lines):
        draw.text((84, 270 + 66 * number), line, font=label_font(50), fill=_INK if number else _SOFT, anchor="lm")
    width, gap = 150, 24
    for place in range(of):
        left = 84 + place * (width + gap)
        box = (left, 470, left + width, 570)
        is_found = place < found
        draw.rounded_rectangle(box, 14, fill=_JOY if is_found else _PAPER, outline=_INK, width=5)
        if is_found:
            draw.line([(left + 45, 520), (left + 68, 545), (left + 108, 497)], fill=_INK, width=12, joint="curve")
    return image
