"""The look of the cards: the palettes, and one geometry, drawn as SVG for pages and with Pillow for image files."""
