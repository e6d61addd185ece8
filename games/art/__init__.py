"""The look of the cards: one geometry, drawn as SVG for the screen and with Pillow for print; and the palettes."""
