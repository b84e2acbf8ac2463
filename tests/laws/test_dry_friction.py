"""Dry friction in joints: modes that settle are those of a search through all of them."""

from __future__ import annotations

import itertools
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests import zoo
from tests.approx import CLOSED, EFFORTS, FORMALISM, ROUNDING, assert_close
from tests.laws.tools import values
from tests.mechanisms import slider_crank
from tests.reference import manutec

import kinetree as kt
from kinetree.errors import UnsupportedError
from kinetree.solve.settle import settle

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

MODES = np.array(list(itertools.product((-1, 0, 1), repeat=6)))


@cache
def r3_programs(way: str) -> tuple[Any, Any]:
    arm = manutec.r3("rigid")
    return kt.derive(arm, "friction", way).compile(), kt.derive(arm, "mass_bias").compile()


def settled(f: Any, modes: Any, **arrays: Any) -> tuple[dict[str, Any], int]:
    return settle(lambda m: f(**arrays, modes=m), modes)


def searched(M: Array, rest: Array, limit: Array, qd: Array) -> Array:
    """The one mode of all joints whose conditions hold; joints that move slide."""
    found = []
    for modes in MODES:
        moving = qd != 0
        if (modes[moving] != np.sign(qd[moving])).any():
            continue
        stuck = np.flatnonzero(modes == 0)
        force = -modes * limit
        free = np.flatnonzero(modes)
        qdd = np.zeros(6)
        qdd[free] = np.linalg.solve(M[np.ix_(free, free)], (rest + force)[free])
        force[stuck] = (M @ qdd - rest)[stuck]
        still = (qd == 0) & (modes != 0)
        if (np.abs(force) <= limit * (1 + CLOSED)).all() and (modes * qdd)[still].min(
            initial=0
        ) >= 0:
            found.append(modes)
    (only,) = found
    return np.asarray(only)


def searched_with_breakaway(M: Array, rest: Array, given: dict[str, Any], before: Array) -> Array:
    """Joints that stuck break away at the larger bound; once they slide, the smaller one holds."""
    slid = before != 0
    while True:
        limit = np.where(slid, given["coulomb"], given["breakaway"])
        modes = searched(M, rest, limit, given["qd"])
        if not (modes != 0)[~slid].any():
            return modes
        slid = slid | (modes != 0)


def random_case(seed: int, breakaway: float) -> dict[str, Any]:
    """A state of the r3 in which most joints are at rest, and loads near their friction."""
    rng = np.random.default_rng(seed)
    qd = rng.uniform(-1, 1, 6) * (rng.uniform(size=6) < 0.25)
    coulomb = rng.uniform(0.2, 1.0, 6) * [20, 200, 100, 5, 5, 2]
    return {
        "q": rng.uniform(-2, 2, 6),
        "qd": qd,
        "gamma": rng.normal(size=6) * coulomb,
        "coulomb": coulomb,
        "breakaway": breakaway * coulomb,
    }


@pytest.mark.parametrize("way", ["order_n", "newton_euler"])
def test_modes_of_r3_are_those_of_a_search_through_all_729(way: str) -> None:
    friction, inertia = r3_programs(way)
    seen = set()
    for seed in range(40):
        case = random_case(seed, 1.0)
        of_arm = inertia(q=case["q"], qd=case["qd"])
        rest = case["gamma"] - of_arm["c"]
        expected = searched(of_arm["M"], rest, case["coulomb"], case["qd"])
        for start in (np.zeros(6), np.random.default_rng(seed).integers(-1, 2, 6)):
            out, rounds = settled(friction, start, **case)
            np.testing.assert_array_equal(out["modes"], expected)
            assert rounds < 60
        sticks = expected == 0
        assert_close(out["qdd"][sticks], np.zeros(sticks.sum()), FORMALISM, "qdd", scale=1.0)
        whole = of_arm["M"] @ out["qdd"] + of_arm["c"]
        assert_close(case["gamma"] + out["friction"], whole, FORMALISM, "tau", scale=1e3)
        assert_close(out["tau"], whole, FORMALISM, "tau", scale=1e3)
        seen.add(tuple(expected))
    assert len(seen) > 20


def test_joints_break_away_at_the_larger_bound() -> None:
    friction, inertia = r3_programs("order_n")
    kept = 0
    for seed in range(40):
        case = random_case(seed, 1.5)
        of_arm = inertia(q=case["q"], qd=case["qd"])
        before = np.where(case["qd"], np.sign(case["qd"]), 0) * 1.0
        rest = case["gamma"] - of_arm["c"]
        expected = searched_with_breakaway(of_arm["M"], rest, case, before)
        out, _ = settled(friction, before, **case)
        np.testing.assert_array_equal(out["modes"], expected)
        again, rounds = settled(friction, expected, **case)
        assert rounds == 0, "what has settled stays"
        np.testing.assert_array_equal(again["modes"], expected)
        weak = searched(of_arm["M"], rest, case["coulomb"], case["qd"])
        kept += int((weak != expected).any())
    assert kept > 3, "the larger bound makes a difference"


def block() -> kt.Model:
    """A block of 2 kg on a slope of 30 degrees, sliding down along x."""
    slope = np.radians(30)
    model = kt.Model("block", gravity=(9.81 * np.sin(slope), 0, -9.81 * np.cos(slope)))
    model.prismatic("x", model.ground, model.body("block", mass=2.0), axis="x")
    return model


