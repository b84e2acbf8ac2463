"""Sweeps: plans, values, parts on disk, bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
import lengths
from analysis.test_sensitivity import oscillator
from approx import GOLDEN, IDENTITY, assert_close

END = {"end": kt.final("q_y"), "peak": kt.peak("q_y")}
OVER = {"c": (0.5, 2.0), "qd0.y": (0.1, 1.0)}


def test_runs_of_a_sweep_are_those_of_single_ones() -> None:
    T = 2.0
    found = kt.sweep(oscillator(), T, kt.sobol(OVER, 24, seed=3), END, rtol=1e-11, atol=1e-13)
    c, v = found["c"].values, found["qd0.y"].values
    w = np.sqrt(c)
    assert_close(found.end, v / w * np.sin(w * T), GOLDEN)
    assert_close(found.peak, v / w * np.sin(np.minimum(w * T, np.pi / 2)), GOLDEN)
    assert set(found.reason.values) == {""}
    assert found.attrs["plan"] == "sobol"


def test_plans_are_functions_of_the_number_of_the_run() -> None:
    plans = [
        kt.sobol(OVER, 50, seed=1), kt.latin_hypercube(OVER, 50, seed=1),
        kt.grid({"c": [1, 2, 3], "m": [4, 5]}), kt.run_list({"c": [1, 2, 3]}),
    ]  # fmt: skip
    for plan in plans:
        whole = plan.rows(0, plan.count)
        assert whole.shape == (plan.count, len(plan.names))
        assert_close(plan.rows(2, 3), whole[2:3], IDENTITY, plan.kind)
    assert plans[2].rows(0, 6).tolist() == [[1, 4], [1, 5], [2, 4], [2, 5], [3, 4], [3, 5]]
    slices = np.floor((plans[1].rows(0, 50)[:, 0] - 0.5) / 1.5 * 50)
    assert sorted(slices) == list(range(50))
    assert not np.array_equal(kt.sobol(OVER, 50, seed=2).rows(0, 9), plans[0].rows(0, 9))


def test_a_killed_sweep_goes_on(tmp_path: Path) -> None:
    model, plan = oscillator(), kt.sobol(OVER, 20, seed=1)
    end = {"end": kt.final("q_y")}
    whole = kt.sweep(model, 1.0, plan, end, part=4)
    folder = tmp_path / "sweep"

    def stop_at(limit: int) -> Any:
        def progress(done: int, count: int) -> None:
            if done >= limit:
                raise KeyboardInterrupt

        return progress

    for limit in (4, 12):
        with pytest.raises(KeyboardInterrupt):
            kt.sweep(model, 1.0, plan, end, part=4, into=folder, progress=stop_at(limit))
    (folder / "part-000004.nc.part").write_bytes(b"half")  # killed while it wrote
    before = {path.name: path.stat().st_mtime_ns for path in folder.glob("part-*.nc")}
    assert len(before) == 3
    again = kt.sweep(model, 1.0, plan, end, part=4, into=folder)
    assert again.end.values.tobytes() == whole.end.values.tobytes()
    after = {path.name: path.stat().st_mtime_ns for path in folder.glob("part-*.nc")}
    assert {name: after[name] for name in before} == before  # computed once
    with pytest.raises(kt.errors.ModelError, match="belongs to another sweep: plan"):
        kt.sweep(model, 1.0, kt.sobol(OVER, 20, seed=2), end, part=4, into=folder)
    with pytest.raises(kt.errors.ModelError, match="it holds other files"):
        kt.sweep(model, 1.0, plan, end, into=tmp_path)
    other = oscillator()
    other.joint_spring("more", "y", stiffness=0.1)
    with pytest.raises(kt.errors.ModelError, match="another sweep: model differ"):
        kt.sweep(other, 1.0, plan, end, part=4, into=folder)
    (tmp_path / "file").write_text("")
    with pytest.raises(kt.errors.ModelError, match="not a valid folder; name one"):
        kt.sweep(model, 1.0, plan, end, into=tmp_path / "file")


def test_a_folder_knows_data_and_functions_again(tmp_path: Path) -> None:
    t, plan = np.linspace(0.001, 1.0, 1500), kt.grid({"c": [1.0, 2.0]})

    def measure(data: Any, factor: float, **run: Any) -> Any:
        seen = {"off": kt.misfit("q_y", t, data), "end": kt.final(lambda q: factor * q["y"])}
        return kt.sweep(oscillator(), 1.0, plan, seen, into=tmp_path / "a", **run)

    first = measure(np.sin(t), 2.0, qd={"y": 1.0})
    again = measure(np.sin(t), 2, qd={"y": 1})
    assert again.off.values.tobytes() == first.off.values.tobytes()
    other = np.sin(t)
    other[700] += 1.0
    for data, factor in ((other, 2.0), (np.sin(t), 3.0)):
        with pytest.raises(kt.errors.ModelError, match="another sweep: measures"):
            measure(data, factor, qd={"y": 1.0})
    with pytest.raises(kt.errors.ModelError, match="another sweep: run"):
        measure(np.sin(t), 2.0, qd={"y": 1.1})


def test_a_study_of_the_model_file_says_what_is_swept(tmp_path: Path) -> None:
    model, file = oscillator(), tmp_path / "oscillator.yaml"
    run = {"qd": {"y": 1.0}, "rtol": 1e-9}
    both, plan = {"end": "final(q_y)", "far": "peak(q_y)"}, {"kind": "sobol", "runs": 9, "seed": 4}
    bounds = {"c": (0.5, 2.0), "m": (900.0, 1100.0)}
    model.study("map", 1.0, bounds, both, units={"m": "g"}, run=run, plan=plan)
    model.study("grid", 1.0, {"c": (0.5, 2.0)}, both, plan={"kind": "grid", "runs": 4})
    model.study("bare", 1.0, {"c": (0.5, 2.0)}, both)
    kt.save(model, file)
    back = kt.load(file)
    assert back.studies == model.studies
    found = kt.sweep(back, study="map")
    own = kt.sobol({"c": (0.5, 2.0), "m": (0.9, 1.1)}, 9, seed=4)
    same = kt.sweep(
        oscillator(), 1.0, own, {"end": kt.final("q_y"), "far": kt.peak("q_y")}, **run
    )  # fmt: skip
    for name in ("c", "m", "end", "far"):
        assert_close(found[name], same[name], IDENTITY, name)
    longer = kt.sweep(back, 2.0, study="map")  # arguments take the place of what it says
    assert_close(longer.end, kt.sweep(oscillator(), 2.0, own, {"end": kt.final("q_y")}, **run).end,
                 IDENTITY)  # fmt: skip
    assert_close(kt.sweep(back, study="grid")["c"], [0.5, 1.0, 1.5, 2.0], IDENTITY)
    with pytest.raises(kt.errors.ModelError, match="study 'bare': it has no plan; give plan="):
        kt.sweep(back, study="bare")
    with pytest.raises(kt.errors.UnknownNameError, match="'mop'; did you mean 'map'"):
        kt.sweep(back, study="mop")


def test_modes_of_many_equilibria_are_rows(tmp_path: Path) -> None:
    seen = {"f": kt.frequency(1), "T": kt.function_of("1/f", f=kt.frequency(1))}
    plan = kt.grid({"c": [1.0, 4.0, 9.0]})
    found = kt.sweep(oscillator(), plan=plan, measures=seen, at="equilibrium", into=tmp_path / "a")
    assert_close(found.f, np.array([1.0, 2.0, 3.0]) / (2 * np.pi), GOLDEN)  # √(c/m)/2π
    assert_close(found["T"], 1 / found.f.values, IDENTITY)
    assert set(found.reason.values) == {""}
    none = kt.sweep(oscillator(), plan=plan, measures={"f": kt.frequency(2)}, at="equilibrium")
    assert all("there are 1 modes" in str(x) for x in none.reason.values)
    with pytest.raises(kt.errors.ModelError, match="duration: at='equilibrium' has none"):
        kt.sweep(oscillator(), 1.0, plan, seen, at="equilibrium")
    with pytest.raises(kt.errors.ModelError, match="duration: it is not given"):
        kt.sweep(oscillator(), plan=plan, measures=END)


def test_functions_of_measures_are_measures_too() -> None:
    seen = {"end": kt.final("q_y"), "far": kt.peak("q_y"),
            "both": kt.function_of("sqrt(a)*b", a=kt.final("q_y"), b=kt.peak("q_y")),
            "text": kt.measure("rms(q_y) + 0.5*final(q_y)")}  # fmt: skip
    plan, steps = kt.run_list({"c": [1.0, 4.0, 9.0]}), {"integrator": "trapezoidal", "step": 0.01}
    for run in ({}, steps):
        found = kt.sweep(oscillator(), 1.2, plan, seen, qd={"y": 1.0}, **run)
        end, far = found.end.values, found.far.values
        assert (end[:2] > 0).all()
        assert end[2] < 0  # sin 3.6
        assert_close(found.both[:2], np.sqrt(end[:2]) * far[:2], IDENTITY)
        assert np.isnan(found.both[2])
        assert str(found.reason.values[2]) == "measure 'both': it has no value"
        rms = kt.sweep(oscillator(), 1.2, plan, {"r": kt.rms("q_y")}, qd={"y": 1.0}, **run).r
        assert_close(found.text, rms.values + 0.5 * end, IDENTITY)


def test_runs_that_fail_first_are_rows_too() -> None:
    seen, plan = {"end": kt.final("q_c")}, kt.run_list({"coupler": [20.0, 2.2, 30.0]})
    found = kt.sweep(lengths.four_bar(), 0.1, plan, seen)
    assert np.isfinite(found.end.values).tolist() == [False, True, False]
    assert "the loop does not close" in str(found.reason.values[0])
    none = kt.run_list({"coupler": [20.0, 30.0]})
    with pytest.raises(kt.errors.ModelError, match="plan: none of its first 2 runs has a start"):
        kt.sweep(lengths.four_bar(), 0.1, none, seen)


def test_damaged_files_of_a_folder_are_told(tmp_path: Path) -> None:
    plan, seen, place = (
        kt.sobol({"c": (1.0, 2.0)}, 8, seed=1),
        {"end": kt.final("q_y")},
        tmp_path / "a",
    )
    kt.sweep(oscillator(), 0.1, plan, seen, into=place, part=4)
    (place / "sweep.nc").unlink()
    (place / "part-000001.nc").write_bytes(b"damaged")
    with pytest.raises(kt.errors.FormatError, match=r"part-000001.nc': it is damaged; delete it"):
        kt.sweep(oscillator(), 0.1, plan, seen, into=place, part=4)
    (place / "part-000001.nc").unlink()
    assert kt.sweep(oscillator(), 0.1, plan, seen, into=place, part=4).sizes["run"] == 8
    (place / "sweep.json").write_text("{")
    with pytest.raises(kt.errors.FormatError, match=r"sweep.json': it is damaged; delete the fold"):
        kt.load_sweep(place)


def test_failed_runs_are_rows_with_their_reason() -> None:
    plan = kt.grid({"coupler": [2.1, 2.3, 9.0]})
    found = kt.sweep(lengths.four_bar(), 0.2, plan, {"end": kt.final("q_c")})
    assert np.isfinite(found.end.values).tolist() == [True, True, False]
    assert "the loop does not close" in str(found.reason.values[-1])
    for k, coupler in enumerate((2.1, 2.3)):
        one = kt.sensitivity(lengths.four_bar(), 0.2, {"end": kt.final("q_c")}, by=[],
                             parameters={"coupler": coupler})  # fmt: skip
        assert_close(found.end[k], one.value[0], GOLDEN)


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "plan": ({"plan": {"c": [1.0]}}, "plan"),
    "name": ({"plan": kt.grid({"cc": [1.0]})}, "'cc'"),
    "measure": ({"measures": {"m": "q_y"}}, "measure 'm'"),
    "twice": ({"measures": {"c": kt.final("q_y")}}, "measure 'c': the result has another column"),
    "why": ({"measures": {"reason": kt.final("q_y")}}, "measure 'reason': the result has another"),
    "slash": ({"measures": {"a/b": kt.final("q_y")}}, "measure 'a/b': no file can have a column"),
    "start": ({"qd": {"yy": 1.0}}, "qd: there is no name 'yy'; did you mean 'y'"),
    "tolerance": ({"rtol": -1.0}, "rtol: it is -1"),
    "option": ({"rtool": 1e-3}, "rtool"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str) -> None:
    changes, sentence = BAD[name]
    given: dict[str, Any] = {"plan": kt.grid({"c": [1.0]}), "measures": END, **changes}
    with pytest.raises(kt.errors.KinetreeError, match=sentence):
        kt.sweep(oscillator(), 1.0, given.pop("plan"), given.pop("measures"), **given)
    for wrong in ({"c": (2.0, 1.0)}, {"c": (1.0,)}, {}):
        with pytest.raises(kt.errors.KinetreeError, match="plan"):
            kt.sobol(wrong, 4)
    with pytest.raises(kt.errors.ShapeError, match="one value per run"):
        kt.run_list({"c": [1.0], "m": [1.0, 2.0]})
