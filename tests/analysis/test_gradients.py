"""Gradients of small mechanisms by every formulation and every integrator, by both methods.

Witnesses are complex steps: through the same steps, and of the exact motion, to which the gradients
of equal steps converge with the order of their method.  A new row of either table is tested here by
itself; the long profile takes every row on every model.
"""

from __future__ import annotations

import os
import runpy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
import lengths
import mechanisms
from analysis import systems
from analysis.complex_runs import Moved, along_motion, along_steps
from analysis.test_bending_laws import stopped
from analysis.test_sensitivity import crossing
from analysis.test_trails import bouncing
from approx import CLOSED, COARSE_RUN, FORMALISM, SUMS, assert_close
from kinetree.integrate.loops.tableaus import TABLEAUS
from kinetree.integrate.methods import RATES
from kinetree.steppers.families import FAMILIES
from kinetree.steppers.step import EXPLICIT, FORMULATIONS, all_coordinates

COUNT = 4
"""Steps of a run."""
LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
TIGHT = {"rtol": 1e-12, "atol": 1e-13}
ROUGH = {("ball", "semi_implicit_euler")}
"""Where a step leaves a gap of its square, which is closed along axes of a link that turns: what
these turn by is left out of the derivative, which converges with the step all the same."""
JACK = Path(__file__).parents[2] / "examples" / "20_hydraulic_jack.py"


def jack() -> Any:
    """Pressures beside the motion, a supply that depends on time, position matrices."""
    return runpy.run_path(str(JACK), run_name="example")["model"]


def ball() -> kt.Model:
    """A ball that rolls and wobbles: its centre of mass is not its middle."""
    model = kt.Model("ball")
    body = model.body("ball", mass=1.0, com=(0.02, 0.05, 0.01), inertia=(0.04, 0.05, 0.06))
    model.free("float", model.ground, body, initial=(1, 0, 0, 0, 0, 0, 0.5))
    model.roll("floor", body, model.ground, 0.3)
    return model


@dataclass(frozen=True)
class Case:
    """A model, what varies of it, and its run.

    Attributes:
        make: makes it.
        direction: what varies, with its share of a direction.
        step: length of a step [s].
        given: start values by name.
        usual: formulations that are looked at in every run of the tests.
    """

    make: Any
    direction: Mapping[str, float]
    step: float = 0.01
    given: Mapping[str, float] = field(default_factory=dict)
    usual: tuple[str, ...] = (EXPLICIT, *FORMULATIONS)

    def start(self) -> dict[str, dict[str, float]]:
        """Start values as `kt.sensitivity` takes them."""
        found: dict[str, dict[str, float]] = {}
        for name, value in self.given.items():
            kind, _, label = name.partition("0.")
            found.setdefault(kind, {})[label] = value
        return found


CASES = {
    "double_pendulum": Case(
        systems.double_pendulum,
        {"upper.tip_x": 1.0, "lower.mass": -0.7, "q0.a": 0.4, "qd0.b": 0.9},
        given={"qd0.a": 1.0},
    ),
    "top": Case(
        systems.top, {"top.mass": 1.0, "top.com_z": -0.7, "qd0.ball_wz": 0.4}, 0.005,
        {"qd0.ball_wx": 1.0, "qd0.ball_wz": 20.0}, ("tree", "global"),
    ),
    "slider_crank": Case(
        mechanisms.slider_crank,
        {"crank.tip_x": 1.0, "rod.end_x": -0.7, "rod.mass": 0.4, "q0.q1": 0.9},
        given={"qd0.q1": 1.0},
    ),
    "four_bar": Case(
        lengths.four_bar,
        {"crank": 1.0, "coupler": -0.7, "rocker": 0.4, "base": 0.9, "q0.a": 0.3},
        given={"qd0.a": 1.0}, usual=("hybrid",),
    ),
    "ball": Case(
        ball, {"ball.mass": 1.0, "ball.com_y": -0.7, "floor.radius": 0.4}, 0.01,
        {"qd0.float_wx": 1.0, "qd0.float_wy": 0.3, "qd0.float_wz": 0.2}, ("hybrid", "topological"),
    ),
    "jack": Case(
        jack, {"spring.stiffness": 1e4, "q0.x": 1e-3, "x0.p1": 1e5}, 2e-4,
        {"x0.p1": 8e5, "x0.p2": 12e5},
    ),
}  # fmt: skip


def fits(case: Case, formulation: str, family: str) -> bool:
    """Whether a formulation takes a model and a method."""
    model, explicit = case.make(), FAMILIES[family].weights is None
    if explicit or formulation == EXPLICIT:
        return explicit and formulation == EXPLICIT
    closed = bool(model.closures)
    return not (closed and formulation == "tree") and not (
        model.by_matrices and formulation == "global"
    )


