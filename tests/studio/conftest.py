"""A studio on a file of its own, spoken with as a script or as a browser does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

httpx = pytest.importorskip("httpx", reason="there is no httpx: pip install 'kinetree[test]'")
pytest.importorskip("starlette", reason="there is no starlette: pip install 'kinetree[studio]'")

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "examples" / "models"


@dataclass
class Studio:
    """A server in a process of its own.

    Attributes:
        process: of the server.
        file: that it serves.
        address: that it printed, with the token.
        said: lines it printed before.
    """

    process: subprocess.Popen[str]
    file: Path
    address: str
    said: list[str]
    clients: list[Any] = field(default_factory=list)

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

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
        for client in self.clients:
            client.close()


def open_studio(file: Path) -> Studio:
    line = [sys.executable, "-m", "kinetree.cli", "studio", str(file)]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    said: list[str] = []
    for row in process.stdout:
        if row.startswith("http"):
            return Studio(process, file, row.strip(), said)
        said.append(row.strip())
    raise AssertionError(said)


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    file = tmp_path / "slider_crank.yaml"
    file.write_bytes((MODELS / "slider_crank.yaml").read_bytes())
    return file


@pytest.fixture
def studio(model_file: Path) -> Iterator[Studio]:
    made = open_studio(model_file)
    yield made
    made.kill()
