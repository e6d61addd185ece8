"""Developer tools that aren't part of the product: checks and measurements."""