def pairs(case: Case) -> list[tuple[str, str]]:
    """All formulations with all methods of equal steps."""
    return [(way, family) for way in (EXPLICIT, *FORMULATIONS) for family in FAMILIES]


def stepped() -> Iterator[tuple[str, str, str]]:
    """Models with formulations and methods: all of the first, of others a method in turn."""
    for number, (name, case) in enumerate(CASES.items()):
        for way in (EXPLICIT, *FORMULATIONS):
            found = [family for family in FAMILIES if fits(case, way, family)]
            if not found or not (LONG or way in case.usual):
                continue
            few = [found[number % len(found)]]
            yield from ((name, way, family) for family in (found if LONG or not number else few))


def integrated() -> Iterator[tuple[str, str]]:
    """Models with methods of rates: all of the first, of others two in turn."""
    others = [name for name in RATES if name not in TABLEAUS]
    for number, name in enumerate(CASES):
        few = ["dop853", others[number % len(others)]]
        yield from ((name, method) for method in (RATES if LONG or not number else few))


def gradients(name: str, method: str, *, count: int = COUNT, **options: Any) -> Any:
    """The gradients of all coordinates, velocities and states at the end."""
    case = CASES[name]
    model = case.make()
    rows = {"q": model.coordinates, "qd": model.velocities, "x": model.states}
    ends = [f"{kind}_{label}" for kind, labels in rows.items() for label in labels]
    found = kt.sensitivity(
        model, count * case.step, {end: kt.final(end) for end in ends}, by=[*case.direction],
        method=method, **case.start(), **options,
    )  # fmt: skip
    assert found.attrs["sensitivity_method"] == method
    return found.gradient.values


def moved(name: str) -> Moved:
    """A model that moves along its direction."""
    case = CASES[name]
    varied = [row for row in case.direction if "0." not in row]
    return Moved(case.make().with_varied(varied), case.direction, case.given)


@cache
def exact(name: str) -> Any:
    """The derivative of the exact motion along the direction."""
    return along_motion(moved(name), COUNT * CASES[name].step)


def parts(name: str, rows: Any) -> list[Any]:
    """Rows of coordinates, of velocities, of states: what has one scale."""
    model = CASES[name].make()
    nq, nv = len(model.coordinates), len(model.velocities)
    return [part for part in np.split(rows, [nq, nq + nv]) if len(part)]


def agree(name: str, found: Any, known: Any, tolerance: float, what: str) -> None:
    """Compare coordinates, velocities and states, each by their own scale."""
    for part, other in zip(parts(name, found), parts(name, known), strict=True):
        assert_close(part, other, tolerance, what)


@pytest.mark.parametrize(("name", "formulation", "family"), [*stepped()])
def test_equal_steps(name: str, formulation: str, family: str) -> None:
    case = CASES[name]
    h, direction = case.step, np.array([*case.direction.values()])
    run: dict[str, Any] = {"integrator": family, "formulation": formulation}
    tight = {} if formulation == EXPLICIT else {"tolerance": 1e-12}
    direct, adjoint = (
        gradients(name, method, step=h, **run, **tight) for method in ("direct", "adjoint")
    )
    agree(name, adjoint * direction, direct * direction, FORMALISM, "adjoint and direct method")
    smooth = formulation == "global" or all_coordinates(case.make(), formulation, family)
    known = along_steps(
        moved(name), h, COUNT, method=family, formulation=formulation, **tight,
        **({"smooth": True} if smooth else {}),
    )  # fmt: skip
    tolerance = COARSE_RUN if (name, family) in ROUGH else CLOSED
    agree(name, adjoint @ direction, known, tolerance, "complex step")
    errors = [
        np.abs(gradients(name, "adjoint", step=length, **run, **tight) @ direction - exact(name))
        for length in (h / 2, h / 4)
    ]
    for coarse, fine in zip(*(parts(name, row) for row in errors), strict=True):
        order = np.log2(coarse.max() / fine.max())
        assert order == pytest.approx(FAMILIES[family].order, abs=0.25), errors


@pytest.mark.parametrize(("name", "integrator"), [*integrated()])
def test_rates(name: str, integrator: str) -> None:
    case = CASES[name]
    direction = np.array([*case.direction.values()])
    run = {"step": case.step / 40} if integrator == "rk4" else TIGHT
    direct, adjoint = (
        gradients(name, method, integrator=integrator, **run) for method in ("direct", "adjoint")
    )
    # the steps of the first methods are differentiated, of others their dense output is
    tolerance = FORMALISM if integrator in TABLEAUS else CLOSED
    agree(name, adjoint * direction, direct * direction, tolerance, "adjoint and direct method")
    agree(name, adjoint @ direction, exact(name), CLOSED, "exact motion")


