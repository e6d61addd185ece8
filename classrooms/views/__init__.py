"""Views of pages about people and classes."""
