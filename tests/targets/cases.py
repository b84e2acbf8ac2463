"""The corpus that every target runs: Programs under a name each, with states, and their values.

A target is compiled or started once for all of it.  The exchange with other languages is plain: the
numbers of all inputs of all cases in order, one a line, and the numbers of all outputs back.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import kinetree as kt
import lengths
import mechanisms
from approx import assert_close, scale_of
from crosscheck.robots import write_urdf
from kinetree import engine as en
from kinetree.certificate.trials import Trial
from kinetree.functions import maximum, select, sin, table
from kinetree.program import Input, Output, Program
from kinetree.steppers import step_program
from kinetree.steppers.formulations.structural import COUNT
from reference.test_assembly import CLOSED, start
from targets import corpus, newtons

ROOT = Path(__file__).resolve().parents[2]
Arrays = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A Program of the corpus.

    Attributes:
        program: what runs.
        states: values of its inputs, one dictionary per evaluation.
        kind: heading of the table in the documentation.
        about: what the case is there for.
    """

    program: Program
    states: tuple[Arrays, ...]
    kind: str
    about: str

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def trial(self) -> Trial:
        return Trial(self.program, self.states)

    def expected(self) -> list[dict[str, Any]]:
        return [self.program.evaluate(**values) for values in self.states]


def forced() -> kt.Model:
    """A cart with a pendulum: a table, branches, a state of its own and the time."""
    model = kt.Model("forced", gravity=(0, 0, -9.81))
    cart = model.body("cart", mass=2.0, inertia=(0.1, 0.1, 0.1))
    bob = model.body("bob", mass=1.0, com=(0, 0, -0.8), inertia=(0.02, 0.02, 0.01))
    model.prismatic("x", model.ground, cart)
    model.spherical("swing", cart, bob)
    tip, wall = bob.point("tip", (0, 0, -1)), model.ground.point("wall", (1.5, 0, 0))
    curve = model.table("damper", [-1.0, -0.1, 0.0, 0.1, 1.0], [-900.0, -300.0, 0.0, 150.0, 400.0])
    model.link("damper", tip, wall, lambda rate: table(rate, curve))
    model.link("stop", cart, wall, lambda length: -1e3 * maximum(1.6 - length, 0))
    model.state("push", 0.0, lambda x, t: (20 * sin(5 * t) - x["push"]) / 0.05, unit="N")
    model.joint_law("motor", "x", lambda x, q: x["push"] * select(q["x"], 1, 0.5))
    return model


def touching() -> kt.Model:
    """A crate that sticks on a slope, a pin in a wheel of slots, a disc on a spline, and a jack."""
    model = kt.Model("touching", gravity=(1.0, -9.81, 0))
    crate, wheel, cam = (
        model.body(k, mass=1.0, inertia=(0.1,) * 3) for k in ("crate", "wheel", "cam")
    )
    model.planar("p", model.ground, crate)
    model.revolute("turn", model.ground, wheel, axis="z")
    model.revolute("roll", model.ground.point("beside", (1.0, 0, 0)), cam, axis="z")
    sole = {"chain": [(-0.3, -0.2), (0.3, -0.2)]}
    model.plane_contact("rests", crate, model.ground, sole, {"chain": [(5, 0), (-5, 0)]}, "linear",
                        stiffness=1e4, damping=5.0, friction=0.4, stick_stiffness=1e4)  # fmt: skip
    slot = {"chain": [(0.5, -0.1), (0.2, -0.1, -1.0), (0.2, 0.1), (0.5, 0.1)], "repeat": 5}
    pin = {"circle": (0.4, 0.0), "radius": 0.098}
    model.plane_contact("pin", model.ground, wheel, pin, slot, "felt", force=5.0, depth=0.01,
                        exponent=1.8, dissipation=0.3, friction=0.2)  # fmt: skip
    oval = [(0.3 * np.cos(a), 0.2 * np.sin(a)) for a in np.arange(12) * np.pi / 6]
    round_cam = {"spline": [(float(x), float(y)) for x, y in oval], "closed": True}
    model.plane_contact("follows", model.ground, cam, {"circle": (1.0, 0.33), "radius": 0.1},
                        round_cam, "hunt_crossley", stiffness=1e4, dissipation=0.1)  # fmt: skip
    model.fluid("oil", 870.0, 1e9, viscosity=0.02)
    model.cylinder("jack", model.ground.point("foot", (0, -1, 0)), crate, "oil", 0.05, rod=0.02,
                   length=1.2, stroke=0.3, cap_volume=5e-4, rod_volume=5e-4)  # fmt: skip
    model.accumulator("gas", "oil", 1e-3, 1e6)
    model.fluid_line("pipe", "jack_cap", "gas", 2.0, 0.01)
    model.orifice("neck", "jack_rod", "gas", 1e-5)
    model.check_valve("valve", "gas", "jack_cap", 1e-10, opening=1e5)
    return model


