from __future__ import annotations

import select

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    def is_usable(self) -> bool:
        """Query the server only if it has sent something unasked: it sends a last message before it disconnects."""
        if self.connection is not None and not self.connection.closed and not _has_data(self.connection.fileno()):
            return True
        return super().is_usable()


def _has_data(descriptor: int) -> bool:
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    return bool(waiting.poll(0))
