"""The events of a stream."""


def event(name: str, data: str) -> bytes:
    """An event of a stream; the data is one line."""
    return f"event: {name}\ndata: {data}\n\n".encode()