def meeting(program: Program) -> tuple[Arrays, ...]:
    """Both ends of the crate on the slope, and one; pin and follower inside their faces."""
    poses = ([0.1, 0.195, 0.02, 0.03, 1.2], [0.1, 0.199, -0.001, 2.5, -0.7])
    x = np.array([1e-4, -2e-4, *(0.0,) * 100])
    oil = np.array([1.2e6, 4e5, 0.9, 3e-5])
    count = len(program.input("x").symbols) - oil.size
    rows = zip(moving(program), poses, strict=True)
    return tuple(row | {"q": np.array(q), "x": np.concatenate([x[:count], oil])} for row, q in rows)


def shapes() -> Program:
    """A matrix that goes in, one that comes out, and arrays of no length."""
    a = Input("a", (2, 3), tuple(en.symbol(f"a_{i}", en.Rank.COORDINATE) for i in range(6)))
    none = Input("none", (0,), (), default=(), parameter=True)
    k = Input("k", (), (en.symbol("k"),), default=(2.5,), parameter=True)
    turned = tuple(k.symbols[0] * a.symbols[3 * j + i] for i in range(3) for j in range(2))
    outputs = (Output("turned", (3, 2), turned), Output("nothing", (0,), ()))
    return Program("shapes", (a, none, k), (), (), outputs)


def outside() -> Program:
    """Functions beyond their range, where there is no number; the last one is inside."""
    x = corpus.scalars("x")[0]
    s = x.symbols[0]
    nodes = (en.sqrt(-s), en.asin(2 * s), en.acos(-3 * s), en.log(-s), en.call("pow", -s, s / 3))
    return Program("outside", (x,), (), (), (Output("none", (6,), (*nodes, en.sqrt(s))),))


def moving(program: Program, count: int = 2) -> tuple[Arrays, ...]:
    """Random states of a Program; quaternions need not have length 1."""
    return tuple(corpus.arrays(program, seed=seed) for seed in range(count))


def limousine(program: Program) -> tuple[Arrays, ...]:
    """Near the closed configuration, with random speeds and efforts."""
    (values,) = moving(program, 1)
    return (values | {"q": np.array(CLOSED["limousine_63"]["q"])},)


def near(*q: float) -> Callable[[Program], tuple[Arrays, ...]]:
    """Two states near a configuration."""

    def states(program: Program) -> tuple[Arrays, ...]:
        rows = zip(moving(program), (1, 0.9), strict=True)
        return tuple(row | {"q": np.array(q) * factor} for row, factor in rows)

    return states


def other_lengths(program: Program) -> tuple[Arrays, ...]:
    """States with the model's own lengths, and with one for which the loops do not close."""
    rows = zip(near(0.9, 0.9, 0.9, -0.9)(program), (1.0, 1.2), strict=True)
    return tuple(row | {"p": lengths.with_parameters(program, {"L3": L3})} for row, L3 in rows)


