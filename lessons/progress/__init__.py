"""The learning event: where it comes from, how it's written down, and the progress that follows from all of them."""
