"""Live tables: from a change of a match to every screen that shows it."""
