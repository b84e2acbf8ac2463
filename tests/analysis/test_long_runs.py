"""Long runs: written while they go, whole or killed; in bounded memory; continued."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
from tests import mechanisms
from tests.analysis import systems
from tests.approx import COARSE_RUN, TRAJECTORY

import kinetree as kt
from kinetree.analysis.runs import record
from kinetree.errors import KinetreeError
from kinetree.integrate import drive, scipy_methods
from kinetree.integrate.loops import native
from kinetree.integrate.methods import METHODS
from kinetree.integrate.steps import repartitioned_run
from kinetree.results import growing

READY = [name for name, row in METHODS.items() if row.ready()]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def merged(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of parts that runs were put together from; they are written often and small here."""
    counts: list[int] = []
    finish = growing.GrowingRun.finish

    def counting(self: growing.GrowingRun, rows: xarray.Dataset) -> Path:
        counts.append(len(self.parts))
        return finish(self, rows)

    monkeypatch.setattr(growing.GrowingRun, "finish", counting)
    monkeypatch.setattr(growing, "EVERY", 0.1)
    monkeypatch.setattr(growing, "WHOLE", 6000)
    monkeypatch.setattr(record, "AT_ONCE", 50)
    monkeypatch.setattr(native, "GIVE_EVERY", 0.0)
    monkeypatch.setattr(drive, "SLICE", 1e-3)
    monkeypatch.setattr(repartitioned_run, "PART", 50)
    monkeypatch.setattr(scipy_methods, "GIVE_EVERY", 0.02)
    return counts


def room() -> kt.Model:
    """A heater with hysteresis, a mode that events switch, and a clock that counts."""
    model = kt.Model("room", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("unused", mass=1.0), axis="x")
    model.mode("on", 1.0)
    model.mode("count")
    model.state("T", 18.0, lambda x: 3.0 * x["on"] - 0.1 * (x["T"] - 10.0))
    model.event("warm", lambda x: x["T"] - 21.0, {"on": 0.0})
    model.event("cold", lambda x: x["T"] - 19.0, {"on": 1.0}, direction="falling")
    model.event("tick", every=0.25, then={"count": lambda x: x["count"] + 1.0})
    return model


def pushed() -> kt.Model:
    """A thrown body with two wrenches from outside."""
    model = systems.thrown()
    model.wrench("push", "box", frame="world")
    model.wrench("pull", "box", frame="world")
    return model


CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    **{f"crank {name}": (mechanisms.slider_crank, {
        "duration": 0.2, "qd": {"q1": 20.0}, "step": 1e-3, "method": name,
        **({"events": {"top": "sin(100*t)"}} if METHODS[name].solve is not None else {}),
    }) for name in READY},
    "every step": (systems.double_pendulum, {"duration": 3.0, "step": 0.0, "q": [0.3, 0.4]}),
    "modes and clocks": (room, {"duration": 5.0, "step": 0.02}),
    "interrupted by an event": (systems.pendulum, {
        "duration": 5.0, "step": 0.01, "events": {"low": kt.Event("q_swing + 1", stops=True)},
    }),
    "a wrench": (pushed, {
        "duration": 1.0, "step": 0.01, "qd": np.ones(6),
        "wrenches": {"pull": lambda t, q, qd: [0, 0, t, 0, 1, 0]},
    }),
    "Python efforts": (systems.pendulum, {
        "duration": 1.0, "step": 0.01, "tau": lambda t, q, qd: [np.sin(t)],
    }),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_file_written_on_the_way_is_the_run_that_is_saved(
    case: str, tmp_path: Path, merged: list[int]
) -> None:
    made, given = CASES[case]
    model, given = made(), dict(given)
    duration = given.pop("duration")
    plain = kt.simulate(model, duration, **given)
    found = kt.simulate(model, duration, **given, file=tmp_path / "run.nc")
    read = kt.load_run(tmp_path / "run.nc")
    for run in (plain, found, read):
        assert run.attrs.pop("wall_time_s") >= 0
    assert read.identical(plain)
    assert found.identical(plain)
    assert [path.name for path in tmp_path.iterdir()] == ["run.nc"]
    assert not case.startswith("crank") or merged[0] > 1


