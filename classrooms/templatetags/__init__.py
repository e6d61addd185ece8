"""Template tags about people and classes."""
