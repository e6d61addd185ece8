"""Pages of the project itself: appearance and the style page."""