@pytest.mark.parametrize("integrator", ["dopri5", "dop853"])
@pytest.mark.parametrize("name", CASES)
def test_both_methods_take_the_same_steps(name: str, integrator: str) -> None:
    """Usual tolerances: what rounding makes of small errors is other in the run with tangents."""
    direct, adjoint = (
        gradients(name, method, count=40, integrator=integrator) for method in ("direct", "adjoint")
    )
    agree(name, adjoint, direct, FORMALISM, "adjoint and direct method")


@pytest.mark.parametrize("integrator", ["rk4", "dopri5", "dop853"])
@pytest.mark.parametrize("name", ["double_pendulum", "top", "slider_crank"])
def test_both_methods_see_one_motion(name: str, integrator: str) -> None:
    """The same bits, however coarse the steps are, and what lies between their ends alike."""
    case = CASES[name]
    model = case.make()
    label = model.velocities[0]
    measures = {
        "between": kt.at_time(f"q_{model.coordinates[-1]}", 0.0777),
        "faster": kt.at_time(f"qdd_{label}", 0.111), "highest": kt.peak(f"qdd_{label}"),
    }  # fmt: skip
    run: dict[str, Any] = {"step": 0.02} if integrator == "rk4" else {"rtol": 1e-4, "atol": 1e-6}
    direct, adjoint = (
        kt.sensitivity(
            model, 0.2, measures, by=[*case.direction], method=method, integrator=integrator,
            **case.start(), **run,
        )
        for method in ("direct", "adjoint")
    )  # fmt: skip
    assert np.array_equal(direct.q, adjoint.q)
    assert np.array_equal(direct.value, adjoint.value)
    for one, two in zip(direct.gradient.values, adjoint.gradient.values, strict=True):
        assert_close(two, one, SUMS)


def test_steps_from_rest_are_those_of_both_methods() -> None:
    """The error of the first step is rounding alone."""
    model, by = (
        mechanisms.slider_crank(q1=1.0, q2=-1.4, q3=2.4),
        ["crank.mass", "rod.mass", "q0.q1"],
    )
    direct, adjoint = (
        kt.sensitivity(model, 1.0, {"end": kt.final("q_q1")}, by=by, method=method).gradient.values
        for method in ("direct", "adjoint")
    )
    assert_close(adjoint, direct, FORMALISM)


EVENTFUL: dict[str, tuple[Any, float, list[str], dict[str, Any]]] = {
    "ramp": (jack, 0.03, ["spring.stiffness", "q0.x", "x0.p1"], CASES["jack"].start()),
    "bounces": (bouncing, 2.0, ["e", "c", "qd0.x", "q0.z"], {"qd": {"x": 1.0}}),
    "stop": (stopped, 0.2, ["k", "qd0.x"], {"qd": {"x": 2.0}}),
    "bounces of a loop": (crossing, 0.5, ["e", "crank", "coupler"], {"qd": {"a": -1.0}}),
}
"""Runs with bends, impacts and resets."""


@pytest.mark.parametrize("integrator", ["rk4", "dopri5", "dop853"])
@pytest.mark.parametrize("name", EVENTFUL)
def test_both_methods_pass_events_alike(name: str, integrator: str) -> None:
    """Steps that end at events are differentiated themselves, not what lies between their ends."""
    make, duration, by, given = EVENTFUL[name]
    model = make()
    ends = {row: kt.final(f"q_{row}") for row in model.coordinates}
    run = {
        **given,
        "integrator": integrator,
        **({"step": duration / 500} if "4" in integrator else {}),
    }
    direct, adjoint = (
        kt.sensitivity(model, duration, ends, by=by, method=method, **run).gradient.values
        for method in ("direct", "adjoint")
    )
    assert_close(
        adjoint / np.abs(direct).max(axis=0), direct / np.abs(direct).max(axis=0), FORMALISM
    )


@pytest.mark.parametrize("name", CASES)
def test_what_a_model_cannot_take_is_refused_by_name(name: str) -> None:
    case = CASES[name]
    refused = [row for row in pairs(case) if not fits(case, *row)]
    refused += [(way, integrator) for way in FORMULATIONS for integrator in RATES
                if integrator not in FAMILIES]  # fmt: skip
    for way, integrator in refused:
        said = rf"(formulation|method) '({way}|{integrator})': "
        with pytest.raises(kt.errors.UnsupportedError, match=said):
            gradients(name, "direct", formulation=way, integrator=integrator, step=case.step)
