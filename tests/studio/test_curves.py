"""Curves that are sent to the page: few points, no peak lost, quickly; runs compared."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from tests.analysis import systems
from tests.approx import IDENTITY, READ_OFF, SINGLE, TRAJECTORY
from tests.studio.conftest import Studio, finished

import kinetree as kt
from kinetree.errors import FormatError
from kinetree.studio.runs import curves as runs_curves
from kinetree.studio.runs.curves import (
    BLOCK,
    ROWS_PER_PIXEL,
    RunCurves,
    curves_bytes,
    curves_message,
    read_curves,
)
from kinetree.studio.runs.measured import measured_run, run_of_file
from kinetree.view.packing import unpack
from kinetree.view.page import footage
from kinetree.view.signals import first_curves, groups, join_outputs


def test_thin_curves_keep_their_peaks_and_ends(tmp_path: Path) -> None:
    run = kt.simulate(systems.double_pendulum(), 2.0, step=1e-4, q=[0.3, 0.4])
    run["q"][5003, 0], run["q"][7777, 1] = 9.0, -9.0
    kt.save_run(run, tmp_path / "run.nc")
    curves = read_curves(tmp_path / "run.nc")
    time, found = curves.picture(["q.a", "q.b"], None, None, 300)
    assert len(time) == 601
    assert (max(found["q.a"]), min(found["q.b"])) == (9.0, -9.0)
    assert (time[0], time[-1]) == (run.time.values[0], run.time.values[-1])
    assert np.all(np.diff(time) > 0)
    assert curves.units["q.a"] == "rad"
    near, few = curves.picture(["q.a"], 0.5, 0.51, 300)  # all rows of a short stretch
    assert np.isin(near, run.time.values).all()
    assert 100 <= len(few["q.a"]) <= 104


def test_curves_of_one_column_are_not_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of many points is in memory once, and the same curves are shown first."""
    time = np.linspace(0.0, 1.0, 50)
    data = {f"s{k}": ("time", (k % 2) * np.sin(k * time), {"units": "m"}) for k in range(5)}
    run = xr.Dataset(data, {"time": time})
    monkeypatch.setattr(runs_curves, "load_run", lambda _: run)
    found = read_curves(tmp_path / "run.nc")
    assert all(np.shares_memory(found.values[name], run[name].values) for name in data)
    assert np.shares_memory(found.time, run["time"].values)
    still_ones_left_out = ["s1", "s3"]
    assert found.shown == first_curves(join_outputs(groups(run)), []) == still_ones_left_out


@pytest.mark.parametrize("pixels", [7, 100, 800])
def test_every_part_has_its_least_and_largest_value(pixels: int) -> None:
    """Against all rows between two times, blocks or not, gaps left out."""
    chance = np.random.default_rng(3)
    time = np.cumsum(chance.random(100_000))
    values = chance.normal(size=time.size)
    values[5000:5200] = np.nan
    curves = RunCurves(time, {"a": values}, {"a": ""})
    for start, end in ((None, None), (time[700], time[90_000]), (time[40], time[3000])):
        at, found = curves.picture(["a"], start, end, pixels)
        low, high = curves.rows(start, end)
        assert np.nanmax(found["a"]) == np.nanmax(values[low:high])
        assert np.nanmin(found["a"]) == np.nanmin(values[low:high])
        if len(at) < high - low:
            edges = np.searchsorted(time, at[:-1:2])
            edges[0] -= edges[0] % BLOCK if len(at) * BLOCK < high - low else 0
            least = np.fmin.reduceat(values[:high], edges)
            assert np.array_equal(found["a"][:-1:2][1:-1], least[1:-1], equal_nan=True)


def test_one_curve_over_another_has_rows_of_the_run() -> None:
    """A circle of many turns stays one: peaks of a stretch are of several rows."""
    time = np.arange(100_000) * 1e-3
    curves = RunCurves(time, {"a": np.cos(3 * time), "b": np.sin(3 * time)}, {"a": "", "b": ""})
    said = curves_message(curves, ["a", "b"], (None, None), 900, whole=True)
    assert 3000 < len(said.time) <= ROWS_PER_PIXEL * 900
    assert (said.time[0], said.time[-1]) == (time[0], time[-1])
    np.testing.assert_allclose(np.hypot(said.curves["a"], said.curves["b"]), 1.0, atol=IDENTITY)


