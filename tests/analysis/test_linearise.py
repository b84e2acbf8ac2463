"""Linear models equal differences of the motion; modes equal their closed forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests import mechanisms, zoo
from tests.analysis import systems
from tests.approx import (
    AT_STATES,
    FORMALISM,
    IDENTITY,
    ITERATED,
    READ_OFF,
    ROUNDING,
    TRAJECTORY,
    assert_close,
)

import kinetree as kt
from kinetree.analysis.observing.program import derive_outputs
from kinetree.analysis.runs.dynamics import dynamics
from kinetree.errors import KinetreeError, ModelWarning
from kinetree.model import retract
from kinetree.program import Program

EXAMPLES = Path(__file__).parents[2] / "examples" / "models"
STEP = 1e-6
DIFFERENCE = 1e-7


def flow_derivative(model: kt.Model, q: Any, qd: Any) -> Any:
    """A by differences: two neighbours move on for a moment, their distance is measured."""
    forward = kt.derive(model, "forward")
    n = model.nv

    def rates(offset: Any) -> tuple[Any, Any]:
        at = retract(model, q, offset[:n])
        out = forward.evaluate(q=at, qd=qd + offset[n:], tau=np.zeros(n))
        return at, out["qdd"]

    columns = []
    for k in range(2 * n):
        e = np.zeros(2 * n)
        e[k] = STEP
        columns.append((rates(e)[1] - rates(-e)[1]) / (2 * STEP))
    return np.array(columns).T


@pytest.mark.parametrize("name", ["double_pendulum", "chain4", "floating3", "spherical2"])
def test_accelerations_change_as_differences_say(name: str) -> None:
    model = zoo.SMALL[name]()
    state = zoo.state(model, 3)
    found = kt.linearise(model, at={"q": state["q"], "qd": state["qd"]})
    assert_close(found.A[model.nv :], flow_derivative(model, state["q"], state["qd"]), DIFFERENCE)
    out = kt.derive(model, "mass_bias").evaluate(q=state["q"], qd=state["qd"])
    assert_close(found.B[model.nv :], np.linalg.inv(out["M"]), AT_STATES, "B is the inverse of M")
    assert not found.B[: model.nv].any()


@pytest.mark.parametrize("name", ["floating3", "spherical2"])
def test_displacements_of_turning_bodies_turn_with_them(name: str) -> None:
    model = zoo.SMALL[name]()
    state = zoo.state(model, 3)
    q, qd = state["q"], state["qd"]
    found = kt.linearise(model, at={"q": q, "qd": qd})
    rng = np.random.default_rng(1)
    z = 1e-5 * rng.normal(size=2 * model.nv)
    h = 1e-3
    options: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-13, "step": h, "method": "DOP853"}
    plain = kt.simulate(model, h, q=q, qd=qd, **options)
    moved = kt.simulate(
        model, h, q=retract(model, q, z[: model.nv]), qd=qd + z[model.nv :], **options
    )
    predicted = z + h * found.A @ z
    there = retract(model, plain.q.values[-1], predicted[: model.nv])
    assert_close(moved.q.values[-1], there, AT_STATES, "q", scale=1.0)
    still = retract(model, plain.q.values[-1], z[: model.nv])
    end = moved.q.values[-1]
    assert np.abs(end - there).max() < 0.05 * np.abs(end - still).max()


def test_wrenches_are_inputs() -> None:
    model = kt.Model("cart", gravity=(0, 0, 0))
    cart = model.body("cart", mass=4.0)
    model.prismatic("x", model.ground, cart, axis="x")
    model.wrench("push", cart, frame="world")
    found = kt.linearise(model)
    assert found.inputs == ("tau_x", *(f"push_{c}" for c in ("tx", "ty", "tz", "fx", "fy", "fz")))
    assert found.states == ("q_x", "qd_x")
    assert_close(found.B, [[0, 0, 0, 0, 0, 0, 0], [0.25, 0, 0, 0, 0.25, 0, 0]], ROUNDING)


def test_modes_of_two_masses_on_springs() -> None:
    k, d, m = 100.0, 0.6, 2.0
    model = systems.oscillators(2, k, d)
    found = kt.modes(model, at=kt.equilibrium(model))
    ratios = np.sort(np.linalg.eigvalsh([[2, -1], [-1, 1]]))  # of the chain in absolute places
    natural = np.sqrt(k / m * ratios)
    damping = d / (2 * np.sqrt(k * m)) * np.sqrt(ratios)
    assert_close(found.natural, natural / (2 * np.pi), IDENTITY)
    assert_close(found.damping, damping, FORMALISM)
    assert_close(found.frequencies, natural * np.sqrt(1 - damping**2) / (2 * np.pi), IDENTITY)
    places = np.cumsum(found.shapes, axis=1)  # joint displacements add up
    golden = (1 + np.sqrt(5)) / 2
    assert_close(np.abs(places[:, 1] / places[:, 0]), [golden, golden - 1], ITERATED)


def test_modes_of_the_double_pendulum() -> None:
    model = systems.double_pendulum()
    found = kt.modes(model, at=kt.equilibrium(model, q=[-1.5, 0.1]))
    m1, m2, l1, l2, g = 1.0, 0.5, 1.0, 0.7, systems.G
    M = np.array([[(m1 + m2) * l1**2, m2 * l1 * l2], [m2 * l1 * l2, m2 * l2**2]])
    K = np.diag([(m1 + m2) * g * l1, m2 * g * l2])
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)
    assert_close(found.frequencies, np.sqrt(squares) / (2 * np.pi), IDENTITY)
    assert not found.damping.any()
    assert [row["mode"] for row in found.rows()] == [1, 2]
    assert np.abs(found.shapes).max(axis=1) == pytest.approx([1.0, 1.0])


def test_overdamped_unstable_and_rigid_modes() -> None:
    model = systems.oscillators(1, k=1.0, d=10.0)
    values = np.sort(kt.modes(model, at=kt.equilibrium(model)).eigenvalues.real)
    assert_close(values, np.sort(np.roots([2, 10, 1])), IDENTITY)
    up = kt.modes(systems.pendulum(), at={"q": [np.pi / 2]})
    assert_close(np.sort(up.eigenvalues.real), [-np.sqrt(systems.G), np.sqrt(systems.G)], IDENTITY)
    assert up.damping.min() == pytest.approx(-1.0)
    free = kt.modes(systems.thrown())
    assert_close(free.frequencies, np.zeros(len(free.frequencies)), IDENTITY)


def test_a_state_that_is_not_at_rest_is_warned_of() -> None:
    with pytest.warns(ModelWarning, match="'swing' accelerates"):
        kt.modes(systems.pendulum())


def test_an_equilibrium_brings_its_efforts_and_parameters() -> None:
    model = systems.oscillators(1, k=100.0, d=0.0)
    rest = kt.equilibrium(model, q=[0.05], locked=["x0"], free=["s0.stiffness"])
    stiffness = 2.0 * systems.G / 0.05
    assert kt.modes(model, at=rest).frequencies == pytest.approx(
        [np.sqrt(stiffness / 2.0) / (2 * np.pi)]
    )
    held = kt.equilibrium(systems.pendulum(), q=[0.3], locked=["swing"])
    assert abs(kt.linearise(systems.pendulum(), at=held).qdd[0]) < IDENTITY


def test_a_run_is_linearised_at_its_end() -> None:
    run = kt.simulate(systems.pendulum(), 0.7)
    found = kt.linearise(systems.pendulum(), at=run)
    assert_close(found.A[1, 0], systems.G * np.sin(run.q.values[-1, 0]), ITERATED)
    assert found.t == 0.7


def test_what_is_no_state_is_refused() -> None:
    with pytest.raises(KinetreeError, match="not a valid state"):
        kt.linearise(systems.pendulum(), at=3)
    with pytest.raises(KinetreeError, match="qq"):
        kt.linearise(systems.pendulum(), at={"qq": [1]})


# --- outputs and inputs --------------------------------------------------------------------------

TEN = ["FL_tyre.Fz", "FR_tyre.Fy", "RL_spring.force", "RR_shock.power", "FL_spring.deflection",
       "chassis.acceleration.z", "chassis.orientation.roll", "hub.z", "FL_tie_rod.reaction.fx",
       "energy.total"]  # fmt: skip


def fourth_order(values: Any, step: float) -> Any:
    """The derivative of a function at 0 by four of its values: an error of order step⁴."""
    near, far = (np.asarray(values(k * step)) - values(-k * step) for k in (1, 2))
    return (8 * near - far) / (12 * step)


@pytest.mark.slow
def test_a_b_c_d_of_the_iltis_equal_differences() -> None:
    """Ten outputs; efforts and parameters as inputs; loops closed anew at every neighbour."""
    model = kt.load(EXAMPLES / "iltis.yaml")
    model.output("hub", point="FL_hub", relative_to="chassis", frame="chassis")
    given: dict[str, Any] = {"parameters": {"speed": 20.0}}
    start = {"qd": {"x": 20.0, "z": 0.1}}
    chosen = ["tau_x", "tau_z", "leaf_stiffness", "tyre_stiffness"]
    lin = kt.linearise(model, start, outputs=TEN, inputs=chosen, **given)
    assert lin.outputs == tuple(TEN)
    assert lin.inputs == tuple(chosen)
    system = dynamics(model, **given)
    forward = system.forward.compile()
    seen = derive_outputs(model, TEN).program.compile()
    p, tau = np.array(system.forward.input("p").default), np.zeros(model.nv)
    names = [name.removeprefix("q_") for name in lin.states if not name.startswith("qd_")]
    free = [model.velocities.index(name) for name in names]
    labels = seen.inputs
    scale = {"leaf_stiffness": 1e3, "tyre_stiffness": 1e4, "tau_x": 10.0, "tau_z": 10.0}

    def response(dq: Any, dqd: Any, du: Any) -> Any:
        q, qd, load, values = lin.q.copy(), lin.qd.copy(), tau.copy(), p.copy()
        q[free] += dq
        qd[free] += dqd
        for name, change in zip(chosen, du, strict=True):
            if name.startswith("tau_"):
                load[model.velocities.index(name[4:])] += change
            else:
                values[system.forward.input("p").labels.index(name)] += change
        out = forward(q=q, qd=qd, tau=load, p=values, t=np.array(lin.t))
        lam = dict(zip(system.forward.output("lam").labels, out["lam"], strict=True))
        parts = {"q": out["q_closed"], "qd": out["qd_closed"], "qdd": out["qdd"], "p": values,
                 "t": np.array(lin.t)}  # fmt: skip
        row = next(row for row in labels if row.name == "lam")
        parts["lam"] = np.array([lam.get(label, 0.0) for label in row.labels])
        y = seen(**{row.name: parts[row.name] for row in labels})["out"]
        return np.concatenate([out["qd_closed"][free], out["qdd"][free], y])

    n, m = len(free), len(chosen)
    zero = np.zeros(n), np.zeros(n), np.zeros(m)
    columns = []
    for part, size in enumerate((n, n, m)):
        for k in range(size):
            step = 2e-5 if part < 2 else scale[chosen[k]]

            def along(h: float, part: int = part, k: int = k) -> Any:
                moved = [v.copy() for v in zero]
                moved[part][k] = h
                return response(*moved)

            columns.append(fourth_order(along, step))
    expected = np.array(columns).T
    found = np.block([[lin.A, lin.B], [lin.C, lin.D]])
    assert found.shape == expected.shape == (2 * n + 10, 2 * n + m)
    for name, row, truth in zip([*lin.states, *TEN], found, expected, strict=True):
        for columns_of in (slice(0, 2 * n), *(slice(2 * n + k, 2 * n + k + 1) for k in range(m))):
            assert_close(row[columns_of], truth[columns_of], DIFFERENCE, name,
                         scale=max(float(np.abs(truth[columns_of]).max()), 1e-9))  # fmt: skip


def test_outputs_and_inputs_of_a_small_model() -> None:
    """A mass on a spring, pushed: y, C and D by hand, the time in an output included."""
    model = kt.Model("mass", gravity=(0, 0, 0))
    body = model.body("body", mass=2.0)
    model.prismatic("x", model.ground, body, axis="x")
    model.wrench("push", body)
    k = model.parameter("k", 8.0)
    model.joint_spring("spring", "x", k, 0.5, 3.0)
    model.output("late", lambda q, t: 2 * q["x"] + t)
    found = kt.linearise(model, {"q": [0.7], "t": 4.0}, inputs=["push_fx", "k", "tau_x"],
                         outputs=["late", "spring.force", "body.acceleration.x"])  # fmt: skip
    assert found.inputs == ("push_fx", "k", "tau_x")
    assert_close(found.y, [5.4, -1.6, -0.8], ROUNDING)
    assert_close(found.A, [[0, 1], [-4, -1.5]], ROUNDING)
    assert_close(found.B, [[0, 0, 0], [0.5, -0.1, 0.5]], ROUNDING)
    assert_close(found.C, [[2, 0], [-8, -3], [-4, -1.5]], ROUNDING)
    assert_close(found.D, [[0, 0, 0], [0, -0.2, 0], [0.5, -0.1, 0.5]], ROUNDING)
    assert kt.linearise(model).outputs == ("late",), "its own are there without asking"
    assert kt.linearise(model, outputs=()).C.shape == (0, 2)
    for given in ({"outputs": ["spring.forse"]}, {"inputs": ["tau_y"]}):
        with pytest.raises(KinetreeError, match="did you mean"):
            kt.linearise(model, **given)


def on_a_tyre(law: str, **data: Any) -> kt.Model:
    """A quarter car on a swinging arm, whose track changes as it heaves."""
    model = kt.Model("on_a_tyre", gravity=(0, 0, -9.81))
    body = model.body("body", mass=350, inertia=(50, 50, 50))
    model.prismatic("heave", model.ground, body, axis="z", initial=0.2)
    arm = model.body("arm", mass=8, com=(0, 0.2, 0), inertia=(0.1, 0.05, 0.1))
    model.revolute("arm", body.point("hinge", (0, 0.3, 0)), arm, axis="x", initial=-0.3)
    wheel = model.body("wheel", mass=25, inertia=(0.5, 0.9, 0.5))
    model.revolute("spin", arm.point("hub", (0, 0.5, 0)), wheel, axis="y")
    ends = arm.point("seat", (0, 0.3, 0)), body.point("tower", (0, 0.4, 0.5))
    model.spring("strut", *ends, stiffness=30e3, length=0.65)
    model.tyre("tyre", wheel, model.ground, 0.3, law, stiffness=2e5, **data)
    return model


LAWS: dict[str, dict[str, Any]] = {
    "linear": {"slip_stiffness": 6e4, "cornering_stiffness": 8e4},
    "pacejka": {"lateral": [1.3, -22.1, 1011, 1078, 1.82, 0.208, 0, -0.354, 0.707]},
}


@pytest.mark.parametrize("law", LAWS)
def test_a_tyre_that_stands_carries_and_does_not_resist_slip(law: str) -> None:
    model, smooth = on_a_tyre(law, **LAWS[law]), on_a_tyre("linear")
    rest = kt.equilibrium(model, locked=["spin"])
    found, ice = (kt.modes(each, at=rest) for each in (model, smooth))
    assert found.linear.standing == ("tyre",)
    assert found.natural[-2] == pytest.approx(0.7206, rel=READ_OFF)  # it was 3.6 Hz, held sideways
    assert_close(found.natural, ice.natural, TRAJECTORY, scale=found.natural.max())
    rolling = {"q": rest.q, "qd": {"spin": 1.0}}
    with pytest.warns(ModelWarning, match="not an equilibrium"):
        assert kt.modes(model, at=rolling).linear.standing == ()


@pytest.mark.parametrize("independent", ["q1", "q3"])
def test_all_coordinates_on_the_loops_have_the_linear_model_of_independent_ones(
    independent: str,
) -> None:
    model = mechanisms.slider_crank()
    model.output("lift", lambda q: q["q2"])
    partition = kt.partition(model, independent=[independent])
    at = {"q": partition.q, "qd": {independent: 1.5}}
    one, other = (
        kt.linearise(model, at, partition=partition, loops=loops)
        for loops in ("explicit", "projection")
    )
    for part in ("A", "B", "C", "D", "displacements"):
        assert_close(getattr(other, part), getattr(one, part), AT_STATES, part)


def shaken(law: Any = None) -> kt.Model:
    """A driven slider-crank whose slider carries a pendulum on a spring."""
    model = kt.load(EXAMPLES / "slider_crank.yaml")
    bob = model.body("bob", mass=0.7, com=(0, -0.4, 0), inertia=(0.01, 0.01, 0.01))
    bob.point("end", (0, -0.4, 0))
    model.revolute("swing", "slider", bob, axis="z", initial=0.3)
    model.spring("pull", "ground", "bob.end", 50.0, 1.0, damping=2.0)
    model.drive("crank", law)
    return model


def shaken_by(
    forward: Program, force: Program, crank: float, rate: float, qdd: float, swing: float, by: float
) -> Any:
    """Acceleration of the pendulum and force of its spring for a motion of the crank."""
    q = np.array([crank, -1.43, 2.35, swing])
    out = forward.evaluate(q=q, qd=[rate, 0, 0, by], tau=np.zeros(4), qdd=[qdd])
    closed = {"q": out["q_closed"], "qd": out["qd_closed"]}
    return np.array([out["qdd"][3], force.evaluate(**closed)["pull.force"]])


@pytest.mark.parametrize(("law", "loops"), [(None, "explicit"), (0.5, "projection")])
def test_drives_are_inputs_with_their_rates(law: float | None, loops: str) -> None:
    here = np.array([1.2, 2.1, law or 0.0, 0.3, -0.4])
    moves = 1e-5 * np.eye(5)
    by = [kt.derive(shaken(), quantity) for quantity in ("forward", "forces")]
    pairs = [[shaken_by(*by, *(here + sign * e)) for sign in (-1, 1)] for e in moves]
    slopes = np.diff(np.array(pairs), axis=1)[:, 0] / 2e-5
    q, qd = {"swing": 0.3}, {"swing": -0.4}
    model = shaken(None if law is None else lambda t: 1.2 + 2.1 * t + law / 2 * t**2)
    at = {"q": q, "qd": qd} if law else {"q": q | {"crank": 1.2}, "qd": qd | {"crank": 2.1}}
    given: dict[str, Any] = {"at": at, "outputs": ["pull.force"], "loops": loops}
    names = ["qdd_crank", "q_crank", "tau_swing", "qd_crank"]
    apart = kt.linearise(model, inputs=names, **given)
    assert (apart.states, apart.inputs) == (("q_swing", "qd_swing"), tuple(names))
    kept = np.array([apart.B[:, 1], apart.B[:, 3], apart.B[:, 0], *apart.A.T])
    assert_close(kept[:, 1], slopes[:, 0], DIFFERENCE)
    assert_close([*apart.D[0, [1, 3, 0]], *apart.C[0]], slopes[:, 1], DIFFERENCE)
    whole = kt.linearise(model, inputs=["qdd_crank"], **given)
    assert whole.states == ("q_crank", "q_swing", "qd_crank", "qd_swing")
    assert_close(whole.A[3], slopes[[0, 3, 1, 4], 0], DIFFERENCE)
    assert_close(whole.B[:, 0], [0, 0, 1, slopes[2, 0]], DIFFERENCE)
    assert_close(whole.A[2], np.zeros(4), IDENTITY, "the crank is pulled by its input alone")


def test_drives_that_are_not_inputs_are_held() -> None:
    model = shaken()
    found = kt.linearise(model)
    assert found.inputs == ("tau_crank", "tau_rod", "tau_slide", "tau_swing")
    assert found.states == ("q_swing", "qd_swing")
    with pytest.warns(ModelWarning, match="not an equilibrium"):
        assert kt.modes(model).linear.states == found.states
    with pytest.raises(KinetreeError, match=r"there is no input 'qd_swing'"):
        kt.linearise(model, inputs=["qd_swing"])


def test_laws_of_drives_start_with_the_parameters_given() -> None:
    model = shaken()
    speed = model.parameter("speed", 2.0, unit="rad/s")
    model.drives.clear()
    model.drive("crank", lambda t: 1.2 + speed * t)
    found = kt.linearise(model, inputs=["qdd_crank"], parameters={"speed": 3.5})
    assert found.qd[0] == 3.5


def test_what_nothing_holds_has_modes_that_stand_still() -> None:
    """All eigenvalues are zero, and none of them is left out."""
    model = kt.Model("slider", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("mass", mass=2.0), axis="x")
    found = kt.modes(model)
    assert found.eigenvalues.tolist() == [0.0, 0.0]
    assert np.abs(found.shapes).max() == 1.0
    assert [row["moves"] for row in found.rows()] == ["x", "x"]
