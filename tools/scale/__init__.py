"""The complete scaled setup on one machine, for trying out, testing and measuring."""
