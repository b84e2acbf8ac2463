"""Memories: values that laws read and events alone change, such as elastic-plastic paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.analysis.test_happenings import METHODS, block, slider_crank
from tests.approx import COARSE_RUN, EQUAL_STEPS, IDENTITY, ROUNDING, TRAJECTORY
from tests.export.models import (
    LIMIT,
    STIFFNESS,
    plastic,
    plastic_force,
    polyline,
    remembered_force,
    remembering,
)

import kinetree as kt
from kinetree.errors import KinetreeError
from kinetree.functions import maximum


@pytest.mark.parametrize("method", METHODS)
def test_an_elastic_plastic_path_is_the_polyline(method: str) -> None:
    """Growing swings: each turns farther out than the one before."""
    run = kt.simulate(plastic(), 4.0, method=method, step=0.02)
    force = plastic_force(run["q"].values[:, 0], run["x"].values[:, 0])
    assert force / LIMIT == pytest.approx(polyline(run["time"].values) / LIMIT, abs=IDENTITY)
    assert set(run["event_name"].values) == {"spring_turn"}


@pytest.mark.parametrize("method", METHODS)
def test_a_thrown_mass_yields_and_swings_about_its_set(method: str) -> None:
    """m v' = -k x up to the limit, then -limit up to rest, then a swing about the set."""
    mass, speed = 2.0, 3.0
    model = block(mass)
    model.plastic_spring("spring", "x", STIFFNESS, LIMIT)
    how = {} if method == "rk4" else {"rtol": 1e-10, "atol": 1e-13}
    step = 1e-4 if method == "rk4" else 2e-3
    run = kt.simulate(model, 0.2, qd={"x": speed}, method=method, step=step, **how)
    w, reach = np.sqrt(STIFFNESS / mass), LIMIT / STIFFNESS
    t1 = np.arcsin(reach * w / speed) / w
    v1 = speed * np.cos(w * t1)
    t2 = t1 + v1 * mass / LIMIT
    top = reach + v1**2 * mass / (2 * LIMIT)
    t = run["time"].values
    late = t > t2
    swing = top - reach + reach * np.cos(w * (t[late] - t2))
    near = {"rk4": 1e-7, "BDF": 1e-6, "cvode_bdf": 1e-6}.get(method, 1e-8)
    assert run["q"].values[late, 0] == pytest.approx(swing, abs=near)
    assert run["event_time"].values[0] == pytest.approx(t2, abs=TRAJECTORY)


def test_a_path_goes_on_from_a_file_and_holds_in_files_of_models(tmp_path: Path) -> None:
    model = plastic()
    kt.save(model, tmp_path / "model.yaml")
    again = kt.load(tmp_path / "model.yaml")
    assert again.content_hash() == model.content_hash()
    kt.simulate(model, 1.5, step=0.02, file=tmp_path / "half.nc")
    rest = kt.simulate(again, 2.5, step=0.02, continues=tmp_path / "half.nc")
    force = plastic_force(rest["q"].values[:, 0], rest["x"].values[:, 0])
    assert force / LIMIT == pytest.approx(polyline(rest["time"].values) / LIMIT, abs=IDENTITY)


def test_parameters_of_a_plastic_spring_vary() -> None:
    model = plastic(named=True)
    run = kt.simulate(model, 4.0, step=0.02, parameters={"limit": 50.0})
    force = plastic_force(run["q"].values[:, 0], run["x"].values[:, 0], 50.0)
    expected = polyline(run["time"].values, 50.0)
    assert force / 50.0 == pytest.approx(expected / 50.0, abs=IDENTITY)


def test_paths_side_by_side_are_those_alone() -> None:
    limits = np.array([100.0, 50.0, 70.0])
    runs = kt.simulate(plastic(named=True), 4.0, step=0.02, parameters={"limit": limits})
    (axis,) = set(runs["q"].dims) - {"time", "coordinate"}
    for k, limit in enumerate(limits):
        run = runs.isel({axis: k})
        force = plastic_force(run["q"].values[:, 0], run["x"].values[:, 0], limit)
        expected = polyline(run["time"].values, limit)
        assert force / limit == pytest.approx(expected / limit, abs=IDENTITY)


