"""A studio in a process of its own, asked over HTTP, and how long that takes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import numpy as np
import xarray as xr

from benchmarks.models import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

MODELS = ROOT / "examples" / "models"
Row = tuple[str, str, float, float, float | None, int]
"""What, the most that is wanted, median, 95th percentile, processor time, number of trials."""
TICK = os.sysconf("SC_CLK_TCK")


class Client:
    """A studio of a model, and how it is asked."""

    def __init__(self, file: Path) -> None:
        self.file = file
        began = time.perf_counter()
        line = [sys.executable, "-m", "kinetree.cli", "studio", str(self.file)]
        self.process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert self.process.stdout is not None
        address = self.process.stdout.readline().strip()
        self.origin = address.partition("/?")[0]
        self.http = httpx.Client(base_url=self.origin, timeout=300, follow_redirects=True)
        self.http.get(address).raise_for_status()
        self.started = time.perf_counter() - began

    def get(self, path: str, **params: Any) -> Any:
        """What a request gives."""
        answer = self.http.get(path, params=params)
        answer.raise_for_status()
        return answer.json() if "json" in answer.headers["content-type"] else answer.content

    def edit(self, *operations: Any) -> Any:
        """Change the text."""
        said = {"base": self.revision(), "operations": operations, "label": "edit"}
        return self.http.post("/api/document/edit", json=said).raise_for_status().json()

    def revision(self) -> int:
        """Of the text."""
        return int(self.get("/api/document")["revision"])

    def run(self, analysis: str, **options: Any) -> int:
        """Start an analysis."""
        said = {"analysis": analysis, "options": options}
        return int(self.http.post("/api/runs", json=said).raise_for_status().json()["id"])

    def wait(self, number: int, *words: str) -> str:
        """Until a run is in another state than these."""
        while (state := str(self.get(f"/api/runs/{number}")["state"])) in words:
            time.sleep(0.02)
        return state

    def spent(self) -> float:
        """Processor time of the server so far [s]."""
        row = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8")
        fields = row.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def memory(self) -> float:
        """Of the server [MB]."""
        rows = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8").splitlines()
        return next(float(row.split()[1]) / 1024 for row in rows if row.startswith("VmRSS"))


@contextmanager
def studio(model: str | Callable[[Path], object]) -> Iterator[Client]:
    """A studio of a copy of an example, or of what writes a model, until the end of the block."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / f"{model if isinstance(model, str) else 'model'}.yaml"
        if isinstance(model, str):
            file.write_bytes((MODELS / file.name).read_bytes())
        else:
            model(file)
        made = Client(file)
        try:
            yield made
        finally:
            made.http.close()
            made.process.terminate()
            made.process.wait()


@dataclass
class Timing:
    """Durations of calls [s], and the processor time of the server for one of them [s]."""

    walls: list[float]
    spent: float | None = None


def times(call: Callable[[], Any], count: int, client: Client | None = None) -> Timing:
    """Durations of calls; with a client, what its server spends on each."""
    found = []
    before = 0.0 if client is None else client.spent()
    for _ in range(count):
        began = time.perf_counter()
        call()
        found.append(time.perf_counter() - began)
    return Timing(found, None if client is None else (client.spent() - before) / count)


def row(what: str, most: str, found: Timing) -> Row:
    """Median and 95th percentile."""
    walls = found.walls
    middle, high = float(np.median(walls)), float(np.quantile(walls, 0.95))
    return what, most, middle, high, found.spent, len(walls)


def import_curves(client: Client) -> tuple[int, list[str]]:
    """A run of ten curves of a million points each; its number and their names."""
    time_of = np.linspace(0.0, 1000.0, 1_000_000)
    data = {f"s{k}": ("time", np.sin((k + 1) * time_of) + 0.01 * np.sin(1e4 * time_of))
            for k in range(10)}  # fmt: skip
    many = client.file.with_name("many.nc")
    xr.Dataset(data, {"time": time_of}).to_netcdf(many, engine="h5netcdf")
    said = {"name": many.name}
    made = client.http.post("/api/runs/import", json=said).raise_for_status().json()
    return int(made["id"]), list(data)
