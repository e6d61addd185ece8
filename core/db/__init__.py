"""Database backends and locking: SQLite's fair write lock, and the order in which locks are taken."""
