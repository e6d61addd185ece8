"""Live lessons."""
