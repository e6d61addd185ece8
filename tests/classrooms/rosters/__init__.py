"""Student lists as schools send them, and the result of importing each."""
