"""Runs in processes of their own: the studio stays quick, and a run that hangs is ended.

A job works in a folder of its own beside the model, `.kinetree/runs/NUMBER`, which keeps the text
that it was made from.  Its run reaches the disk while it goes; cancelled, what was computed stays.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import FormatError
from kinetree.files import write_file
from kinetree.results.files import columns, load_run
from kinetree.studio.journal import FOLDER

PATIENCE = 2.0
"""Time after which a process that was asked to end is ended [s]."""
MOST_POINTS = 4000
"""Most points of a curve that is sent."""


@dataclass
class Job:
    """One run.

    Attributes:
        number: of the job, and of its folder.
        folder: with the model, the run, and what was said.
        process: that makes it; None for one of an earlier studio.
    """

    number: int
    folder: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def file(self) -> Path:
        """Of the run."""
        return self.folder / "run.nc"

    def state(self) -> dict[str, Any]:
        """What has become of it: going, finished, failed or cancelled."""
        going = self.process is not None and self.process.poll() is None
        said = _json(self.folder / "said.json")
        word = "going"
        if not going:
            word = "failed" if "error" in said or not self.file.exists() else "finished"
            word = "cancelled" if (self.folder / "cancelled").exists() else word
        return {"id": self.number, "state": word, "error": said.get("error", ""),
                "options": _json(self.folder / "options.json")}  # fmt: skip


class Jobs:
    """All runs of one model file."""

    def __init__(self, model: Path) -> None:
        self.folder = model.parent / FOLDER / "runs" / model.stem
        self._lock = threading.Lock()
        numbers = (int(p.name) for p in self.folder.glob("*") if p.name.isdecimal())
        self.jobs = {k: Job(k, self.folder / str(k)) for k in sorted(numbers)}

    def start(self, text: str, options: dict[str, Any]) -> Job:
        """Simulate the model of a text.

        Args:
            text: of the model file.
            options: duration [s], method, step [s], rtol, as the verb `simulate` takes them.
        """
        with self._lock:
            number = max(self.jobs, default=0) + 1
            job = self.jobs[number] = Job(number, self.folder / str(number))
        write_file(job.folder / "model.yaml", text)
        write_file(job.folder / "options.json", json.dumps(options))
        words = [f"--{name}={value}" for name, value in options.items() if value is not None]
        line = [sys.executable, "-m", "kinetree.cli", "simulate", "model.yaml", *words,
                "--json", "-o", "run.nc"]  # fmt: skip
        with (job.folder / "said.json").open("wb") as out, (job.folder / "log").open("wb") as log:
            job.process = subprocess.Popen(
                line, cwd=job.folder, stdout=out, stderr=log, stdin=subprocess.DEVNULL
            )
        return job

    def cancel(self, number: int) -> Job:
        """Ask a run to end, and end it where it does not; what was computed stays."""
        job = self.get(number)
        if job.process is not None and job.process.poll() is None:
            write_file(job.folder / "cancelled", "")
            job.process.send_signal(signal.SIGINT)
            threading.Thread(target=_end, args=(job.process,), daemon=True).start()
        return job

    def get(self, number: int) -> Job:
        """The job of a number.

        Raises:
            FormatError: where there is none.
        """
        if number not in self.jobs:
            raise FormatError("there is no such run", element=f"run {number}", cure="list the runs")
        return self.jobs[number]

    def close(self) -> None:
        """End all that still goes."""
        for job in self.jobs.values():
            if job.process is not None and job.process.poll() is None:
                job.process.kill()
                job.process.wait()


def curves(job: Job, names: list[str]) -> dict[str, Any]:
    """Curves of a run over time, thinned so that their peaks stay; without names, all names."""
    known, values = columns(load_run(job.file))
    if not names:
        return {"signals": known[1:]}
    missing = [name for name in names if name not in known]
    if missing:
        raise FormatError(
            f"there is no signal '{missing[0]}'", element=f"run {job.number}",
            cure="ask for the list of signals",
        )  # fmt: skip
    places = [known.index(name) for name in names]
    rows = _rows_with_peaks(values[:, places])
    found = {name: values[rows, k].tolist() for name, k in zip(names, places, strict=True)}
    return {"time": values[rows, 0].tolist(), **found}


def _rows_with_peaks(curves: Array) -> list[int]:
    """Rows to show: of every stretch those at which a curve is least and largest, and both ends."""
    count, width = curves.shape
    if count <= MOST_POINTS:
        return list(range(count))
    kept = {0, count - 1}
    for stretch in np.array_split(np.arange(count), max(1, MOST_POINTS // (2 * width))):
        for extreme in (np.argmin, np.argmax):
            kept.update((stretch[0] + extreme(curves[stretch], axis=0)).tolist())
    return sorted(kept)


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _json(path: Path) -> dict[str, Any]:
    """The mapping in a JSON file; empty where there is none yet."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
