"""PostgreSQL backend that skips the "is the connection still alive?" round trip at the start of each request."""
