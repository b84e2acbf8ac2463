"""Connections that say nothing give way to others, so that nobody is kept out by them."""

from __future__ import annotations

import asyncio
from itertools import count

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 32
"""Of all browsers and scripts together, but for sockets that listen to what is told."""
NUMBERS = count()


class YieldingConnection(H11Protocol):
    """A connection; where there are too many, the first that asks for nothing is closed.

    Attributes:
        number: in the order in which they came.
    """

    number = -1

    @property
    def is_open(self) -> bool:
        """Whether it has not been closed."""
        return not self.transport.is_closing()

    @property
    def has_asked(self) -> bool:
        """Whether a request has come."""
        return self.cycle is not None  # as it is at first

    @property
    def is_idle(self) -> bool:
        """Whether no request is under way."""
        return not self.has_asked or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a new connection; it is closed itself where all others are at work."""
        super().connection_made(transport)
        self.number = next(NUMBERS)
        others = [row for row in self.connections if isinstance(row, YieldingConnection)
                  and row is not self and row.is_open]  # fmt: skip
        if len(others) < MOST_CONNECTIONS:
            return
        idle = [row for row in others if row.is_idle]
        left = min(idle, key=lambda row: (row.has_asked, row.number), default=self)
        left.transport.close()
