"""Sweeps in lanes, on threads, workers and devices; killed; their stores; their summaries."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
import lengths
from analysis.test_sensitivity import oscillator
from approx import FORMALISM, IDENTITY, READ_OFF, assert_close
from kinetree.analysis.sweeping.gpu import DeviceMarch
from kinetree.analysis.sweeping.job import SweepJob

OVER = {"c": (0.5, 2.0), "m": (0.8, 1.2), "qd0.y": (0.1, 1.0)}
SEEN = {
    "end": kt.final("q_y"), "peak": kt.peak("q_y"), "way": kt.integral("qd_y"),
    "rms": kt.rms("qdd_y"), "there": kt.at_time("q_y", 0.33),
}  # fmt: skip
STEPS: dict[str, Any] = {"integrator": "trapezoidal", "step": 0.01}


def test_runs_in_lanes_are_those_of_single_ones() -> None:
    T = 1.5
    found = kt.sweep(oscillator(), T, kt.sobol(OVER, 20, seed=3), SEEN, part=12, **STEPS)
    c, m, v = (found[name].values for name in OVER)
    w = np.sqrt(c / m)
    assert_close(found.end, v / w * np.sin(w * T), READ_OFF)
    assert_close(found.peak, v / w * np.sin(np.minimum(w * T, np.pi / 2)), READ_OFF)
    for k in (0, 7, 19):
        values = {"c": c[k], "m": m[k]}
        one = kt.sensitivity(
            oscillator(), T, SEEN, by=[], qd={"y": v[k]}, parameters=values, **STEPS
        )
        assert_close([float(found[name][k]) for name in SEEN], one.value, FORMALISM)


def test_closed_systems_in_lanes_and_what_fails_there() -> None:
    over = {"coupler": [2.1, 2.2, 9.0, 2.3, 2.4], "qd0.a": [1.0, 0.5, 0.1, 0.2, 2.0]}
    how: dict[str, Any] = {"formulation": "hybrid", "integrator": "newmark", "step": 0.005}
    seen = {"end": kt.final("q_c"), "most": kt.peak("qd_c")}
    found = kt.sweep(lengths.four_bar(), 0.3, kt.run_list(over), seen, **how)
    assert np.isfinite(found.end.values).tolist() == [True, True, False, True, True]
    assert "the loop does not close" in str(found.reason.values[2])
    fine = kt.sweep(lengths.four_bar(), 0.3, kt.run_list(over), seen, rtol=1e-9)
    good = [0, 1, 3, 4]
    assert_close(found.end[good], fine.end[good], READ_OFF)
    assert_close(found.most[good], fine.most[good], READ_OFF)


def test_a_duration_that_varies_in_equal_steps() -> None:
    found = kt.sweep(
        oscillator(), 1.0, kt.grid({"duration": [0.5, 1.0]}), {"end": kt.final("q_y")},
        qd={"y": 1.0}, **STEPS,
    )  # fmt: skip
    assert_close(found.end, np.sin([0.5, 1.0]), READ_OFF)


def test_threads_change_no_bit() -> None:
    plan = kt.latin_hypercube(OVER, 40, seed=2)
    for how in ({"rtol": 1e-9}, STEPS):
        one, four = (
            kt.sweep(oscillator(), 0.5, plan, SEEN, threads=threads, **how) for threads in (1, 4)
        )
        assert all(one[name].values.tobytes() == four[name].values.tobytes() for name in SEEN)


def test_the_march_of_a_device_gives_the_same() -> None:
    plan = kt.sobol(OVER, 9, seed=1)
    job = SweepJob(oscillator(), 0.5, plan, SEEN, STEPS, 16, 1)
    usual = job.make(0)
    runner: Any = job.runner
    runner.__dict__["marching"] = DeviceMarch(runner.forms, {"target": "native"}, np)
    device = job.make(0)
    for name in SEEN:
        assert_close(device[name], usual[name], IDENTITY, name)
    source = runner.forms.step.compile(target="cuda", dtype="double").source("each")
    assert "__global__" in str(source.text if hasattr(source, "text") else source)


def test_a_machine_without_a_gpu_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    plan = kt.grid({"c": [1.0]})
    with pytest.raises(kt.errors.UnsupportedError, match="device 'gpu': the package CuPy"):
        kt.sweep(oscillator(), 1.0, plan, SEEN, device="gpu", **STEPS)
    with pytest.raises(kt.errors.UnsupportedError, match="only equal steps"):
        kt.sweep(oscillator(), 0.1, plan, SEEN, device="gpu")


# --- killed --------------------------------------------------------------------------------------

CHILD = """
import sys
import kinetree as kt
sys.path.insert(0, sys.argv[2])
from analysis.test_many_sweeps import OVER, SEEN, STEPS
from analysis.test_sensitivity import oscillator
print("go", flush=True)
kt.sweep(oscillator(), 1.0, kt.sobol(OVER, 2000, seed=5), SEEN, part=100, into=sys.argv[1], **STEPS)
"""


def test_a_sweep_killed_at_random_moments_ends_with_the_same_bits(tmp_path: Path) -> None:
    folder, random, kills = tmp_path / "study", np.random.default_rng(4), 0
    command = [sys.executable, "-c", CHILD, str(folder), str(Path(__file__).parents[1])]
    for _ in range(3):
        child = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(random.uniform(0.1, 0.7))
        kills += child.poll() is None
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
    assert kills
    plan = kt.sobol(OVER, 2000, seed=5)
    if list(folder.glob("part-*.nc")):
        assert kt.load_sweep(folder).sizes["run"] % 100 == 0
    again = kt.sweep(oscillator(), 1.0, plan, SEEN, part=100, into=folder, **STEPS)
    whole = kt.sweep(oscillator(), 1.0, plan, SEEN, part=100, **STEPS)
    for name in (*SEEN, *OVER):
        assert again[name].values.tobytes() == whole[name].values.tobytes(), name
    assert not list(folder.glob(".*"))  # nothing half written is left


def test_an_interrupt_keeps_what_was_computed(tmp_path: Path) -> None:
    def stop(done: int, whole: int) -> None:
        if done >= 20:
            raise KeyboardInterrupt

    plan = kt.sobol(OVER, 40, seed=1)
    with pytest.raises(KeyboardInterrupt):
        kt.sweep(oscillator(), 0.2, plan, SEEN, part=10, into=tmp_path / "a", progress=stop)
    assert kt.load_sweep(tmp_path / "a").sizes["run"] == 20


def test_a_full_disk_is_told_and_parts_are_kept(tmp_path: Path, monkeypatch: Any) -> None:
    import errno

    from kinetree import files

    plan, place, written = kt.sobol(OVER, 40, seed=1), tmp_path / "a", []
    flush = files._flush

    def full(path: Path) -> None:
        written.append(path)
        if len(written) > 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        flush(path)

    monkeypatch.setattr(files, "_flush", full)
    with pytest.raises(kt.errors.FileError, match=r"part-000002.*free some space on that disk"):
        kt.sweep(oscillator(), 0.2, plan, SEEN, part=10, into=place)
    monkeypatch.undo()
    assert kt.load_sweep(place).sizes["run"] == 20
    assert kt.sweep(oscillator(), 0.2, plan, SEEN, part=10, into=place).sizes["run"] == 40


# --- workers -------------------------------------------------------------------------------------


def test_parts_by_workers_all_of_which_are_killed_once(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    from distributed import Client, LocalCluster

    plan = kt.sobol(OVER, 600, seed=2)
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        ids = [
            row["pid"] for row in client.run(lambda: {"pid": __import__("os").getpid()}).values()
        ]
        killed = []

        def kill(done: int, whole: int) -> None:
            if done >= 100 and not killed:
                for number in ids:  # with them goes every copy of the model that was sent
                    os.kill(number, signal.SIGKILL)
                killed.extend(ids)

        found = kt.sweep(
            oscillator(), 1.0, plan, SEEN, part=50, into=tmp_path / "a", workers=client,
            progress=kill, threads=1, **STEPS,
        )  # fmt: skip
    assert killed
    whole = kt.sweep(oscillator(), 1.0, plan, SEEN, part=50, **STEPS)
    for name in SEEN:
        assert found[name].values.tobytes() == whole[name].values.tobytes(), name


def test_where_no_worker_is_left_it_is_told_and_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    from distributed import Client, LocalCluster

    for name, value in {"ABSENCE": 0.3, "LOOK": 0.05}.items():
        monkeypatch.setattr(f"kinetree.analysis.sweeping.workers.{name}", value)
    plan, place = kt.sobol(OVER, 60, seed=2), tmp_path / "a"
    given: dict[str, Any] = {"part": 10, "into": place, **STEPS}
    alone: dict[str, Any] = {"n_workers": 1, "processes": False, "dashboard_address": ":0"}
    with LocalCluster(**alone) as cluster, Client(cluster) as client:

        def leave(done: int, whole: int) -> None:
            cluster.scale(0)
            cluster.sync(cluster._correct_state)

        with pytest.raises(kt.errors.ModelError, match=r"workers: for 0.3 s .* none; start some"):
            kt.sweep(oscillator(), 1.0, plan, SEEN, workers=client, progress=leave, **given)
        there = kt.load_sweep(place).sizes["run"]
        assert 10 <= there < 60
        cluster.scale(1)
        found = kt.sweep(oscillator(), 1.0, plan, SEEN, workers=client, **given)
    whole = kt.sweep(oscillator(), 1.0, plan, SEEN, part=10, **STEPS)
    for name in SEEN:
        assert found[name].values.tobytes() == whole[name].values.tobytes(), name


def test_where_the_scheduler_goes_it_is_told(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    from distributed import Client, LocalCluster

    plan = kt.sobol(OVER, 60, seed=2)
    alone: dict[str, Any] = {"n_workers": 1, "processes": False, "dashboard_address": ":0"}
    with (
        LocalCluster(**alone) as cluster,
        Client(cluster.scheduler_address, timeout=0.5) as client,
        pytest.raises(kt.errors.ModelError, match="scheduler does not answer any more; start"),
    ):
        kt.sweep(
            oscillator(), 1.0, plan, SEEN, part=10, workers=client, into=tmp_path / "a",
            progress=lambda done, whole: cluster.close(), **STEPS,
        )  # fmt: skip
    assert 10 <= kt.load_sweep(tmp_path / "a").sizes["run"] < 60


def test_what_workers_cannot_get_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("kinetree.analysis.sweeping.workers.PATIENCE", 0.5)
    plan = kt.grid({"c": [1.0]})
    with pytest.raises(kt.errors.ModelError, match=r"workers.*distributed.Client"):
        kt.sweep(oscillator(), 0.1, plan, SEEN, workers=3)
    with pytest.raises(kt.errors.ModelError, match=r"no scheduler at 'tcp://127.0.0.1:9'"):
        kt.sweep(oscillator(), 0.1, plan, SEEN, workers="tcp://127.0.0.1:9")


# --- stores, plans, summaries --------------------------------------------------------------------


@pytest.mark.parametrize("store", ["netcdf", "zarr"])
def test_all_parts_become_one_store(tmp_path: Path, store: str) -> None:
    if store == "zarr":
        pytest.importorskip("zarr")
    import xarray as xr

    plan, place = kt.grid({"coupler": [2.1, 9.0, 2.2], "Z": [0.0, 0.0]}), tmp_path / "a"
    seen = {"end": kt.final("q_c")}
    found = kt.sweep(lengths.four_bar(), 0.1, plan, seen, into=place, part=2, store=store)
    whole = kt.sweep(lengths.four_bar(), 0.1, plan, seen)
    file = place / ("sweep.nc" if store == "netcdf" else "sweep.zarr")
    opened = xr.open_dataset(file) if store == "netcdf" else xr.open_zarr(file, consolidated=False)
    for many in (found, opened):
        assert np.array_equal(many.end.values, whole.end.values, equal_nan=True)
        assert many["coupler"].values.tolist() == whole["coupler"].values.tolist()
        assert [str(x) for x in many.reason.values] == [str(x) for x in whole.reason.values]
        assert many.attrs["plan"] == "grid"
    opened.close()


def test_a_plan_of_one_s_own_that_changes_is_refused(tmp_path: Path) -> None:
    end, place = {"end": kt.final("q_y")}, tmp_path / "a"

    def rows(factor: float) -> Any:
        return kt.own_plan(["c", "m"], 6, lambda k: [1.0 + factor * k, 1.0])

    found = kt.sweep(oscillator(), 0.2, rows(0.1), end, into=place, part=4)
    assert_close(found["c"].values, 1 + 0.1 * np.arange(6), IDENTITY)
    with pytest.raises(kt.errors.ModelError, match="belongs to another sweep: plan differ"):
        kt.sweep(oscillator(), 0.2, rows(0.2), end, into=place, part=4)
    other = oscillator()
    other.gravity = (0, 0, -1.0)
    with pytest.raises(kt.errors.ModelError, match="another sweep: model differ"):
        kt.sweep(other, 0.2, rows(0.1), end, into=place, part=4)
    with pytest.raises(kt.errors.ShapeError, match="run 0 has"):
        kt.own_plan(["c", "m"], 6, lambda k: [1.0])
    with pytest.raises(kt.errors.ModelError, match="it holds no sweep"):
        kt.load_sweep(tmp_path)


def test_means_quantiles_and_shares_of_the_variance() -> None:
    free = kt.Model("free", gravity=(0, 0, 0))
    free.prismatic("y", free.ground, free.body("body", 1.0), axis="x")
    over = {"q0.y": (0.0, 1.0), "qd0.y": (-1.0, 1.0)}  # q0 + v T: variances 1/12 and T²/3
    seen, T, n = {"end": kt.final("q_y")}, 0.5, 512
    exact = np.array([1 / 12, T**2 / 3])
    found = kt.summarise(kt.sweep(free, T, kt.saltelli(over, n, seed=1), seen), [0.5])
    assert_close(found["first"][0], exact / exact.sum(), 0.02)
    assert_close(found["total"][0], exact / exact.sum(), 0.02)
    assert_close(found["mean"], [0.5], 0.01)
    assert_close(found["std"], [np.sqrt(exact.sum())], 0.02)
    assert_close(found["quantile"].sel(share=0.5), [0.5], 0.02)
    found = kt.summarise(kt.sweep(free, T, kt.sobol(over, 1024, seed=1), seen))
    assert_close(found["first"][0], exact / exact.sum(), 0.05)
    assert "total" not in found
    few = kt.summarise(kt.sweep(free, T, kt.latin_hypercube(over, 24, seed=1), seen))
    assert (few["first"] < 0.95).all()  # every run has values of its own, which tell nothing alone
    product = {"end": kt.final("q_y * qd_y")}  # y v with y = q0 + v T: interactions
    found = kt.summarise(kt.sweep(free, 0.001, kt.saltelli(over, n, seed=1), product))
    # of q0 v with q0 in (0, 1), v in (-1, 1): first 0 and 3/4, total 1/4 and 1
    assert_close(found["first"][0], [0.0, 0.75], 0.03)
    assert_close(found["total"][0], [0.25, 1.0], 0.03)
    with pytest.raises(kt.errors.ModelError, match="3 runs have a value"):
        kt.summarise(kt.sweep(free, T, kt.run_list({"q0.y": [1.0, 2.0, 3.0]}), seen))
    with pytest.raises(kt.errors.ShapeError, match="quantiles"):
        kt.summarise(kt.sweep(free, T, kt.sobol(over, 9), seen), [2.0])


def test_shares_of_the_variance_of_a_known_function() -> None:
    model = kt.Model("free", gravity=(0, 0, 0))
    model.prismatic("y", model.ground, model.body("body", 1.0), axis="x")
    names, a, b = ("u", "v", "w"), 7.0, 0.1
    for name in names:
        model.parameter(name, 0.0)
    plan = kt.saltelli(dict.fromkeys(names, (-np.pi, np.pi)), 512, seed=1)
    seen = {"f": kt.final("sin(u) + 7*sin(v)**2 + 0.1*w**4*sin(u)")}
    found = kt.summarise(kt.sweep(model, 0.01, plan, seen, integrator="trapezoidal", step=0.01))
    # Ishigami's function: variances by u alone, by v alone, by u and w together
    own = np.array([(1 + b * np.pi**4 / 5) ** 2 / 2, a**2 / 8, 8 * b**2 * np.pi**8 / 225])
    whole = own.sum()
    assert_close(found["mean"], [a / 2], 0.01)
    assert_close(found["std"], [np.sqrt(whole)], 0.01)
    assert_close(found["first"][0], np.array([own[0], own[1], 0.0]) / whole, 0.02)
    assert_close(found["total"][0], np.array([own[0] + own[2], own[1], own[2]]) / whole, 0.08)


def test_equal_steps_refuse_what_they_have_no_use_for() -> None:
    plan = kt.grid({"c": [1.0]})
    with pytest.raises(kt.errors.UnsupportedError, match="have no events"):
        kt.sweep(oscillator(), 0.1, plan, {"t": kt.event_time("low")}, **STEPS)
    with pytest.raises(kt.errors.KinetreeError, match="rtol"):
        kt.sweep(oscillator(), 0.1, plan, SEEN, rtol=1e-3, **STEPS)
    with pytest.raises(kt.errors.KinetreeError, match="inside them"):
        kt.sweep(oscillator(), 0.1, plan, {"m": kt.at_time("q_y", 9.0)}, **STEPS)
