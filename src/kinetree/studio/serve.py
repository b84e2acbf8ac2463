"""The server of the studio, on loopback."""

from __future__ import annotations

import gc
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import uvicorn

from kinetree.errors import FormatError
from kinetree.studio.app import application
from kinetree.studio.connections import MOST_CONNECTIONS, YieldingConnection
from kinetree.studio.desk import Desk
from kinetree.studio.guard import Guard

TURN = 0.0005
"""Longest turn of a thread: what is derived beside does not hold up an answer for longer [s]."""
MOST_SAID = 65_536
"""Largest message that a socket takes before it is closed [B]."""


class StudioServer(uvicorn.Server):
    """A server that listens already.

    Attributes:
        listening: its socket.
        address: to open, with the token that is good once.
    """

    def __init__(self, config: uvicorn.Config, listening: socket.socket, address: str) -> None:
        super().__init__(config)
        self.listening, self.address = listening, address

    def answer(self) -> None:
        """Answer requests until it is interrupted, or told that it should exit."""
        self.run(sockets=[self.listening])


def serve(path: Path, port: int = 0, tell: Callable[[str], object] = print) -> None:
    """Serve the studio of a model file until it is interrupted.

    Args:
        path: of the file.
        port: 0 takes a free one.
        tell: gets the address to open, once the server listens.
    """
    sys.setswitchinterval(TURN)
    # what is loaded stays: looking through it for garbage would hold up an edit for 0.1 s
    with studio_server(path, port, tell, then=gc.freeze) as server:
        tell(server.address)
        server.answer()


@contextmanager
def studio_server(
    path: Path,
    port: int = 0,
    tell: Callable[[str], object] = print,
    then: Callable[[], object] = lambda: None,
) -> Iterator[StudioServer]:
    """The server of a model file, or of a folder in which one is chosen; its runs end with it.

    Args:
        path: of the file or folder.
        port: 0 takes a free one.
        tell: gets what there is to say before the address.
        then: called when everything is loaded and the text was checked for the first time.
    """
    if not path.exists():
        raise FormatError("there is no such file", element=f"file '{path}'", cure="check the path")
    folder, name = (path, None) if path.is_dir() else (path.parent, path.name)
    with _listening(port) as listening, closing(Desk(folder, name)) as desk:
        number = listening.getsockname()[1]
        guard = Guard(application(desk, then), number)
        if desk.is_open and desk.session.recovered:
            tell(f"recovered {desk.session.recovered} unsaved edits of {path.name}")
        config = uvicorn.Config(
            guard, log_level="critical", http=YieldingConnection, lifespan="off",
            server_header=False, timeout_keep_alive=5, ws_max_size=MOST_SAID,
            timeout_graceful_shutdown=1,
        )  # fmt: skip
        address = f"http://127.0.0.1:{number}/?token={guard.token}"
        yield StudioServer(config, listening, address)


LAST_PORT = 65_535


@contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    """A socket on loopback.

    Its protocol is named: asyncio sets TCP_NODELAY only then, and without that every answer waits
    40 ms for the other side.
    """
    if not 0 <= port <= LAST_PORT:
        raise FormatError(
            f"there is no port {port}", element="studio", cure=f"use one up to {LAST_PORT}, or none"
        )
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind(("127.0.0.1", port))
        except PermissionError as error:
            raise FormatError(
                f"port {port} is not open to you", element="studio",
                cure="leave --port out for a free one",
            ) from error  # fmt: skip
        except OSError as error:
            raise FormatError(
                f"port {port} is taken", element="studio", cure="leave --port out for a free one"
            ) from error
        made.listen(MOST_CONNECTIONS)  # from now on requests wait until they are answered
        yield made