@pytest.mark.parametrize(
    ("gamma", "mode", "qdd", "friction"),
    [
        (0.0, 0, 0.0, -9.81),  # its weight along the slope is 9.81 N
        (2.1, 0, 0.0, -11.91),
        (2.3, 1, (9.81 + 2.3 - 10) / 2, -10.0),  # beyond 12 N it slides, held by 10 N
        (-21.9, -1, (9.81 - 21.9 + 10) / 2, 10.0),
        (-21.7, 0, 0.0, 21.7 - 9.81),
    ],
)
def test_a_block_on_a_slope(gamma: float, mode: int, qdd: float, friction: float) -> None:
    f = kt.derive(block(), "friction").compile()
    bounds = {"coulomb": [10.0], "breakaway": [12.0]}
    out, _ = settled(f, [0.0], q=[0.0], qd=[0.0], gamma=[gamma], **bounds)
    assert out["modes"][0] == mode
    assert out["qdd"][0] == pytest.approx(qdd, abs=ROUNDING)
    assert out["friction"][0] == pytest.approx(friction, rel=ROUNDING)


def test_a_block_that_comes_to_rest_sticks_by_the_smaller_bound() -> None:
    """It slid before: between the bounds it goes on; stuck, it stays with the larger bound."""
    f = kt.derive(block(), "friction").compile()
    given = {"q": [0.0], "qd": [0.0], "gamma": [1.2], "coulomb": [10.0], "breakaway": [12.0]}
    assert settled(f, [1.0], **given)[0]["modes"][0] == 1
    assert settled(f, [0.0], **given)[0]["modes"][0] == 0
    assert settled(f, [1.0], **{**given, "gamma": [0.1]})[0]["modes"][0] == 0


def test_what_moves_slides_whatever_was_said() -> None:
    f = kt.derive(block(), "friction").compile()
    given = {"q": [0.0], "gamma": [0.0], "coulomb": [10.0], "breakaway": [12.0]}
    for qd, start in ((0.3, -1.0), (-0.3, 0.0)):
        out, rounds = settled(f, [start], qd=[qd], **given)
        assert out["modes"][0] == np.sign(qd)
        assert rounds == 1


def test_other_joints_are_free_or_driven() -> None:
    tree = zoo.chain(4)
    prog = kt.derive(tree, "friction", known={"j1": "either", "j2": "qdd"})
    assert prog.input("modes").labels == ("j1",)
    state = zoo.state(tree, 3)
    state["qd"][1] = 0.0
    gamma = np.array([0.3, 0.1, 0.7, -0.2])
    bounds = {"coulomb": [50.0], "breakaway": [60.0]}
    out = values(prog, **state, gamma=gamma, **bounds)
    mixed = kt.derive(tree, "mixed", known={"j1": "qdd", "j2": "qdd"})
    expected = values(mixed, **state, gamma=[0.3, 0.0, 0.7, -0.2])
    for name in ("qdd", "tau"):
        assert_close(out[name], expected[name], FORMALISM, name, scale=10.0)
    assert out["friction"][0] == pytest.approx(expected["tau"][1] - 0.1)
    assert out["open"] == 0


def test_every_way_gives_the_same() -> None:
    tree = zoo.one_joint("universal")
    state = zoo.state(tree, 5)
    given = {
        "gamma": [3.0, -2.0, 1.0, 0.5],
        "coulomb": [1.0, 0.5, 0.2, 0.7],
        "breakaway": [1.5, 0.5, 0.3, 0.8],
        "modes": [0.0, 2.0, -1.0, 3.0],
    }
    state["qd"][:3] = 0.0
    first = values(kt.derive(tree, "friction"), **state, **given)
    for way in ("order_n", "virtual_power", "lagrange", "dalembert"):
        other = values(kt.derive(tree, "friction", way), **state, **given)
        for name, value in first.items():
            size = 1 + float(np.abs(value).max())
            assert_close(other[name], value, FORMALISM, f"{way} {name}", scale=size)


def test_friction_inside_a_loop() -> None:
    """Slider and crank rub; whichever way it is written, forces and modes fit forward dynamics."""
    tree = slider_crank()
    found = kt.partition(tree)
    names = [found.independent[0], found.dependent[-1]]
    k = [tree.velocities.index(name) for name in sorted(names, key=tree.velocities.index)]
    program = kt.derive(tree, "friction", known=dict.fromkeys(names, "either"), partition=found)
    f, forward = program.compile(), kt.derive(tree, "forward", partition=found).compile()
    state = {"q": found.q, "qd": np.zeros(tree.nv)}
    reached = set()
    for push in np.linspace(-60, 60, 13):
        gamma = np.array([push, 0.0, 0.3 * push])
        bounds = {"coulomb": [5.0, 8.0], "breakaway": [5.0, 8.0]}
        try:
            out, _ = settled(f, [1.0, 0.0], **state, gamma=gamma, **bounds)
        except ArithmeticError:
            pytest.fail(f"modes do not settle at {push}")
        tau = gamma.copy()
        tau[k] += out["friction"]
        back = forward(**state, tau=tau)["qdd"]
        np.testing.assert_allclose(back, out["qdd"], atol=EFFORTS)
        assert (np.abs(out["friction"]) <= np.array([5.0, 8.0]) * (1 + EFFORTS)).all()
        assert (out["modes"] * out["qdd"][k] >= -1e-9).all()
        reached.add(tuple(out["modes"]))
    assert len(reached) >= 3


def test_loops_are_written_in_independent_coordinates() -> None:
    with pytest.raises(UnsupportedError, match="'friction' is written in the independent"):
        kt.derive(slider_crank(), "friction", loops="multipliers")
