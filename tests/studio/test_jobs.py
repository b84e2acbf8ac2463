"""Runs as they are told: a look at any moment says what is true of that moment."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

pytest.importorskip("starlette")

from kinetree.analysis.runs.progress import ProgressNumber, telling_file
from kinetree.studio.messages import RunState
from kinetree.studio.runs import jobs as jobs_module
from kinetree.studio.runs.jobs import Job, Jobs
from kinetree.studio.runs.worker import tell_work
from kinetree.studio.telling import SessionNews
from kinetree.work import WorkCount


class _EndsBetween:
    """A process that goes at the first look and has ended, with its answer, at the next."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.looks = folder, 0

    def poll(self) -> int | None:
        self.looks += 1
        return None if self.looks == 1 else 0


def test_a_run_that_ends_during_a_look_has_not_failed(tmp_path: Path) -> None:
    (tmp_path / "request.json").write_text('{"analysis": "simulate", "options": {}}')
    job = Job(1, tmp_path, process=cast("Any", _EndsBetween(tmp_path)))
    assert job.state().state == "going"
    (tmp_path / "said.json").write_text(json.dumps({"steps": 3}))
    found = job.state()
    assert (found.state, found.error) == ("finished", "")


def test_a_run_is_seen_when_all_of_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While its process is being started it waits; before, there is none."""
    jobs = Jobs(tmp_path / "model.yaml")
    seen: list[list[str]] = []

    def start(folder: Path, line: list[str]) -> Any:
        seen.append([job.state().state for job in jobs.jobs.values()])
        (folder / "said.json").write_text("{}")
        return SimpleNamespace(poll=lambda: None, wait=lambda *_: 0, stdin=None)

    write = jobs_module.write_file

    def written(path: Path, text: str) -> None:
        seen.append([job.state().state for job in jobs.jobs.values()])
        write(path, text)

    monkeypatch.setattr(jobs_module, "start_worker", start)
    monkeypatch.setattr(jobs_module, "write_file", written)
    jobs.start("name: m\n", "simulate", {"duration": 1.0})
    assert seen == [[], [], ["waiting"]]


def test_a_run_that_waited_is_told_to_the_end() -> None:
    said = iter(["waiting", "going", "finished", "finished"])

    def state() -> RunState:
        return RunState.model_validate({
            "id": 1, "analysis": "simulate", "title": "one", "state": next(said), "error": "",
            "options": {}, "has_curves": False, "progress": None, "left": None,
        })  # fmt: skip

    session = SimpleNamespace(path=Path(__file__), revision=1, is_saved=False, saved="")
    jobs = SimpleNamespace(jobs={1: SimpleNamespace(state=state)}, lock=threading.Lock())
    news = SessionNews(cast("Any", session), cast("Any", jobs))
    told = [event for _ in range(5) for event in news.news()]
    assert [event.run.state for event in told if hasattr(event, "run")] == [
        "waiting", "going", "finished",
    ]  # fmt: skip


def test_what_is_made_for_a_run_is_told_until_it_goes(tmp_path: Path) -> None:
    job = Job(1, tmp_path, process=cast("Any", SimpleNamespace(poll=lambda: None)))
    (tmp_path / "request.json").write_text('{"analysis": "kinematics", "options": {}}')
    assert job.state().doing == ""
    tell_work(tmp_path)(WorkCount("deriving", 512, 1))
    assert job.state().doing == "deriving, 512 blocks derived, 1 function compiled"
    later = (tmp_path / "doing.json").stat().st_mtime + 1.0
    for share, doing in ((0.1, "compiling, 2 functions compiled"), (0.6, "")):
        written = ProgressNumber.beside(share, doing)
        telling_file(tmp_path / "progress.json")(written)
        os.utime(tmp_path / "progress.json", (later, later))
        assert (job.state().doing, job.state().progress) == (doing, share)
    tell_work(tmp_path)(WorkCount("compiling"))
    os.utime(tmp_path / "doing.json", (later + 1.0, later + 1.0))
    assert job.state().doing == "compiling"
    (tmp_path / "run.nc").touch()
    os.utime(tmp_path / "run.nc", (later + 2.0, later + 2.0))
    assert job.state().doing == ""
