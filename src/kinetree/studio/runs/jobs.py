"""Runs in processes of their own: the studio stays quick, and a run that hangs is ended.

A job works in a folder of its own beside the model, `.kinetree/runs/NUMBER`, which keeps the text
that it was made from.  Its run reaches the disk while it goes; cancelled, what was computed stays.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from kinetree.errors import FormatError, KinetreeError
from kinetree.files import read_exactly, write_file
from kinetree.studio.journal import FOLDER
from kinetree.studio.messages import ImportMessage, RunState
from kinetree.studio.runs.curves import CurveStore
from kinetree.studio.runs.measured import measured_run, run_of_file
from kinetree.studio.runs.sentences import for_forms
from kinetree.studio.runs.worker import CANCELLED, DOING, PARTIAL, PROGRESS, start_worker

PATIENCE = 1.5
"""Time after which a process that was asked to end is ended [s]."""
MOST_GOING = max(1, os.cpu_count() or 1)
"""Most runs at a time."""
MOST_NOTES = 20
"""Most notes of a run that are told."""
MOST_WAITING = 100
"""Most runs that wait."""


@dataclass
class Job:
    """One run.

    Attributes:
        number: of the job, and of its folder.
        folder: with the model, the run, and what was said.
        process: that makes it; None for one of an earlier studio, or one that waits.
        line: words that start it, until it is started.
        began: when it was started [s].
    """

    number: int
    folder: Path
    process: subprocess.Popen[bytes] | None = None
    line: list[str] | None = None
    began: float = 0.0

    @property
    def file(self) -> Path:
        """Of the run."""
        return self.folder / "run.nc"

    def text(self) -> str:
        """The text of the model that it was made from."""
        return read_exactly(self.folder / "model.yaml")

    @property
    def is_going(self) -> bool:
        """Whether its process is at work."""
        return self.process is not None and self.process.poll() is None

    @property
    def is_waiting(self) -> bool:
        """Whether it waits until another one has ended."""
        return self.line is not None and self.process is None

    def request(self) -> dict[str, Any]:
        """Analysis and options."""
        return _json(self.folder / "request.json")

    def answer(self) -> dict[str, Any]:
        """What the analysis says; of one that goes or was cancelled, what it had so far."""
        found = self._output() or _json(self.folder / PARTIAL)
        return found | ({"warnings": _warnings(found)} if "warnings" in found else {})

    def _output(self) -> dict[str, Any]:
        """What its process printed."""
        return _json(self.folder / "said.json")

    def state(self) -> RunState:
        """What has become of it.

        Whether it goes is asked once, and before its answer is read: a process that ends in
        between has not failed, it goes until the next look.
        """
        phase = "waiting" if self.is_waiting else "going" if self.is_going else "ended"
        asked, said = self.request(), self._output()
        options, analysis = asked.get("options", {}), asked.get("analysis", "simulate")
        share = self._share(options) if phase == "going" else None
        spent = time.monotonic() - self.began
        left = spent * (1 - share) / share if share else None
        title = _json(self.folder / "title.json").get("title") or f"{analysis} {self.number}"
        return RunState.model_validate({
            "id": self.number, "analysis": analysis, "title": title,
            "state": self._end_word(said) if phase == "ended" else phase,
            "error": self._error(said) if phase == "ended" else "", "options": options,
            "notes": [*asked.get("notes", ()), *_warnings(said)][:MOST_NOTES],
            "has_curves": self.file.exists(), "progress": share, "left": left,
            "doing": self._doing() if phase == "going" else "",
        })  # fmt: skip

    def _end_word(self, said: dict[str, Any]) -> str:
        if (self.folder / CANCELLED).exists():
            return "cancelled"
        return "failed" if "error" in said or not said else "finished"

    def _error(self, said: dict[str, Any]) -> str:
        """Why it failed; a process that was ended could not say it."""
        if (self.folder / CANCELLED).exists():
            kept = self.file.exists() or (self.folder / PARTIAL).exists() or {*said} - {"error"}
            return "" if kept else "cancelled before it had anything to show"
        if said:
            return for_forms(str(said.get("error", "")))
        return "its process ended without a word: it was killed, or the memory was not enough"

    def _doing(self) -> str:
        """What is derived or compiled for it now; nothing once it goes."""
        told, made = self.folder / PROGRESS, self.folder / DOING
        latest = max((told, made, self.file), key=_time_of)
        return str(_json(latest).get("doing", "")) if latest != self.file else ""

    def _share(self, options: dict[str, Any]) -> float | None:
        """Share of the time that is on the disk already; None before there is any."""
        told = _json(self.folder / PROGRESS).get("share")
        if isinstance(told, int | float):
            return float(np.clip(told, 0.0, 1.0))
        if not self.file.exists() or not options.get("duration"):
            return None
        import h5py  # noqa: PLC0415  a studio starts without it

        try:
            with h5py.File(self.file, "r") as file:
                return float(np.clip(file["time"][-1] / options["duration"], 0.0, 1.0))
        except (OSError, KeyError, IndexError):
            return None


class Jobs:
    """All runs of one model file; as many at a time as there are processors, others wait."""

    def __init__(self, model: Path) -> None:
        self.folder = model.parent / FOLDER / "runs" / model.stem
        self.curves = CurveStore()
        self._lock = threading.Lock()
        numbers = (int(p.name) for p in self.folder.glob("*") if p.name.isdecimal())
        self.jobs = {k: Job(k, self.folder / str(k)) for k in sorted(numbers)}

    def start(self, text: str, analysis: str, given: dict[str, Any]) -> Job:
        """Begin an analysis of the model of a text.

        Args:
            text: of the model file.
            analysis: a row of the table of analyses.
            given: its options.
        """
        # the page is served before the tables of methods and formalisms are loaded
        from kinetree.studio.runs.analyses import ANALYSES, options_of, words  # noqa: PLC0415

        options = options_of(analysis, given)
        run = ""
        if ANALYSES[analysis].needs_run:
            run = str(self._run_file(int(options["run"])))
        with self._lock:
            waiting = sum(job.is_waiting for job in self.jobs.values())
            if waiting >= MOST_WAITING:
                raise FormatError(
                    f"{waiting} runs wait already", element=analysis, cure="wait, or cancel some"
                )
            asked = {"analysis": analysis, "options": options, "notes": _left_out(text)}
            job = self._make(text, asked)
            job.line = words(analysis, options, run)
            self.jobs[job.number] = job
            self._start_waiting()
        return job

    def _make(self, text: str, asked: dict[str, Any]) -> Job:
        """A new job with its folder; it is one of the jobs, and seen, when all of it is there."""
        number = max(self.jobs, default=0) + 1
        job = Job(number, self.folder / str(number))
        write_file(job.folder / "model.yaml", text)
        write_file(job.folder / "request.json", json.dumps(asked))
        return job

    def _start_waiting(self) -> None:
        """Start what waits, as far as there are processors."""
        going = sum(job.is_going for job in self.jobs.values())
        for job in list(self.jobs.values()):
            if job.line is not None and job.process is None and going < MOST_GOING:
                job.process, job.began = start_worker(job.folder, job.line), time.monotonic()
                threading.Thread(target=self._go_on, args=(job.process,), daemon=True).start()
                going += 1

    def _go_on(self, process: subprocess.Popen[bytes]) -> None:
        """When a process has ended, start the next."""
        process.wait()
        if process.stdin is not None:
            process.stdin.close()
        with self._lock:
            self._start_waiting()

    def import_curves(self, text: str, said: ImportMessage, file: Path | None) -> Job:
        """Measured curves as a run.

        Args:
            text: of the model file, which they are kept with.
            said: what is imported.
            file: of the folder; None where the table is in the message.
        """
        with TemporaryDirectory(dir=self._scratch()) as place:
            target = Path(place) / "run.nc"
            if file is None:
                notes = measured_run(f"table '{said.name}'", said.content, said.renamed, target)
            else:
                notes = run_of_file(file, said.renamed, target)
            with self._lock:
                asked = {"analysis": "measured", "options": {"source": said.name}}
                job = self._make(text, asked)
                write_file(
                    job.folder / "said.json", json.dumps({"source": said.name, "warnings": notes})
                )
                write_file(job.folder / "title.json", json.dumps({"title": said.name}))
                target.rename(job.file)
                self.jobs[job.number] = job
        return job

    def _scratch(self) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder

    def rename(self, number: int, title: str) -> Job:
        """Give a run a name."""
        job = self.get(number)
        write_file(job.folder / "title.json", json.dumps({"title": title}))
        return job

    def remove(self, number: int) -> None:
        """Forget a run and what it computed.

        Raises:
            FormatError: while it goes.
        """
        job = self.get(number)
        if job.is_going:
            raise FormatError("it still goes", element=f"run {number}", cure="cancel it first")
        with self._lock:
            del self.jobs[number]
        shutil.rmtree(job.folder, ignore_errors=True)

    def _run_file(self, number: int) -> Path:
        """The file of a run that an analysis looks at."""
        file = self.get(number).file
        if not file.exists():
            raise FormatError("it has no motion", element=f"run {number}", cure="take a simulation")
        return file.resolve()

    def cancel(self, number: int) -> Job:
        """Ask a run to end, and end it where it does not; what was computed stays."""
        job = self.get(number)
        if job.is_waiting:
            write_file(job.folder / CANCELLED, "")
            with self._lock:
                job.line = None
        elif job.process is not None and job.is_going:
            write_file(job.folder / CANCELLED, "")
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
        """End all that still goes or waits."""
        with self._lock:
            for job in self.jobs.values():
                job.line = job.line if job.process is not None else None
        for job in self.jobs.values():
            if job.process is not None and job.is_going:
                job.process.kill()
                job.process.wait()


def _warnings(said: dict[str, Any]) -> list[str]:
    """What an analysis warns of."""
    return [for_forms(str(text)) for text in said.get("warnings", ())]


def _left_out(text: str) -> list[str]:
    """A note of the elements that are switched off, where there are any."""
    from kinetree.formats.edits.entries import yaml_text  # noqa: PLC0415  as above
    from kinetree.formats.edits.operations import OFF  # noqa: PLC0415

    try:
        data = yaml_text(text).plain.data
    except KinetreeError:
        return []
    sections = data.items() if isinstance(data, dict) else ()
    names = [
        f"{section}.{name}"
        for section, rows in sections if isinstance(rows, dict)
        for name, row in rows.items() if isinstance(row, dict) and row.get(OFF) is True
    ]  # fmt: skip
    return [f"switched off, and left out: {', '.join(names)}"] if names else []


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _time_of(path: Path) -> float:
    """When a file was written [s]; 0 where there is none."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _json(path: Path) -> dict[str, Any]:
    """The mapping in a JSON file; empty where there is none yet."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
