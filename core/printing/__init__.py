"""Printed pages: laid out once, then drawn as a PDF to print or as an SVG preview."""
