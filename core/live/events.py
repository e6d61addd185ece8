"""Server-sent events."""


def event(name: str, data: str) -> bytes:
    """Encode an event; the data must be one line."""
    return f"event: {name}\ndata: {data}\n\n".encode()
