"""A studio on a file of its own, spoken with as a script or as a browser does."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

httpx = pytest.importorskip("httpx", reason="there is no httpx: pip install 'kinetree[test]'")
pytest.importorskip("starlette", reason="there is no starlette: pip install 'kinetree[studio]'")

from kinetree.studio.serve import studio_server  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "examples" / "models"


@dataclass
class Studio:
    """A server, in a process of its own or in a thread of this one.

    Attributes:
        file: that it serves.
        address: that it printed, with the token.
        said: lines it printed before.
        process: of the server, where it has its own.
    """

    file: Path
    address: str
    said: list[str] = field(default_factory=list)
    process: subprocess.Popen[str] | None = None
    clients: list[Any] = field(default_factory=list)
    server: Any = None
    thread: threading.Thread | None = None

    @property
    def origin(self) -> str:
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"

    def client(self) -> Any:
        """A client that has exchanged the token for the cookie."""
        made = httpx.Client(base_url=self.origin, timeout=60, follow_redirects=True)
        self.clients.append(made)
        assert made.get(self.address).status_code == 200
        return made

    def stop(self) -> None:
        """End a studio in a thread before its time."""
        if self.server is not None:
            self.server.should_exit = True
        if self.thread is not None:
            self.thread.join()

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            if self.process.stdout is not None:
                self.process.stdout.close()
        for client in self.clients:
            client.close()


def open_studio(file: Path) -> Studio:
    """A studio that can be killed."""
    line = [sys.executable, "-m", "kinetree.cli", "studio", str(file)]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    said: list[str] = []
    for row in process.stdout:
        if row.startswith("http"):
            return Studio(file, row.strip(), said, process)
        said.append(row.strip())
    raise AssertionError(said)


@contextmanager
def running_studio(file: Path) -> Iterator[Studio]:
    """A studio in a thread: there at once."""
    said: list[str] = []
    with studio_server(file, tell=said.append) as server:
        thread = threading.Thread(target=server.answer)
        thread.start()
        made = Studio(file, server.address, said, server=server, thread=thread)
        try:
            yield made
        finally:
            made.kill()
            made.stop()


def ended(client: Any, number: int) -> Any:
    """State of a run once it has ended; the pauses leave the core to it."""
    while (job := client.get(f"/api/runs/{number}").json())["state"] in ("going", "waiting"):
        time.sleep(0.02)
    return job


def finished(client: Any, analysis: str, **options: Any) -> int:
    """Number of a run that was asked for and went through."""
    asked = {"analysis": analysis, "options": options}
    job = ended(client, client.post("/api/runs", json=asked).json()["id"])
    assert job["state"] == "finished", job["error"]
    return int(job["id"])


def copy_model(folder: Path, name: str) -> Path:
    """A model of the examples that may be changed."""
    file = folder / f"{name}.yaml"
    file.write_bytes((MODELS / f"{name}.yaml").read_bytes())
    return file


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    return copy_model(tmp_path, "slider_crank")


@pytest.fixture
def studio(model_file: Path) -> Iterator[Studio]:
    with running_studio(model_file) as made:
        yield made
