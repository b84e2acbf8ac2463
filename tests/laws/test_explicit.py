"""The explicit model of closed systems against the equations with multipliers, solved by NumPy.

Every kind of closure, quaternions among the dependent coordinates, laws of the time, drives.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.approx import AT_STATES, EFFORTS, IDENTITY, ITERATED, LONG_RUN, TRAJECTORY
from tests.closed import CLOSED
from tests.laws.tools import coordinate_rates
from tests.mechanisms import ring, slider_crank

import kinetree as kt
from kinetree.formalism.loops import constraints
from kinetree.model import retract
from kinetree.program.program import Newton
from kinetree.program.verify import verify
from kinetree.targets.kept import forget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kinetree.formalism.links.frames import Frames
    from kinetree.formalism.loops import Row

TIME = 0.3
Row = dict[str, Any]


@cache
def system(name: str) -> tuple[kt.Model, kt.Partition, kt.Program]:
    """The model, its partition at a closed configuration, and its explicit model."""
    model = CLOSED[name]()
    found = kt.partition(model, t=TIME)
    return model, found, verify(kt.derive(model, "forward", partition=found))


def given(program: kt.Program, **arrays: Any) -> Row:
    names = {row.name for row in program.inputs}
    return {k: v for k, v in {"t": np.asarray(TIME), **arrays}.items() if k in names}


def state(name: str) -> Row:
    model, found, _ = system(name)
    rng = np.random.default_rng(5)
    return {"q": found.q, "qd": rng.normal(size=model.nv), "tau": rng.normal(size=model.nv)}


def multiplied(model: kt.Model, out: Row, tau: Any) -> tuple[Row, Any, Any]:
    """h, J, Jdqd, ht; and M qdd + c - tau - Jᵀ lam; at the state that came out."""
    at = {"q": out["q_closed"], "qd": out["qd_closed"]}
    constraints = kt.derive(model, "constraints")
    rows = constraints.evaluate(**given(constraints, **at))
    dynamics = kt.derive(model, "mass_bias")
    tree = dynamics.evaluate(**given(dynamics, **at))
    left = tree["M"] @ out["qdd"] + tree["c"] - tau - rows["J"].T @ out["lam"]
    return rows, left, tree


@pytest.mark.parametrize("name", CLOSED)
def test_all_equations_hold(name: str) -> None:
    model, found, program = system(name)
    values = state(name)
    out = program.evaluate(**given(program, **values))
    rows, left, tree = multiplied(model, out, values["tau"])
    size = 1 + np.abs(tree["c"]).max()
    np.testing.assert_allclose(rows["h"], 0, atol=ITERATED)
    np.testing.assert_allclose(rows["J"] @ out["qd_closed"] + rows["ht"], 0, atol=ITERATED)
    np.testing.assert_allclose(rows["J"] @ out["qdd"] + rows["Jdqd"], 0, atol=AT_STATES * size)
    np.testing.assert_allclose(left, 0, atol=AT_STATES * size)
    rolling = {*found.driven, *found.rate_dependent}
    kept = [k for k in found.u if model.velocities[k] not in rolling]
    np.testing.assert_array_equal(out["qd_closed"][kept], values["qd"][kept])


@pytest.mark.parametrize("name", CLOSED)
def test_rough_starts_lead_to_the_same_independent_coordinates(name: str) -> None:
    model, found, program = system(name)
    values = state(name)
    step = np.zeros(model.nv)
    step[list(found.v)] = 1e-3 * np.cos(1.0 + np.arange(len(found.v)))
    rough = {**values, "q": retract(model, found.q, step)}
    out = program.evaluate(**given(program, **rough))
    rows, _, _ = multiplied(model, out, values["tau"])
    np.testing.assert_allclose(rows["h"], 0, atol=ITERATED)
    want = program.evaluate(**given(program, **values))
    np.testing.assert_allclose(out["q_closed"], want["q_closed"], atol=2 * TRAJECTORY)


@pytest.mark.parametrize("name", ["mechanism", "law", "tyre", "solid"])
def test_derivatives_along_the_motion(name: str) -> None:
    """dqdd along a change of the independent coordinates, against the complex step."""
    model, _, program = system(name)
    values = state(name)
    rng = np.random.default_rng(1)
    start = program.evaluate(**given(program, **values))
    values["qd"] = start["qd_closed"]
    rates = coordinate_rates(model, values["q"], rng.normal(size=model.nv))
    made = verify(program.derivative("qdd", ["q", "qd", "tau"])).evaluate(
        **given(program, **values)
    )
    for by, direction in (
        ("q", rates),
        ("qd", rng.normal(size=model.nv)),
        ("tau", rng.normal(size=model.nv)),
    ):
        moved = {**values, by: values[by] + 1e-30j * direction}
        want = program.evaluate(**given(program, **moved))["qdd"].imag / 1e-30
        got = made[f"dqdd_d{by}"] @ direction
        np.testing.assert_allclose(got, want, atol=EFFORTS * (1 + np.abs(want).max()), err_msg=by)


@pytest.mark.parametrize("loops", ["explicit", "multipliers"])
@pytest.mark.parametrize("way", ["order_n", "virtual_power", "lagrange"])
def test_formalisms_agree(way: str, loops: str) -> None:
    model, found, program = system("mechanism")
    values = state("mechanism")
    want = program.evaluate(**values)
    values |= {"q": want["q_closed"], "qd": want["qd_closed"]}
    other = kt.derive(model, "forward", way, partition=found, loops=loops).evaluate(**values)
    for key, x in want.items():
        np.testing.assert_allclose(
            other[key], x, atol=AT_STATES * (1 + np.abs(x).max()), err_msg=key
        )


@pytest.mark.parametrize("way", ["newton_euler", "order_n"])
@pytest.mark.parametrize("loops", ["multipliers", "projection"])
@pytest.mark.parametrize("name", ["mechanism", "solid", "curve", "law", "rate", "tyre"])
def test_other_ways_give_the_same_motion(name: str, loops: str, way: str) -> None:
    model, found, program = system(name)
    values = state(name)
    want = program.evaluate(**given(program, **values))
    other = verify(kt.derive(model, "forward", way, partition=found, loops=loops))
    on = {**values, "q": want["q_closed"], "qd": want["qd_closed"]}
    out = other.evaluate(**given(other, **on))
    for key in ("qdd", "lam", "q_closed", "qd_closed"):
        size = 1 + np.abs(want[key]).max()
        np.testing.assert_allclose(out[key], want[key], atol=EFFORTS * size, err_msg=key)


def test_rotors_and_driven_links_of_long_loops() -> None:
    """With all coordinates the work grows with the number of links, not with its cube."""
    sizes = []
    for n in (15, 30):
        model = ring(n)
        model.joints["q4"] = replace(model.joints["q4"], armature=(0.3,))
        model.drive("q2", lambda t, n=n: 0.1 * kt.functions.sin(3 * t) - 2 * math.pi / n)
        found = kt.partition(model)
        one, other = (
            kt.derive(model, "forward", way, partition=found, loops="projection")
            for way in ("newton_euler", "order_n")
        )
        rng = np.random.default_rng(n)
        values = {"q": found.q, "qd": rng.normal(size=n), "tau": rng.normal(size=n), "t": 0.2}
        want, got = (program.evaluate(**values) for program in (one, other))
        for key in ("qdd", "lam"):
            size = np.abs(want[key]).max()
            np.testing.assert_allclose(got[key], want[key], atol=EFFORTS * size, err_msg=key)
        sizes.append(other.count().total)
    assert sizes[1] < 2.2 * sizes[0]


@pytest.mark.parametrize("name", ["mechanism", "law", "tyre", "solid"])
def test_projection_comes_from_aside(name: str) -> None:
    model, found, _ = system(name)
    rng = np.random.default_rng(2)
    program = kt.derive(model, "forward", partition=found, loops="projection")
    values = state(name)
    aside = retract(model, found.q, 1e-3 * rng.normal(size=model.nv))
    out = program.evaluate(**given(program, **{**values, "q": aside}))
    rows, left, tree = multiplied(model, out, values["tau"])
    size = 1 + np.abs(tree["c"]).max()
    np.testing.assert_allclose(rows["h"], 0, atol=ITERATED)
    np.testing.assert_allclose(rows["J"] @ out["qd_closed"] + rows["ht"], 0, atol=AT_STATES)
    np.testing.assert_allclose(left, 0, atol=EFFORTS * size)


def test_stabilisation_pulls_back() -> None:
    """Off the loops h decays by hddot + 2 alpha hdot + beta² h = 0."""
    model, found, _ = system("ball")
    program = kt.derive(model, "forward", partition=found, loops="multipliers")
    values = state("ball")
    step = 1e-4 * np.cos(np.arange(model.nv))
    values["q"] = retract(model, found.q, step)
    out = program.evaluate(**values, baumgarte=np.array([3.0, 5.0]))
    rows, _, _ = multiplied(model, out, values["tau"])
    rate = rows["J"] @ values["qd"]
    want = -2 * 3.0 * rate - 5.0**2 * rows["h"]
    assert np.abs(rows["h"]).max() > 1e-6
    np.testing.assert_allclose(rows["J"] @ out["qdd"] + rows["Jdqd"], want, atol=LONG_RUN)


def crank_and_slider() -> tuple[kt.Model, kt.Program]:
    model = slider_crank()
    found = kt.partition(model, independent=["q1"])
    return model, kt.derive(model, "forward", partition=found)


def test_one_hinge_needs_no_iteration() -> None:
    _, program = crank_and_slider()
    assert not any(isinstance(block, Newton) for block in program.blocks)


@pytest.mark.parametrize("turns", [0, 3])
def test_a_hinge_in_closed_form_stays_on_its_branch(turns: int) -> None:
    """From 0.4 rad aside, and after whole turns, the rod stays on its side of the slider."""
    _, program = crank_and_slider()
    crank = np.linspace(0, 2 * np.pi, 9) + 2 * np.pi * turns
    rod = -crank - np.arcsin(np.sin(crank) / 2)  # crank 1, rod 2
    q = np.stack([crank, rod + 0.4, np.zeros_like(crank)], axis=-1)
    out = program.evaluate(q=q, qd=np.zeros((9, 3)), tau=np.zeros((9, 3)))["q_closed"]
    np.testing.assert_allclose(out[:, 1], rod, atol=IDENTITY)


def test_a_hinge_that_cannot_close_is_not_a_number() -> None:
    _, program = crank_and_slider()
    p = program.input("p")
    values = np.array(p.default)
    values[p.labels.index("rod.end_x")] = 0.5
    with np.errstate(invalid="ignore"):
        out = program.evaluate(q=[1.2, -1.7, 1.0], qd=np.zeros(3), tau=np.zeros(3), p=values)
    assert np.isnan(out["q_closed"][1])
    assert np.isnan(out["qdd"]).all()


def test_a_hinge_that_starts_halfway_between_two_solutions_takes_one() -> None:
    model = kt.Model("strut")
    beam, slide = (model.body(n, mass=1.0, inertia=(1, 1, 1)) for n in ("beam", "slide"))
    model.revolute("swing", model.ground, beam, initial=0.9)
    model.prismatic("shift", model.ground, slide, axis="x", initial=1.4)
    model.close_rod("rod", beam.point("tip", (1, 0, 0)), slide, 1.5)
    program = kt.derive(model, "forward", partition=kt.partition(model, independent=["shift"]))
    for start in (0.0, np.pi, 1e-9):
        swing, shift = program.evaluate(q=[start, 1.4], qd=[0, 0], tau=[0, 0])["q_closed"]
        assert np.hypot(np.cos(swing) - shift, np.sin(swing)) == pytest.approx(1.5, abs=IDENTITY)


@pytest.mark.parametrize("loops", ["explicit", "multipliers", "projection"])
def test_closures_are_derived_once(loops: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    derive = constraints.write_equations

    def count(frames: Frames) -> Iterator[Row]:
        calls.append(frames.system.model.name)
        return derive(frames)

    monkeypatch.setattr(constraints, "write_equations", count)
    forget()
    kt.derive(slider_crank(), "forward", loops=loops)
    assert calls == ["slider_crank"]
