"""Runs come back from disk as they were."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat
from tests.analysis import systems

import kinetree as kt
from kinetree.errors import KinetreeError


def test_netcdf_keeps_everything(tmp_path: Path) -> None:
    model = systems.thrown()
    run = kt.simulate(model, 0.2, qd=np.ones(6), events={"half": "t - 0.1", "never": "t - 9"})
    back = kt.load_run(kt.save_run(run, tmp_path / "deep" / "run.nc"))
    assert back.identical(run)
    assert back.attrs["model_hash"] == model.content_hash()
    assert list(back.event_name.values) == ["half"]
    assert list(back.unit_coordinate.values) == ["1"] * 4 + ["m"] * 3


def test_a_run_without_events_that_happened_is_kept_too(tmp_path: Path) -> None:
    run = kt.simulate(systems.pendulum(), 0.1, events={"never": "t - 9"})
    assert kt.load_run(kt.save_run(run, tmp_path / "run.nc")).sizes["event"] == 0


def test_csv_reads_back_to_the_last_bit(tmp_path: Path) -> None:
    run = kt.simulate(systems.double_pendulum(), 0.5, step=0.05)
    path = kt.save_run(run, tmp_path / "run.csv")
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    rows = list(csv.reader(lines))
    assert rows[0][:5] == ["time", "q.a", "q.b", "qd.a", "qd.b"]
    table = np.array(rows[1:], dtype=float)
    assert np.array_equal(table[:, 0], run.time.values)
    assert np.array_equal(table[:, 1:3], run.q.values)
    assert "# model: double_pendulum" in path.read_text()


def test_matlab_reads_variables_and_their_names(tmp_path: Path) -> None:
    model = systems.double_pendulum()
    model.output("high", lambda q: q["a"] + 1)
    run = kt.simulate(model, 0.5, step=0.05, outputs=["high", "energy.kinetic"])
    found = loadmat(kt.save_run(run, tmp_path / "run.mat"), simplify_cells=True)
    assert np.array_equal(found["time"], run.time.values)
    assert np.array_equal(found["q"], run.q.values)
    assert np.array_equal(found["high"], run["high"].values)
    assert np.array_equal(found["energy_kinetic"], run["energy.kinetic"].values)
    assert list(found["names"]["qd"]) == ["a", "b"]
    assert found["manifest"]["model"] == "double_pendulum"
    with pytest.raises(KinetreeError, match=r"use \.nc"):
        kt.load_run(tmp_path / "run.mat")


def test_mistakes_are_sentences(tmp_path: Path) -> None:
    run = kt.simulate(systems.pendulum(), 0.1)
    with pytest.raises(KinetreeError, match=r"use \.nc"):
        kt.save_run(run, tmp_path / "run.xlsx")
    with pytest.raises(KinetreeError, match="no such file"):
        kt.load_run(tmp_path / "none.nc")
    (tmp_path / "bad.nc").write_text("no numbers")
    with pytest.raises(KinetreeError, match="cannot be read"):
        kt.load_run(tmp_path / "bad.nc")