def test_coordinates_are_chosen_anew_on_the_way_too(tmp_path: Path, merged: list[int]) -> None:
    model = mechanisms.chain(3)
    plain = kt.simulate(model, 2.0)
    kt.simulate(model, 2.0, file=tmp_path / "run.nc")
    read = kt.load_run(tmp_path / "run.nc")
    assert read.attrs["partitions"] == plain.attrs["partitions"] > 1
    assert read.drop_attrs().identical(plain.drop_attrs())
    assert merged[0] > 1


CHILD = """
import sys
import kinetree as kt
from kinetree.results import growing
from tests.analysis.test_long_runs import endless
growing.EVERY, growing.WHOLE = 0.02, 2**18
print("ready", flush=True)
endless(sys.argv[1])
"""


def endless(file: str | Path | None, duration: float = 2000.0) -> Any:
    """A run that someone must put an end to: three legs per second, rows of every kind."""
    model = room()
    return kt.simulate(model, duration, step=1e-3, file=file, max_steps=10**9)


def killed(file: Path, seconds: float) -> None:
    """Let another process make a run, and kill it that long after it has begun to write."""
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(file)], cwd=ROOT)
    try:
        while not file.exists():
            assert child.poll() is None
            time.sleep(0.002)
        time.sleep(seconds)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()


@pytest.mark.parametrize("moment", range(3))
def test_a_killed_run_has_what_was_reached(moment: int, tmp_path: Path) -> None:
    file = tmp_path / "run.nc"
    killed(file, random.Random(moment).uniform(0.0, 0.6))
    run = kt.load_run(file)
    assert run.attrs["termination"] == "unfinished"
    assert run.attrs["end_time"] == run.time.values[-1]
    with xarray.open_dataset(file) as plain:
        assert plain.identical(run)
    reached, rows = run.attrs["end_time"], run.sizes["time"]
    whole = endless(None, reached + 1.0)
    for name in ("time", "q", "qd", "qdd", "x"):
        assert np.array_equal(run[name].values, whole[name].values[:rows])
    times = whole.event_time.values
    assert np.array_equal(run.event_time.values, times[: run.sizes["event"]])
    assert run.sizes["event"] >= np.sum(times < reached - 1.0)
    # and it goes on, in the place of the file that was left
    kt.simulate(room(), 0.01, continues=file, file=tmp_path / "more.nc")
    kt.simulate(room(), 0.01, file=file)
    assert kt.load_run(file).sizes["time"] == 501
    assert sorted(path.name for path in tmp_path.iterdir()) == ["more.nc", "run.nc"]


ENDS_AT_A_RENAMING = """
import os, sys
from kinetree import files
from kinetree.results import growing
from tests.analysis.test_long_runs import endless
growing.EVERY, growing.WHOLE = 0.02, 2**18
rename, left = files._rename, [int(sys.argv[2])]
def last(part, place):
    left[0] -= 1
    os._exit(1) if left[0] < 0 else rename(part, place)
files._rename = last
endless(sys.argv[1])
"""


@pytest.mark.parametrize("renamings", [2, 3])
def test_what_was_being_written_at_the_end_goes_with_the_parts(
    renamings: int, tmp_path: Path
) -> None:
    """A part (2) or the file itself (3) was whole, but not yet in its place."""
    file = tmp_path / "run.nc"
    line = [sys.executable, "-c", ENDS_AT_A_RENAMING, str(file), str(renamings)]
    assert subprocess.run(line, cwd=ROOT, check=False).returncode == 1
    left = [path.suffix for path in (tmp_path / "run.nc.parts").glob(".*")]
    assert left == [".h5" if renamings == 2 else ".nc"]
    assert kt.load_run(file).attrs["termination"] == "unfinished"
    kt.simulate(room(), 0.01, file=file)
    assert [path.name for path in tmp_path.iterdir()] == ["run.nc"]


def test_a_run_whose_parts_are_gone_is_refused(tmp_path: Path) -> None:
    killed(tmp_path / "run.nc", 0.05)
    (tmp_path / "run.nc.parts").rename(tmp_path / "elsewhere")
    with pytest.raises(KinetreeError, match=r"run\.nc': the run was not finished, .* beside it"):
        kt.load_run(tmp_path / "run.nc")