def points(program: Program) -> tuple[Arrays, ...]:
    del program
    found = corpus.points(4, seed=1)
    return tuple({name: row[i] for name, row in found.items()} for i in range(4))


def steps(
    model: Callable[[], kt.Model], h: float, effort: float = 1.0
) -> Callable[[Program], tuple[Arrays, ...]]:
    """The second step of h [s] from rest under random efforts; the first one closes the loops."""

    def states(program: Program) -> tuple[Arrays, ...]:
        given = {row.name: np.zeros(row.shape) for row in program.inputs if row.default is None}
        given |= {"q": model().initial(), "tau": effort * corpus.arrays(program)["tau"]}
        given["h"] = np.asarray(h)
        first = program.evaluate(**given)
        return (
            given | {name.removesuffix("_next"): x for name, x in first.items() if "_next" in name},
        )

    return states


Row = tuple[str, str, Callable[[], Program], Callable[[Program], tuple[Arrays, ...]]]


def derived(model: Callable[[], kt.Model], quantity: str) -> Callable[[], Program]:
    return lambda: kt.derive(model(), quantity)


def pendulum() -> kt.Model:
    return kt.load(ROOT / "examples" / "models" / "double_pendulum.yaml")


def arm() -> kt.Model:
    return kt.load(ROOT / "examples" / "models" / "arm7.urdf")


def talos() -> kt.Model:
    """The humanoid of the installed robot descriptions; its base floats."""
    pytest.importorskip("pinocchio", reason="robots are not installed: pip install pin")
    with TemporaryDirectory() as folder:
        return kt.load(write_urdf("talos", Path(folder)), floating=True)


def iltis() -> kt.Model:
    return kt.load(ROOT / "examples" / "models" / "iltis.yaml")


def crank_step() -> Program:
    return step_program(mechanisms.slider_crank(), "hybrid")


def iltis_step() -> Program:
    return step_program(iltis(), "topological")


def listed() -> Iterable[tuple[str, Row]]:
    """Name -> kind, what for, how to make it, its states."""
    yield "expressions", ("operators", "every operator", corpus.expressions, points)
    one = ({"x": np.array(1.0)},)
    yield "outside", ("no number", "beyond the range", outside, lambda program: one)
    yield "with_preamble", ("parameters", "preamble", corpus.with_preamble, moving)
    yield "shapes", ("parameters", "matrices", shapes, moving)
    yield "while", ("names", "names that clash", corpus.pathological_names, moving)
    yield "long_chain", ("length", "a long program", lambda: corpus.long_chain(400), moving)
    for name in ("system_3_1", "system_7_11", "system_12_24", "chained"):
        yield name, ("symmetric systems", "LᵀDL", lambda n=name: corpus.SYSTEMS[n], moving)
    for name in ("system_1_2_general", "system_5_9_general", "system_11_3_general"):
        yield name, ("general systems", "pivoting", lambda n=name: corpus.SYSTEMS[n], moving)
    for name in ("kepler", "coupled_6", "sequence", "early", "directed", "far"):
        yield name, ("Newton", "iterations", lambda n=name: newtons.PROGRAMS[n], moving)
    for quantity in ("inverse", "forward", "mass_bias", "energy"):
        about = (quantity, "double pendulum")
        yield f"pendulum_{quantity}", (*about, derived(pendulum, quantity), moving)
    for quantity in ("inverse", "forward", "kinematics"):
        yield f"arm_{quantity}", (quantity, "arm with 7 joints", derived(arm, quantity), moving)
    kind = "forward: tables, branches, states"
    yield "forced", (kind, "a cart", derived(forced, "forward"), moving)
    kind = "forward: contacts, fluid power"
    yield "touching", (kind, "profiles that meet", derived(touching, "forward"), meeting)
    slider, bars = (derived(m, "forward") for m in (mechanisms.slider_crank, mechanisms.four_bar))
    yield "crank", ("forward, closed", "loop in closed form", slider, near(0.5, -0.8, 2.5))
    yield "four_bar", ("forward, closed", "loop by iteration", bars, near(0.9, -0.9, 0.9))
    cranks = derived(lengths.three_cranks, "forward")
    yield "cranks", ("forward, closed", "equations that repeat others", cranks, other_lengths)
    car = derived(lambda: start("limousine_63")[0], "forward")
    yield "limousine", ("Limousine: forward, closed", "car with 63 joints", car, limousine)
    yield "talos", ("Talos: forward", "38 freedoms", derived(talos, "forward"), moving)
    start_crank, start_car = steps(mechanisms.slider_crank, 0.01), steps(iltis, 5e-3, 1e3)
    yield "crank_step", ("slider-crank: step", "multipliers", crank_step, start_crank)
    yield "iltis_step", ("Iltis: step", "projection", iltis_step, start_car)