def test_a_relative_tolerance_is_a_share_of_the_span(studio: Studio) -> None:
    """Curves that cross zero may be compared: 0.01 apart is 1 % of a span of one, anywhere."""
    client = studio.client()
    times = np.linspace(0.0, 1.0, 11)
    runs = []
    for name, values in (("a", times - 0.5), ("b", times - 0.495)):
        rows = "".join(f"{t},{v},7\n" for t, v in zip(times, values, strict=True))
        said = {"name": name, "content": f"time,x,still\n{rows}", "renamed": {}}
        runs.append(client.post("/api/runs/import", json=said).json()["id"])
    for share, within in ((0.006, True), (0.004, False)):
        found = client.post("/api/compare", json={"runs": runs, "relative": share}).json()
        assert [row["within"] for row in found["signals"]] == [within, True]


def test_a_moment_has_the_rows_beside_it() -> None:
    """What takes over a pose asks for one time: of a long run too it gets rows as they are."""
    time = np.arange(200_000) * 1e-3
    curves = RunCurves(time, {"a": np.sin(500 * time)}, {"a": ""})
    at, found = curves.picture(["a"], 77.0004, 77.0004, 1000)
    assert at[0] <= 77.0004 <= at[-1]
    assert len(at) <= 3
    np.testing.assert_allclose(found["a"], np.sin(500 * at), atol=IDENTITY)


def test_numbers_are_told_as_bytes() -> None:
    curves = RunCurves(np.array([0.0, 1.0]), {"a": np.array([2.0, 3.0])}, {"a": "m"})
    made = curves_bytes(curves, ["a"], (None, None), 100)
    assert struct.unpack("<Q4d", made) == (2, 0.0, 1.0, 2.0, 3.0)


def test_runs_are_compared_with_each_other_and_with_measured_curves(studio: Studio) -> None:
    client = studio.client()
    options = {"duration": 0.5, "step": 0.01}
    first = finished(client, "simulate", **options)
    base = client.get("/api/document").json()["revision"]
    operation = ["set", ["bodies", "slider", "mass"], 8]
    client.post("/api/document/edit", json={"base": base, "operations": [operation]})
    second = finished(client, "simulate", **options, rtol=1e-9)
    found = client.post("/api/compare", json={"runs": [first, second], "absolute": READ_OFF}).json()
    row = next(row for row in found["signals"] if row["name"] == "q.crank")
    model = kt.load(studio.file)
    one = kt.simulate(model, 0.5, step=0.01)
    client.post("/api/document/save", json={})
    two = kt.simulate(kt.load(studio.file), 0.5, step=0.01, rtol=1e-9)
    apart = np.abs(two.q.sel(coordinate="crank") - one.q.sel(coordinate="crank")).values
    assert abs(row["largest"] - apart.max()) < TRAJECTORY
    assert row["within"] == bool((apart <= READ_OFF).all())
    assert [entry["path"] for entry in found["entries"]] == ["bodies.slider.mass"]
    assert [entry["path"] for entry in found["options"]] == ["rtol"]
    assert sum(line[0] in "+-" for line in found["lines"]) == 2
    curve = client.get(f"/api/runs/{first}/minus/{second}", params={"name": "q.crank"}).json()
    assert abs(np.abs(curve["curves"]["q.crank"]).max() - apart.max()) < TRAJECTORY
    table = "Zeit [s];Kurbel [rad]\n0,0;0,5\n0,25;0,75\n0,5;1,0\n"
    said = {"name": "bench.csv", "content": table, "renamed": {"Kurbel": "q.crank"}}
    measured = client.post("/api/runs/import", json=said).json()
    assert (measured["analysis"], measured["title"]) == ("measured", "bench.csv")
    shown = client.get(f"/api/runs/{measured['id']}/signals").json()
    assert (shown["signals"], shown["units"]) == (["q.crank"], {"q.crank": "rad"})
    against = client.post("/api/compare", json={"runs": [measured["id"], first]}).json()
    assert [row["name"] for row in against["signals"]] == ["q.crank"]
    renamed = client.post(f"/api/runs/{first}/title", json={"title": "light"}).json()
    assert renamed["title"] == "light"
    left = client.post(f"/api/runs/{second}/remove", json={}).json()["runs"]
    assert [run["id"] for run in left] == [first, measured["id"]]
    assert client.get(f"/api/runs/{second}").status_code == 422


