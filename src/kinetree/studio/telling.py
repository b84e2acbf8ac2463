"""The socket that only tells: what has changed goes to everybody who listens."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from starlette.websockets import WebSocket, WebSocketDisconnect

from kinetree.errors import KinetreeError
from kinetree.files import read_exactly
from kinetree.studio.desk import Desk
from kinetree.studio.messages import FileEvent, RevisionEvent, RunEvent, RunState
from kinetree.studio.runs.jobs import Jobs
from kinetree.studio.session import EditSession

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import BaseModel

INTERVAL = 0.2
"""Time between two looks at runs and at the file [s]."""


class DeskNews:
    """Looks at what is open, and knows what is new for one listener."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._session: SessionNews | None = None

    def news(self) -> list[BaseModel]:
        """What has changed since the last look."""
        if not self.desk.is_open:
            return []
        session = self.desk.session
        if self._session is None or self._session.session is not session:
            self._session = SessionNews(session, self.desk.jobs)
        return self._session.news()


class SessionNews:
    """Looks at a session and its runs, and knows what is new for one listener."""

    def __init__(self, session: EditSession, jobs: Jobs) -> None:
        self.session, self.jobs = session, jobs
        self._revision: tuple[str, int, bool] | None = None
        self._runs: dict[int, RunState] = {}
        self._file = "known"
        self._stamp: object = None
        self._told: tuple[str, object] = ("known", None)

    def news(self) -> list[BaseModel]:
        """What has changed since the last look."""
        made: list[BaseModel] = []
        file = self._look_at_file()
        if file == "changed" and self.session.is_saved:
            file = self._take_over()
        name = self.session.path.name
        now = (name, self.session.revision, self.session.is_saved)
        if now != self._revision:
            self._revision = now
            made.append(RevisionEvent(file=name, revision=now[1], saved=now[2]))
        for number, job in list(self.jobs.jobs.items()):
            old = self._runs.get(number)
            if old is not None and old.state not in ("waiting", "going"):
                continue
            state = job.state()
            if state != old:
                self._runs[number] = state
                made.append(RunEvent(run=state))
        told = file, self._stamp if file == "changed" else None  # it may change once more
        self._file = file
        if told != self._told:
            self._told = told
            made.append(FileEvent.model_validate({"state": file}))
        return made

    def _take_over(self) -> str:
        """Take what is on the disk as an edit that can be undone: nothing unsaved is in its way."""
        try:
            self.session.resolve("disk")
        except KinetreeError:
            return "changed"
        return "known"

    def _look_at_file(self) -> str:
        """Whether the file is the one that the session knows."""
        path: Path = self.session.path
        try:
            found = path.stat()
        except OSError:
            return "removed"
        stamp = (found.st_mtime_ns, found.st_size, self.session.saved)
        if stamp == self._stamp:
            return self._file
        self._stamp = stamp
        try:
            return "known" if read_exactly(path) == self.session.saved else "changed"
        except KinetreeError:
            return "changed"


async def tell(socket: WebSocket, watch: DeskNews) -> None:
    """Tell one listener what changes until it goes; what it says is not listened to."""
    await socket.accept()
    gone = asyncio.create_task(_wait_for_end(socket))
    try:
        while not gone.done():
            for event in await asyncio.to_thread(watch.news):
                await socket.send_text(event.model_dump_json())
            await asyncio.wait([gone], timeout=INTERVAL)
    except (WebSocketDisconnect, RuntimeError):
        pass
    finally:
        gone.cancel()
        with contextlib.suppress(RuntimeError):
            await socket.close()


async def _wait_for_end(socket: WebSocket) -> None:
    """Until the listener goes, or says something, which ends the conversation."""
    await socket.receive()
