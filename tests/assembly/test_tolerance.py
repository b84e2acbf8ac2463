"""Loops whose data are rounded: refused with the gap by default, run with a loop_tolerance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests import zoo
from tests.approx import FORMALISM, LONG_RUN, TRAJECTORY

import kinetree as kt
from kinetree.errors import AssemblyError, ModelError, UnsupportedError

TURNED = zoo.rotation_about((0.3, -0.7, 0.5), 1.1)
"""No axis of the mechanisms below lies along x, y or z, so every component is rounded."""


def rounded(v: Any, digits: int | None) -> tuple[float, ...]:
    turned = TURNED @ np.array(v, dtype=float)
    return tuple(turned if digits is None else np.round(turned, digits))


def four_bar(digits: int | None = None, closure: str = "hinge", **data: Any) -> kt.Model:
    """A planar four-bar in space, hinged all around: three equations too many."""
    model = kt.Model("four_bar", gravity=rounded((0, -9.81, 0), None), **data)
    a, b, c = np.array([0.3, 0.4, 0]), np.array([1.1, 0.9, 0]), np.array([1.5, 0, 0])
    axis = rounded((0, 0, 1), digits)
    crank = model.body("crank", 1.0, rounded(a / 2, digits), (0.1, 0.1, 0.1))
    bar = model.body("bar", 2.0, rounded((b - a) / 2, digits), (0.2, 0.2, 0.2))
    rocker = model.body("rocker", 1.5, rounded((b - c) / 2, digits), (0.2, 0.2, 0.2))
    model.revolute("q1", model.ground, crank, axis)
    model.revolute("q2", crank.point("tip", rounded(a, digits)), bar, axis)
    model.revolute("q3", model.ground.point("foot", rounded(c, digits)), rocker, axis)
    ends = bar.point("end", rounded(b - a, digits)), rocker.point("tip", rounded(b - c, digits))
    if closure == "ball":
        model.close_ball("pin", *ends)
        return model
    less = None if digits is None else digits - 1  # as if from another file
    model.close_revolute("pin", *ends, axis=rounded((0, 0, 1), less))
    return model


def bricard(digits: int | None = None, **data: Any) -> kt.Model:
    """Six hinges in space that move although counting leaves no freedom: one equation too many."""
    model = kt.Model("bricard", gravity=rounded((0, -9.81, 0), None), **data)
    places = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1), (0, 0, 0)]
    axes = [np.eye(3)[k] for k in (1, 2, 0, 1, 2, 0)]
    inner: Any = model.ground
    for k in range(5):
        step = np.subtract(places[k], places[k - 1]) if k else np.zeros(3)
        body = model.body(f"b{k}", 1.0, rounded(np.subtract(places[k + 1], places[k]) / 2, digits),
                          (0.1, 0.1, 0.1))  # fmt: skip
        at = inner.point(f"at{k}", rounded(step, digits))
        model.revolute(f"q{k}", at, body, rounded(axes[k], digits))
        inner = body
    end = inner.point("end", rounded(np.subtract(places[5], places[4]), digits))
    foot = model.ground.point("foot", rounded(places[5], digits))
    model.close_revolute("pin", end, foot, axis=rounded(axes[5], digits))
    return model


MADE = {"four_bar": four_bar, "bricard": bricard}
STARTS: dict[str, Any] = {"four_bar": {"qd": {"q1": 2.0}}, "bricard": {"q": {"q0": 0.3}}}


def test_without_it_the_sentence_names_closure_gap_and_option() -> None:
    said = r"closure 'pin': the loop does not close, .* is .*e-0[789] .*off.*raise loop_tolerance"
    with pytest.raises(AssemblyError, match=said):
        kt.simulate(four_bar(8), 0.1, qd={"q1": 2.0})


def test_assembly_leaves_the_smallest_gap_whatever_is_allowed() -> None:
    model = four_bar(8)
    fine, coarse = (kt.assemble(model, tolerance=tolerance) for tolerance in (1e-7, 1e-3))
    assert 1e-10 < fine.gap < LONG_RUN
    assert coarse.gap < 1.01 * fine.gap
    assert kt.assemble(four_bar(), tolerance=1e-3).gap < FORMALISM


@pytest.mark.parametrize("name", MADE)
def test_the_same_equations_are_redundant(name: str) -> None:
    exact = kt.partition(MADE[name]())
    found = kt.partition(MADE[name](8, loop_tolerance=1e-6))
    assert (found.mobility, found.singular) == (exact.mobility, exact.singular) == (1, False)
    assert len(found.redundant) == len(exact.redundant) > 0


RUNS: list[dict[str, Any]] = [
    {},
    {"loops": "multipliers"},
    {"loops": "projection"},
    {"formulation": "topological", "step": 1e-3},
    {"formulation": "explicit", "method": "rk4", "step": 1e-3},
]


def apart(name: str, options: dict[str, Any]) -> float:
    """Largest difference between the runs of the rounded and of the exact model."""
    models = MADE[name](), MADE[name](8, loop_tolerance=1e-6)
    first, second = (kt.simulate(m, 0.3, **STARTS[name], **options) for m in models)
    assert first.attrs["termination"] == second.attrs["termination"] == "finished"
    return max(float(np.abs(first[x] - second[x]).max()) for x in ("q", "qd"))


@pytest.mark.parametrize("options", RUNS, ids=lambda row: "-".join(map(str, row.values())))
def test_a_rounded_model_runs_as_the_exact_one(options: dict[str, Any]) -> None:
    assert apart("four_bar", options) < 2 * TRAJECTORY


def test_the_hybrid_formulation_leaves_out_what_repeats() -> None:
    models = four_bar(closure="ball"), four_bar(8, loop_tolerance=1e-6)
    options: dict[str, Any] = {"qd": {"q1": 2.0}, "formulation": "hybrid", "step": 1e-3}
    first, second = (kt.simulate(m, 0.3, **options) for m in models)
    assert float(np.abs(first.q - second.q).max()) < 2 * TRAJECTORY


def test_a_rounded_mechanism_in_space_runs_as_the_exact_one() -> None:
    assert apart("bricard", {}) < 2 * TRAJECTORY


def test_the_global_formulation_refuses_it_by_name() -> None:
    with pytest.raises(UnsupportedError, match=r"closure 'pin'.*global.*'hybrid'"):
        kt.simulate(four_bar(8, loop_tolerance=1e-6), 0.1, formulation="global", step=1e-3)


def test_analyses_obey_it() -> None:
    model = four_bar(8, loop_tolerance=1e-6)
    model.joint_spring("hold", "q1", 500.0)
    exact = four_bar()
    exact.joint_spring("hold", "q1", 500.0)
    rest = [kt.equilibrium(m).q for m in (model, exact)]
    assert np.abs(rest[0] - rest[1]).max() < TRAJECTORY
    for m in (model, exact):
        m.drive("q1", lambda t: 0.2 * t)
    moved = [kt.kinematics(m, 0.5) for m in (model, exact)]
    assert float(np.abs(moved[0].qdd - moved[1].qdd).max()) < TRAJECTORY


def test_a_component_that_no_coordinate_changes_is_within_it() -> None:
    model = kt.Model("plane", loop_tolerance=1e-6)
    a, b = model.body("a", 1.0, (0.5, 0, 0)), model.body("b", 1.0, (0.5, 0, 0))
    model.revolute("q1", model.ground, a)
    model.revolute("q2", model.ground.point("foot", (1, 0, 3e-8)), b)
    model.close_planar("plane", a, b, normal="z")
    assert kt.partition(model).mobility == 2
    model.loop_tolerance = 1e-11
    with pytest.raises(ModelError, match=r"component .* is .*3e-08 .*raise loop_tolerance"):
        kt.partition(model)


def test_files_keep_it(tmp_path: Any) -> None:
    kt.save(four_bar(8, loop_tolerance=1e-6), tmp_path / "m.yaml")
    assert "loop_tolerance: 1e-06" in (tmp_path / "m.yaml").read_text()
    assert kt.load(tmp_path / "m.yaml").loop_tolerance == 1e-6
    kt.save(four_bar(8), tmp_path / "n.yaml")
    assert "loop_tolerance" not in (tmp_path / "n.yaml").read_text()


@pytest.mark.parametrize("value", [0, -1e-6, 0.5, float("nan"), "1e-6"])
def test_other_values_are_refused(value: Any) -> None:
    with pytest.raises(ModelError, match="loop_tolerance"):
        kt.Model("m", loop_tolerance=value)
