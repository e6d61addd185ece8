"""Django's PostgreSQL, but that a page does not begin with a trip to ask whether the connection is still there."""
