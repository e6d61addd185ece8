from __future__ import annotations

import select

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    def is_usable(self) -> bool:
        """Ask the server only where it has said something by itself: with its last word it hangs up."""
        if self.connection is not None and not self.connection.closed and not _has_news(self.connection.fileno()):
            return True
        return super().is_usable()


def _has_news(descriptor: int) -> bool:
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    return bool(waiting.poll(0))
