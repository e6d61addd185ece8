"""The deck on paper: cards on the pages of core.printing."""