def test_what_a_run_hands_on(studio: Studio, tmp_path: Path) -> None:
    client = studio.client()
    run = finished(client, "simulate", duration=0.3, step=0.01)
    path = f"/api/runs/{run}"
    kept = client.get(f"{path}/manifest").json()
    assert kept["text"] == studio.file.read_text(encoding="utf-8")
    assert kept["manifest"]["model_hash"] == kt.load(studio.file).content_hash()
    wanted = kt.simulate(kt.load(studio.file), 0.3, step=0.01)
    (tmp_path / "run.nc").write_bytes(client.get(f"{path}/run.nc").content)
    assert np.abs(kt.load_run(tmp_path / "run.nc").q.values - wanted.q.values).max() < IDENTITY
    head, *rows = client.get(f"{path}/table.csv").text.splitlines()
    assert head.split(",")[:2] == ["time", "q.crank"]
    assert len(rows) == wanted.sizes["time"]
    for kind, mark in (("svg", b"<svg"), ("png", b"PNG")):
        made = client.get(f"{path}/curves.{kind}", params={"name": "q.crank"}).content
        assert mark in made[:1000]
    assert client.get(f"{path}/curves.exe", params={"name": "q.crank"}).status_code == 422
    moving = client.get(f"{path}/motion").json()
    assert moving["names"] == list(kt.load(studio.file).bodies)
    assert moving["poses"]["rows"] == len(moving["clips"][0]["times"])


def test_steps_of_the_solver_are_a_curve(studio: Studio) -> None:
    client = studio.client()
    run = finished(client, "simulate", duration=0.5, step=0)
    said = client.get(f"/api/runs/{run}/signals", params={"name": "step"}).json()
    wanted = kt.simulate(kt.load(studio.file), 0.5, step=0).time.values
    np.testing.assert_allclose(said["time"], wanted, atol=IDENTITY)
    np.testing.assert_allclose(said["curves"]["step"][1:], np.diff(wanted), atol=IDENTITY)
    even = finished(client, "simulate", duration=0.5, step=0.01)
    assert "step" not in client.get(f"/api/runs/{even}/signals").json()["signals"]


@pytest.mark.parametrize(("table", "sentence"), [
    ("1,2\n3,4\n", "line of names"), ("a,b\n1,2\n", "column of times"),
    ("time,b\n1,2\n0,3\n", "do not rise"), ("", "line of names"),
])  # fmt: skip
def test_tables_that_are_no_curves_are_told(table: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=sentence):
        measured_run("table 'x'", table, {}, tmp_path / "run.nc")


def test_rows_without_a_number_are_told(tmp_path: Path) -> None:
    table = "time,a,b\n0,1,2\n0.1,abc,3\n0.2,,4\n"
    notes = measured_run("table 'x'", table, {"a": "q.a"}, tmp_path / "run.nc")
    assert notes == ["'q.a': 2 of 3 rows have no number"]
    with pytest.raises(FormatError, match=r"file 'gone.csv': there is no such file; name one"):
        run_of_file(tmp_path / "gone.csv", {}, tmp_path / "run.nc")


def test_modes_move_as_their_own_options_say(studio: Studio) -> None:
    client, model = studio.client(), kt.load(studio.file)
    number = finished(client, "modes", equilibrium=True, set="rod.end_x=3.1, slider.mass=7")
    moving = client.get(f"/api/runs/{number}/motion").json()
    values = {"rod.end_x": 3.1, "slider.mass": 7.0}
    rest = kt.equilibrium(model, parameters=values)
    wanted = kt.modes(model, rest, parameters=values)
    assert [c["label"] for c in moving["clips"]] == [
        c["label"] for c in footage(model, None, wanted).clips
    ]
    assert np.abs(unpack(moving["q"])[0] - footage(model, None, wanted).q[0]).max() < SINGLE
