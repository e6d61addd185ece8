"""What keeps writers from losing each other's work: the fair write lock of SQLite, and the order of locks."""
