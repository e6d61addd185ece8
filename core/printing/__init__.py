"""Paper: what's on a page is laid out once, and drawn as a PDF to print and as SVG to look at first."""
