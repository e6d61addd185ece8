"""Pages of the hall."""