ROWS = dict(listed())


@cache
def case(name: str) -> Case:
    """One case of the corpus."""
    kind, about, make, states = ROWS[name]
    program = replace(make(), name=name)
    return Case(program, states(program), kind, about)


@cache
def expected(name: str) -> list[dict[str, Any]]:
    """Values by the reference evaluation."""
    with np.errstate(invalid="ignore"):
        return case(name).expected()


@cache
def scales(name: str) -> list[dict[str, float]]:
    """What errors of every output are measured by: its largest value.

    A step finds coordinates; velocities and accelerations are quotients of them, 2 q/h and 4 q/h²,
    and known as well as these.  Multipliers are known as well as the inputs determine them: their
    scale is their change per relative change of the inputs.
    """
    found = []
    for state, reference in zip(case(name).states, expected(name), strict=True):
        rows = {out: scale_of(value[np.isfinite(value)]) for out, value in reference.items()}
        if "h" in state:
            q, h = rows["q_next"], float(state["h"])
            rows["qd_next"] = max(rows["qd_next"], 2 * q / h)
            rows["qdd_next"] = max(rows["qdd_next"], 4 * q / h**2)
        if "lam_next" in rows:
            rows["lam_next"] = max(rows["lam_next"], _sensitivity(name, state, "lam_next"))
        found.append(rows)
    return found


def _sensitivity(name: str, state: Arrays, out: str) -> float:
    """Largest change of an output per relative change of all inputs but the step's length."""
    small, rng = 1e-6, np.random.default_rng(0)
    function = case(name).program.compile()
    moved = {
        key: x if key == "h" else x * (1 + small * rng.uniform(-1, 1, np.shape(x)))
        for key, x in state.items()
    }
    return float(np.max(np.abs(function(**moved)[out] - function(**state)[out]))) / small


def assert_cases(
    found: dict[str, list[dict[str, Any]]], tolerance: float, least: float = 0.0
) -> None:
    """All outputs of all states of some cases against the reference; all failures together.

    Errors are relative to the scale of an output, or to `least` where that is larger.  What is no
    number in the reference must be none here.
    """
    wrong = []
    for name, rows in found.items():
        for values, reference, sizes in zip(rows, expected(name), scales(name), strict=True):
            for out, value in reference.items():
                if out == COUNT:  # rounding decides about one more
                    assert abs(float(values[out]) - float(value)) <= 1, name
                    continue
                scale = max(sizes[out], least)
                array = np.array(values[out], float).reshape(value.shape)
                none = np.isnan(value)
                try:
                    assert (np.isnan(array) == none).all(), f"{name}: {out} is {array}"
                    assert_close(array[~none], value[~none], tolerance, f"{name}: {out}", scale)
                except AssertionError as error:
                    wrong.append(str(error))
    assert not wrong, "\n".join(wrong)


def tool(name: str, package: str) -> str:
    """The path of a program, or a skip that says where it comes from."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"'{name}' is not on PATH (Debian: apt install {package})")
    return path
