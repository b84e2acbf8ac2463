"""The global formulation: natural coordinates agree with relative ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests import closed, forced, mechanisms, zoo
from tests.approx import (
    AT_STATES,
    CLOSED,
    COARSE_RUN,
    EQUAL_STEPS,
    FORMALISM,
    IDENTITY,
    ILL_CONDITIONED,
    ITERATED,
    READ_OFF,
)
from tests.steppers import systems

import kinetree as kt
from kinetree.errors import UnsupportedError
from kinetree.formalism.links.linkage import linkage
from kinetree.formalism.natural import Chart, chart
from kinetree.functions import sin
from kinetree.integrate import Stepper
from kinetree.integrate.start.beginning import Beginning
from kinetree.program.sparsity import minimum_degree
from kinetree.steppers import step_program
from kinetree.steppers.equations.residual import rate_program

SLOPE = 1e-7  # difference quotients

Array = NDArray[np.float64]


def gaps(model: kt.Model, run: Any) -> float:
    """Largest violation of positions, velocities and accelerations."""
    program = kt.derive(model, "constraints")
    names = {row.name for row in program.inputs}
    given = {"q": run.q, "qd": run.qd, "t": run.times}
    found = program.evaluate(**{k: v for k, v in given.items() if k in names})
    velocity = np.einsum("...ij,...j->...i", found["J"], run.qd) + found["ht"]
    acceleration = np.einsum("...ij,...j->...i", found["J"], run.qdd) + found["Jdqd"]
    return max(float(np.abs(x).max()) for x in (found["h"], velocity, acceleration))


def evaluate(program: kt.Program, **given: Any) -> dict[str, Array]:
    """With those inputs that the Program has."""
    names = {row.name for row in program.inputs}
    return program.evaluate(**{k: v for k, v in given.items() if k in names})


def directions(found: Chart, q: Array) -> Array:
    """How natural coordinates move with the velocities of the model."""
    n = found.model.nv
    rows = np.broadcast_to(q, (n, q.size))
    return found.natural(rows, np.eye(n), np.zeros((n, n)))[1].T


# --- the equations -------------------------------------------------------------------------------


def screw_that_follows() -> kt.Model:
    """A hinge that leads a hinge, a slider and a screw; a spring far round the turn."""
    model = kt.Model("followers")
    a, b, c, d = (
        model.body(n, mass=1.0 + k, com=(0.2, 0.1, 0), inertia=(0.3, 0.4, 0.5))
        for k, n in enumerate("abcd")
    )
    model.revolute("lead", model.ground, a, axis=(1, 2, 3))
    model.revolute("turn", a.point("p", (0.3, 0, 0.2)), b, axis="y", mimic=("lead", 2.5, 0.0))
    model.prismatic("slide", a, c, axis=(0, 1, 1), mimic=("lead", -0.3, 0.1))
    model.screw("thread", c, d, axis="x", pitch=0.2)
    model.joint_spring("coil", "lead", stiffness=3.0, rest=0.4)
    return model


def driven() -> kt.Model:
    """Driven turns and slides between bodies that are not."""
    model = kt.Model("driven")
    a, b, c, d = (
        model.body(n, mass=1.0 + k, com=(0.2, 0.1, 0.3), inertia=(0.3, 0.4, 0.5))
        for k, n in enumerate("abcd")
    )
    model.spherical("ball", model.ground, a)
    model.revolute("motor", a.point("p", (0.3, 0, 0.2)), b, axis=(1, 0, 1))
    model.prismatic("jack", b, c, axis=(0, 1, 1))
    model.revolute("hinge", c.point("p", (0.1, 0.2, 0.3)), d, axis="x")
    model.drive("motor", lambda t: 0.4 + 3 * t + sin(t))
    model.drive("jack", lambda t: 0.2 * sin(5 * t))
    model.joint_friction("rub", "hinge", viscous=0.2)
    model.spring("rope", model.ground.point("hook", (1, 1, 1)), d, 20.0, 0.3, 0.5)
    return model


TREES = {
    "every kind": zoo.every_kind,
    "forces": lambda: forced.forced(zoo.tree_links(4, 3)),
    "forces of quaternions": lambda: forced.forced(zoo.every_kind_links(2)),
    "followers": screw_that_follows,
    "driven": driven,
}


@pytest.mark.parametrize("name", TREES)
def test_projected_equations_are_those_of_the_joints(name: str) -> None:
    model = TREES[name]()
    found = chart(model)
    given = {**zoo.state(model, 5), "t": 0.6, "x": np.full(len(model.states), 0.8)}
    known: list[int] = []
    if found.drives is not None:
        laws = evaluate(found.drives, q=given["q"], t=np.asarray(0.6))
        for k, driven_name in enumerate(found.drives.output("q").labels):
            known.append(model.velocities.index(driven_name))
            given["q"][model.coordinates.index(driven_name)] = laws["q"][k]
            given["qd"][known[-1]], given["qdd"][known[-1]] = laws["qd"][k], laws["qdd"][k]
    natural = found.begin(given, {"t": np.asarray(0.6), "tau": given["tau"]})
    own = {**given, **natural}
    value = evaluate(found.found.value, **own)
    relative = evaluate(rate_program(linkage(model)), **given)
    free = [k for k in range(model.nv) if k not in known]
    r = directions(found, given["q"]).T @ value["tau"]
    wanted = relative["tau"] - given["tau"]
    np.testing.assert_allclose(r[free], wanted[free], rtol=AT_STATES, atol=AT_STATES)
    if model.states:
        np.testing.assert_allclose(value["xd"], relative["xd"], rtol=ITERATED)
    ties = evaluate(found.found.ties, **own)
    for gap in (
        ties["h"],
        ties["J"] @ own["qd"] + ties["ht"],
        ties["J"] @ own["qdd"] + ties["Jdqd"],
    ):
        assert np.abs(gap).max() < CLOSED
    n, rank = len(found.found.space.q), np.linalg.matrix_rank(ties["J"], tol=1e-9)
    assert n - rank == len(free)


@pytest.mark.parametrize("name", TREES)
def test_coordinates_come_back(name: str) -> None:
    model = TREES[name]()
    found = chart(model)
    given = zoo.state(model, 7)
    if found.drives is not None:
        laws = evaluate(found.drives, q=given["q"], t=np.asarray(0.0))
        for k, driven_name in enumerate(found.drives.output("q").labels):
            given["q"][model.coordinates.index(driven_name)] = laws["q"][k]
            at = model.velocities.index(driven_name)
            given["qd"][at], given["qdd"][at] = laws["qd"][k], laws["qdd"][k]
    x = {"x": np.zeros(len(model.states))}
    there = found.begin({**given, **x}, {"t": np.asarray(0.0)})
    parts = {key: there[key][None] for key in ("q", "qd", "qdd", "lam")}
    back = found.read(parts, {}, np.zeros(1), given["q"])
    for key in ("q", "qd", "qdd"):
        np.testing.assert_allclose(back[key][0], given[key], atol=FORMALISM)


@pytest.mark.parametrize("kind", closed.CLOSED)
def test_closures_are_those_of_the_joints(kind: str) -> None:
    model = closed.CLOSED[kind]()
    found = chart(model)
    given = {**zoo.state(model, 3), "t": np.asarray(0.4)}
    natural = found.begin(given, {"t": given["t"]})
    own = evaluate(found.found.ties, **given | natural)
    relative = evaluate(kt.derive(model, "constraints"), **given)
    labels = found.found.labels
    at = [labels.index(label) for label in found.labels]
    pairs = (
        (own["h"], relative["h"]),
        (own["J"] @ natural["qd"] + own["ht"], relative["J"] @ given["qd"] + relative["ht"]),
        (own["J"] @ natural["qdd"] + own["Jdqd"], relative["J"] @ given["qdd"] + relative["Jdqd"]),
    )
    place = [k for k, label in enumerate(found.labels) if label.rpartition(".")[2] in "xyz"]
    for k, (natural_row, row) in enumerate(pairs):
        mine, wanted = natural_row[at], row.copy()
        if kind != "line" and place and k == 0:  # along the ground's axes here: the same length
            size = np.linalg.norm(mine[place]), np.linalg.norm(wanted[place])
            assert size[0] == pytest.approx(size[1], rel=AT_STATES)
        if kind not in ("line", "cylindrical", "prismatic", "planar"):
            mine[place] = wanted[place] = 0.0
        np.testing.assert_allclose(mine, wanted, rtol=ILL_CONDITIONED, atol=AT_STATES)


def test_few_coordinates_where_few_are_needed() -> None:
    model = kt.Model("chain", gravity=(0, -9.81, 0))
    before: Any = model.ground
    for k in range(3):
        bar = model.body(f"bar{k}", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0, 0))
        model.revolute(f"q{k}", before, bar, axis="z")
        before = bar.point("tip", (1, 0, 0))
    found = chart(model)
    assert len(found.found.space.q) == 9  # one direction each
    assert len(found.found.labels) == 6


def test_order_of_elimination_keeps_a_tree_free_of_fill() -> None:
    star = [{0, 1, 2, 3, 4}, {0, 1}, {0, 2}, {0, 3}, {0, 4}]
    order = minimum_degree(star)
    assert order.index(0) >= 3


# --- runs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("build", [systems.double_pendulum, systems.top])
def test_second_order(build: Any) -> None:
    model = build()
    wanted = systems.reference(build)
    stepper = Stepper(model, "global")
    errors = []
    for h in (2e-3, 1e-3):
        run = stepper.run(1.0, h, qd=systems.SPEEDS[model.name])
        errors.append(np.abs(np.concatenate([run.q[-1], run.qd[-1]]) - wanted).max())
    assert errors[1] < 2e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.05)


@pytest.mark.parametrize("method", ["trapezoidal", "newmark", "generalised_alpha"])
def test_slider_crank_equals_the_hybrid_formulation(method: str) -> None:
    model = mechanisms.slider_crank()
    one = Stepper(model, "global", method).run(0.5, 1e-3)
    two = Stepper(model, "hybrid", method).run(0.5, 1e-3)
    assert one.report.end == "finished"
    assert gaps(model, one) < CLOSED
    near = {"newmark": 3e-3}.get(method, 1e-5)
    np.testing.assert_allclose(one.q, two.q, atol=near)
    assert one.lam.shape == two.lam.shape
    np.testing.assert_allclose(one.lam[-1], two.lam[-1], rtol=1e-2, atol=0.05)


def test_law_of_a_quaternion() -> None:
    model = systems.top()
    model.constrain("c", lambda q: q["ball_x"] - 0.3 * q["ball_y"] - 0.1)
    stepper, other = Stepper(model, "global"), Stepper(model, "hybrid")
    apart, speed = [], {"ball_wz": 2.9, "ball_wy": -1.0}
    for h in (4e-3, 2e-3):
        run = stepper.run(0.3, h, qd=speed)
        assert run.report.end == "finished", run.report.message
        assert gaps(model, run) < CLOSED
        apart.append(np.abs(run.q - other.run(0.3, h, qd=speed).q).max())
    assert apart[1] < EQUAL_STEPS
    assert np.log2(apart[0] / apart[1]) == pytest.approx(2, abs=0.3)


def test_derivative_of_a_step() -> None:
    model = mechanisms.slider_crank()
    program = step_program(model, "global")
    stepper = Stepper(model, "global")
    run = stepper.run(0.1, 0.01)
    assert run.report.end == "finished"
    begin = stepper.coordinates.start_state(stepper._initial, Beginning())[0]
    given = {**{k: begin[k] for k in ("q", "qd", "qdd", "lam")}, "h": 0.01}
    slope = program.derivative("qd_next", "tau").evaluate(**given)["dqd_next_dtau"]
    d = 1e-3
    for k in range(model.nv):
        ends = [
            program.evaluate(**given, tau=s * d * np.eye(model.nv)[k])["qd_next"] for s in (1, -1)
        ]
        wanted = (ends[0] - ends[1]) / (2 * d)
        np.testing.assert_allclose(slope[:, k], wanted, atol=SLOPE)


def test_driven_joints_equal_the_tree() -> None:
    model = driven()
    stepper, other = Stepper(model, "global"), Stepper(model, "tree")
    apart = []
    for h in (2e-3, 1e-3):
        one, two = stepper.run(0.5, h), other.run(0.5, h)
        apart.append(np.abs(one.q - two.q).max())
    assert apart[1] < READ_OFF
    assert np.log2(apart[0] / apart[1]) == pytest.approx(2, abs=0.3)


def test_angles_go_on_over_many_turns() -> None:
    model = systems.pendulum()
    model.joint_spring("coil", "q", stiffness=0.01)
    stepper = Stepper(model, "global")
    one = stepper.run(2.0, 2e-3, qd=[30.0], every=10)
    two = Stepper(model, "tree").run(2.0, 2e-3, qd=[30.0], every=10)
    assert one.q[-1, 0] > 50
    np.testing.assert_allclose(one.q, two.q, atol=0.2)
    later = stepper.run(0.1, 2e-3, q=[40.0], qd=[1.0])
    assert later.q[0, 0] == pytest.approx(40.0)


def test_batch_equals_single_runs() -> None:
    model = systems.double_pendulum()
    stepper = Stepper(model, "global")
    q = np.array([[0.1, 0.2], [0.5, -0.4], [1.0, 2.0]])
    mass = np.array([1.0, 2.0, 3.0])
    many = stepper.run(0.2, 0.01, q=q, parameters={"a.mass": mass})
    for k in range(3):
        one = stepper.run(0.2, 0.01, q=q[k], parameters={"a.mass": mass[k]})
        np.testing.assert_allclose(many.q[k], one.q, atol=IDENTITY)


def test_simulate_gives_the_dataset_of_the_others() -> None:
    model = mechanisms.slider_crank()
    runs = [
        kt.simulate(model, 0.05, formulation=way, step=1e-3, tau={"q1": 1.0})
        for way in ("global", "hybrid")
    ]
    assert list(runs[0].coords) == list(runs[1].coords)
    for name in ("q", "qd", "qdd"):
        np.testing.assert_allclose(runs[0][name], runs[1][name], atol=2e-3)


def test_failure_names_the_body() -> None:
    model = systems.pendulum()
    run = Stepper(model, "global", limit=3, tolerance=1e-9).run(10.0, 2.0, qd=[40.0])
    assert run.report.end == "not solved"
    assert "bar" in run.report.worst
    assert run.q.shape[0] >= 1


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="update"):
        step_program(systems.pendulum(), "global", update="step")


@pytest.mark.slow
def test_iltis_equals_the_hybrid_formulation() -> None:
    model = kt.load("examples/models/iltis.yaml")
    given = {
        "qd": np.eye(model.nv)[model.velocities.index("x")] * 5.0,
        "parameters": {"bump_left": 0.1, "bump_right": 0.1},
    }
    one, two = (Stepper(model, way).run(0.5, 1e-3, **given) for way in ("global", "hybrid"))
    assert one.report.end == "finished", one.report.message
    np.testing.assert_allclose(one.q, two.q, atol=COARSE_RUN)
    program = kt.derive(model, "constraints")
    p = np.array(program.input("p").default)
    for name in ("bump_left", "bump_right"):
        p[program.input("p").labels.index(name)] = 0.1
    found = program.evaluate(q=one.q, qd=one.qd, t=one.times, p=p)
    velocity = np.einsum("...ij,...j->...i", found["J"], one.qd) + found["ht"]
    acceleration = np.einsum("...ij,...j->...i", found["J"], one.qdd) + found["Jdqd"]
    assert max(np.abs(x).max() for x in (found["h"], velocity, acceleration)) < CLOSED
