"""Print the deck: cards on `core.printing` pages."""