@pytest.mark.parametrize("method", ["dop853", "cvode_adams", "RK45"])
def test_a_largest_value_is_kept_where_it_turns(method: str) -> None:
    """The same way a largest value is remembered: at its turn, else it is the present one."""
    model = block()
    model.joint_spring("spring", "x", 8.0, damping=0.4)
    model.mode("most")
    model.event("turn", lambda qd: qd["x"], {"most": lambda q, x: maximum(x["most"], q["x"])},
                direction="falling")  # fmt: skip
    run = kt.simulate(model, 10.0, qd={"x": 1.0}, method=method, step=0.01)
    peak = np.maximum(run["q"].values[:, 0], run["x"].values[:, 0])
    assert peak == pytest.approx(np.maximum.accumulate(run["q"].values[:, 0]), abs=COARSE_RUN)
    assert peak[-1] == pytest.approx(run["event_y"].values[0, 0], abs=TRAJECTORY)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"stiffness": 0.0, "limit": 1.0}, "force 'new': its stiffness is 0.0; give it above 0"),
        ({"stiffness": 1.0, "limit": -1.0}, "force 'new': its limit is -1.0; give it above 0"),
    ],
)
def test_mistakes_are_told(given: dict[str, Any], told: str) -> None:
    with pytest.raises(KinetreeError, match=told):
        block().plastic_spring("new", "x", **given)


EQUAL = ("rk4", "trapezoidal", "hht", "semi_implicit_euler")
"""Methods whose steps end where the slider turns."""


@pytest.mark.parametrize("method", [*METHODS, "LSODA", *EQUAL[1:]])
def test_a_memory_follows_the_polyline_where_a_step_ends_at_each_turn(method: str) -> None:
    model = remembering(ticking=method not in EQUAL)
    run = kt.simulate(model, 2.0, method=method, step=0.01)
    force = plastic_force(run["q"].values[:, 0], run["x"].values[:, 0])
    assert force / LIMIT == pytest.approx(
        remembered_force(run["time"].values) / LIMIT, abs=IDENTITY
    )
    assert run.attrs["steps"] < 1000


def test_memories_side_by_side_are_those_alone_and_go_on_from_files(tmp_path: Path) -> None:
    limits = np.array([100.0, 50.0])
    for how in ({}, {"method": "trapezoidal"}):
        runs = kt.simulate(remembering(), 2.0, step=0.05, parameters={"limit": limits}, **how)
        for k, limit in enumerate(limits):
            force = plastic_force(runs["q"].values[k, :, 0], runs["x"].values[k, :, 0], limit)
            expected = remembered_force(runs["time"].values, limit)
            assert force / limit == pytest.approx(expected / limit, abs=IDENTITY)
    kt.save(remembering(), tmp_path / "model.yaml")
    again = kt.load(tmp_path / "model.yaml")
    assert again.content_hash() == remembering().content_hash()
    kt.simulate(again, 0.9, step=0.05, file=tmp_path / "run.nc")
    rest = kt.simulate(again, 1.1, step=0.05, continues=tmp_path / "run.nc")
    force = plastic_force(rest["q"].values[:, 0], rest["x"].values[:, 0])
    expected = remembered_force(rest["time"].values)
    assert force / LIMIT == pytest.approx(expected / LIMIT, abs=IDENTITY)


@pytest.mark.parametrize("method", ["dop853", "cvode_bdf", "BDF", "hht"])
def test_a_largest_value_is_remembered_in_a_closed_mechanism(method: str) -> None:
    model = slider_crank()
    model.memory("most", -9.0, lambda q, x: maximum(x["most"], q["q3"]), "m")
    how = {} if method == "hht" else {"max_step": 5e-3}
    run = kt.simulate(model, 1.2, method=method, step=5e-3, **how)
    places = run["q"].sel(coordinate="q3").values
    most = run["x"].values[:, 0]
    assert most == pytest.approx(np.maximum.accumulate(places), abs=EQUAL_STEPS)
    assert (most >= places - ROUNDING).all()


def test_an_event_resets_a_memory() -> None:
    model = block()
    model.memory("most", 0.0, lambda q, x: maximum(x["most"], q["x"]))
    model.joint_spring("spring", "x", 100.0)
    model.event("forget", then={"most": lambda q: q["x"]}, at=0.25)
    run = kt.simulate(model, 0.5, qd={"x": 1.0}, step=0.01, max_step=0.001)
    q, most = run["q"].values[:, 0], run["x"].values[:, 0]
    assert most[24] == pytest.approx(2**0.5 / 10, abs=TRAJECTORY)
    assert most[25] == pytest.approx(q[25], abs=IDENTITY)


def test_what_is_not_a_memory_and_where_none_can_change_is_refused() -> None:
    model = block()
    model.state("w", 0.0, lambda x: -x["w"])
    with pytest.raises(KinetreeError, match=r"memory_law: there is no memory 'w'"):
        model.memory_law("w", "x_w")
    with pytest.raises(KinetreeError, match=r"state 'm' remembered.*'qq_x'"):
        model.memory("m", 0.0, lambda q: q["qq_x"])
    assert "m" not in model.states
    model.memory("m", 0.0, lambda q: q["x"])
    with pytest.raises(KinetreeError, match=r"state 'm' remembered: two laws write it; give one"):
        model.memory_law("m", lambda q: 2 * q["x"])
    with pytest.raises(KinetreeError, match=r"live page.*memory 'm' of the model cannot change"):
        kt.animate(model, live=True)