MEMORY = """
import resource, sys
import kinetree as kt
from tests.analysis.systems import double_pendulum
for rows in (2e4, 4e5):
    kt.simulate(double_pendulum(), rows * 1e-5, step=1e-5, file=sys.argv[1])
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    """Rows of 72 bytes: 29 MB more of them; one number per row, the time, is in memory."""
    told = subprocess.run(
        [sys.executable, "-c", MEMORY, str(tmp_path / "run.nc")], cwd=ROOT, check=True,
        capture_output=True, text=True,
    ).stdout  # fmt: skip
    few, many = (int(line) * 1024 for line in told.split())
    assert many - few < 30e6


def test_a_full_disk_is_told_and_what_was_there_stays(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "run.nc")], cwd=ROOT, check=True,
        capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert "run.nc': it cannot be written" in told
    run = kt.load_run(tmp_path / "run.nc")
    assert run.sizes["time"] > 1000


FULL = """
import resource, signal, sys
import kinetree as kt
from kinetree.analysis.runs import record
from kinetree.errors import KinetreeError
from kinetree.results import growing
from tests.analysis.systems import double_pendulum
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
growing.WHOLE, record.AT_ONCE = 60_000, 1000
try:
    kt.simulate(double_pendulum(), 1.0, step=1e-4, file=sys.argv[1])
except KinetreeError as error:
    print(error)
"""


def test_a_run_in_two_parts_is_the_run_in_one(tmp_path: Path) -> None:
    model = room()
    whole = kt.simulate(model, 10.0, step=0.125)
    kt.simulate(model, 5.0, step=0.125, file=tmp_path / "first.nc")
    rest = kt.simulate(model, 5.0, step=0.125, continues=tmp_path / "first.nc")
    assert np.array_equal(rest.time.values, whole.time.values[40:])
    assert rest.x.values == pytest.approx(whole.x.values[40:], abs=TRAJECTORY)
    assert list(rest.x.sel(state="count").values) == list(whole.x.sel(state="count").values[40:])
    again = kt.simulate(model, 5.0, step=0.125, continues=kt.simulate(model, 5.0, step=0.125))
    assert again.x.identical(rest.x)


@pytest.mark.parametrize("options", [{}, {"method": "cvode_bdf"}, {"method": "trapezoidal"}])
def test_a_mechanism_goes_on_with_its_values(options: dict[str, Any]) -> None:
    model = mechanisms.slider_crank()
    given = {"step": 1e-3, **options}
    values = (
        {"parameters": {model.bodies["rod"].name + ".mass": 2.0}} if "rod" in model.bodies else {}
    )
    first = kt.simulate(model, 0.2, qd={"q1": 3.0}, **given, **values)
    rest = kt.simulate(model, 0.2, continues=first, **given)
    whole = kt.simulate(model, 0.4, qd={"q1": 3.0}, **given, **values)
    assert rest.attrs.get("parameters") == first.attrs.get("parameters")
    assert rest.q.values == pytest.approx(whole.q.values[200:], abs=COARSE_RUN)


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "suffix": ({"file": "run.csv"}, r"run\.csv': '\.csv' is not a valid format of runs; use \.nc"),
    "place": ({"file": "/dev/full/run.nc"}, "it cannot be written"),
    "start": ({"continues": "run.nc", "q": [0.1]}, "q: the run that this one continues gives it"),
    "time": ({"continues": "run.nc", "t0": 1.0}, "t0: the run that this one continues gives it"),
    "itself": ({"continues": "run.nc", "file": "./run.nc"}, "name another one"),
    "model": ({"continues": "other.nc"}, "other.nc': its run is one of model 'double_pendulum'"),
    "none": ({"continues": "none.nc"}, "there is no such file"),
    "kind": ({"continues": 3.0}, "continues"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_are_sentences(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kt.simulate(systems.pendulum(), 0.1, file="run.nc")
    kt.simulate(systems.double_pendulum(), 0.1, file="other.nc")
    given, told = MISTAKES[case]
    with pytest.raises(KinetreeError, match=told):
        kt.simulate(systems.pendulum(), 0.1, **given)
