"""The cards' stylesheet: every palette as custom properties, and a few classes for the inline SVG."""

from __future__ import annotations

from games.art.palettes import PALETTES, STANDARD, Palette
from games.art.shapes import EDGE

_HEAD = "/* Written by `manage.py render_cards --css` from games/art; change it there. */\n"

_CLASSES = f"""\
[data-marks="on"],
[data-marks="on"] [data-palette] {{
  --card-marks: inline;
}}

.card-sprite {{
  position: absolute;
}}

.card-art {{
  display: block;
  width: var(--art-width, 100%);
  height: var(--art-height, auto);
  forced-color-adjust: none;
  print-color-adjust: exact;
}}

.card-paper {{
  fill: var(--card-paper);
  stroke: var(--card-edge);
  stroke-width: {EDGE};
}}

.card-mark {{
  display: var(--card-marks);
}}

.card-red {{
  color: var(--card-red);
}}

.card-green {{
  color: var(--card-green);
}}

.card-purple {{
  color: var(--card-purple);
}}
"""


def palette_css() -> str:
    """The text of static/css/cards.css."""
    return "\n".join([_HEAD, *(_properties(palette) for palette in PALETTES.values()), _CLASSES])


def _properties(palette: Palette) -> str:
    selector = f'[data-palette="{palette.name}"]'
    if palette is STANDARD:
        selector = f":root,\n{selector}"
    paints = [*palette.colors.items(), ("paper", palette.paper), ("edge", palette.edge)]
    lines = [f"  --card-{name}: {paint};\n" for name, paint in paints]
    return f"{selector} {{\n{''.join(lines)}  --card-marks: {'inline' if palette.marks else 'none'};\n}}\n"
