"""URLs of pages about people and classes."""
