"""Django's admin for operators: what's in the database, without secrets, and every look at it in the audit log."""
