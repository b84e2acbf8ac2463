"""The server of the studio, on loopback."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import uvicorn

from kinetree.errors import FormatError
from kinetree.files import write_file
from kinetree.studio.app import application
from kinetree.studio.guard import Guard
from kinetree.studio.jobs import Jobs
from kinetree.studio.journal import FOLDER
from kinetree.studio.session import EditSession

MOST_CONNECTIONS = 32


def serve(path: Path, port: int = 0, tell: Callable[[str], object] = print) -> None:
    """Serve the studio of a model file until it is interrupted.

    Args:
        path: of the file.
        port: 0 takes a free one.
        tell: gets the address to open, once the server listens.
    """
    if not path.is_file():
        raise FormatError("there is no such file", element=f"file '{path}'", cure="check the path")
    with _only_one(path), _listening(port) as listening:
        session, jobs = EditSession(path), Jobs(path)
        number = listening.getsockname()[1]
        guard = Guard(application(session, jobs), number)
        if session.recovered:
            tell(f"recovered {session.recovered} unsaved edits of {path.name}")
        tell(f"http://127.0.0.1:{number}/?token={guard.token}")
        config = uvicorn.Config(
            guard, log_level="critical", limit_concurrency=MOST_CONNECTIONS, lifespan="off",
            server_header=False, timeout_keep_alive=5,
        )  # fmt: skip
        try:
            uvicorn.Server(config).run(sockets=[listening])
        finally:
            jobs.close()


@contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    """A socket on loopback."""
    with socket.socket() as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind(("127.0.0.1", port))
        except OSError as error:
            raise FormatError(
                f"port {port} is taken", element="studio", cure="leave --port out for a free one"
            ) from error
        made.listen(MOST_CONNECTIONS)  # from now on requests wait until they are answered
        yield made


@contextmanager
def _only_one(model: Path) -> Iterator[None]:
    """Keep a second studio from the same file; a lock of a process that is gone does not count."""
    lock = model.parent / FOLDER / f"{model.name}.lock"
    with suppress(OSError, ValueError):
        owner = int(lock.read_text(encoding="utf-8"))
        os.kill(owner, 0)
        if owner != os.getpid():
            raise FormatError(
                f"another studio has it open (process {owner})", element=f"file '{model.name}'",
                cure="use that one, or end it",
            )  # fmt: skip
    write_file(lock, str(os.getpid()))
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
