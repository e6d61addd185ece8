"""SQLite backend with a fair queue for the writers of a process (ENGINE "core.db.sqlite")."""
