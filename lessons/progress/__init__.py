"""Learning events: where they come from, how they're recorded, and the progress derived from them."""
