"""Laws of force elements: wrenches in plain numbers, formalisms alike, energy, momentum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from tests import forced, strategies, zoo
from tests.approx import FORMALISM, ITERATED, assert_close
from tests.laws.tools import WAYS, time_derivative, values

import kinetree as kt
from kinetree.engine import sin
from kinetree.errors import ModelError
from kinetree.forces import FORCES
from kinetree.model import ForceKind

TREE = ("revolute", "spherical", "prismatic", "free", "screw")
PARENTS = (-1, 0, 1, 0, -1)


def tree(seed: int = 0) -> kt.Model:
    """A tree with two branches and quaternions."""
    rng = np.random.default_rng(seed)
    return zoo.build([zoo.random_link(rng, k, p) for k, p in zip(TREE, PARENTS, strict=True)])


def motions(model: kt.Model, points: list[Any], state: dict[str, Any]) -> list[dict[str, Any]]:
    """R, p, v, w and J of points, from the kinematics."""
    moving = [point.path for point in points if point.body is not model.ground]
    out = values(kt.derive(model, "kinematics", points=moving), **state)
    found = []
    for point in points:
        if point.body is model.ground:
            R, p = np.array(point.rotation, dtype=float), np.array(point.position, dtype=float)
            still = np.zeros(3)
            found.append({"R": R, "p": p, "v": still, "w": still, "J": np.zeros((6, model.nv))})
            continue
        w, v = np.split(out[f"{point.path}.velocity"], 2)
        names = {"R": "rotation", "p": "position", "J": "jacobian"}
        row = {key: out[f"{point.path}.{name}"] for key, name in names.items()}
        found.append({**row, "v": v, "w": w})
    return found


def bias(model: kt.Model, state: dict[str, Any]) -> Any:
    return values(kt.derive(model, "mass_bias"), **state)["c"]


ENDS = {"ground": 0, "sibling": 1}


@pytest.mark.parametrize("kind", forced.BETWEEN)
@pytest.mark.parametrize("other", ENDS)
def test_generalised_forces_are_the_wrenches_times_the_jacobian(kind: str, other: str) -> None:
    add, numbers = forced.BETWEEN[kind]
    model = tree()
    free, state = bias(model, zoo.state(model, 1)), zoo.state(model, 1)
    ground = model.ground.point("hook", (0.7, -1.1, 0.9), rotation=forced.TURN.T)
    first = model.bodies["b2"].point("eye", (0.3, 0.5, -0.7), rotation=forced.TURN)
    last = model.bodies["b3"].point("tip", (-0.4, 0.2, 0.6), rotation=forced.TURN)
    ends = [(ground, first)[ENDS[other]], last]
    add(model, *ends)
    seen = motions(model, ends, state)
    Q = sum(m["J"].T @ wrench for m, wrench in zip(seen, numbers(*seen), strict=True))
    assert_close(free - bias(model, state), Q, FORMALISM, kind, scale=float(np.abs(Q).max()) + 1)


def test_joint_forces_are_what_they_say() -> None:
    model = tree()
    state = zoo.state(model, 2)
    free = bias(model, state)
    forced.add_joint_forces(model)
    Q = free - bias(model, state)
    for k, name in enumerate(model.velocities):
        v = state["qd"][k]
        expected = -(0.4 + 0.2 * np.exp(-((v / 0.01) ** 2))) * np.tanh(v / 0.3) - 0.1 * v
        if name in model.coordinates:
            expected += -3.0 * (state["q"][model.coordinates.index(name)] - 0.2) - 0.3 * v
        assert_close(Q[k], expected, FORMALISM, name, scale=10.0)


WELDED = "ignore:.*no joint lets:kinetree.errors.ModelWarning"
"""A random tree may weld both ends of a spring together; it then does no work."""


@pytest.mark.filterwarnings(WELDED)
@settings(max_examples=6)
@given(strategies.trees(max_size=3), strategies.seeds)
def test_formalisms_agree_with_forces(links: list[zoo.Link], seed: int) -> None:
    model = forced.forced(links)
    state = forced.inputs(model, seed)
    first = values(kt.derive(model, "forward", "newton_euler"), **state)
    back = {**state, "qdd": first["qdd"]}
    size = max(1.0, float(np.abs(bias(model, state)).max()))
    for way in WAYS["inverse"]:
        tau = values(kt.derive(model, "inverse", way), **back)["tau"]
        assert_close(tau, state["tau"], 10 * FORMALISM, f"inverse {way}", scale=size)
    inverse = kt.derive(model, "inverse", "virtual_power")
    for way in WAYS["forward"][1:]:
        out = values(kt.derive(model, "forward", way), **state)
        tau = values(inverse, **{**state, "qdd": out["qdd"]})["tau"]
        assert_close(tau, state["tau"], 10 * FORMALISM, f"forward {way}", scale=size)
        assert_close(out["xd"], first["xd"], FORMALISM, f"{way} xd")


def test_forces_on_joints_that_follow() -> None:
    model = kt.Model("gripper")
    for k, parent in enumerate(("ground", "b0", "b1")):
        body = model.body(f"b{k}", mass=1.0 + k, com=(0.1, 0.2, 0.3), inertia=(1, 1, 1))
        follows = ("j0", 0.7, 0.2) if k == 2 else None
        model.revolute(f"j{k}", parent, body, axis="xyz"[k], mimic=follows)
    forced.add_link(model, *forced.places(model)[::2])
    forced.add_joint_forces(model)
    state = zoo.state(model, 4)
    taus = [values(kt.derive(model, "inverse", way), **state)["tau"] for way in WAYS["inverse"]]
    for tau in taus[1:]:
        assert_close(tau, taus[0], FORMALISM, "tau")
    ends = [model.point("ground.hook"), model.point("b2.tip")]
    seen = motions(model, ends, state)
    wrenches = forced.link_numbers(*seen)
    Q = sum(m["J"].T @ wrench for m, wrench in zip(seen, wrenches, strict=True))
    del model.forces["strut"]
    assert_close(values(kt.derive(model, "inverse"), **state)["tau"] - taus[0], Q, FORMALISM, "Q")


def test_folded_parameters_reach_the_laws() -> None:
    model = forced.forced(zoo.chain_links(3))
    state = forced.inputs(model, 3)
    first = values(kt.derive(model, "forward"), **state)["qdd"]
    folded = kt.derive(model, "forward", parameters="folded")
    assert "p" not in [row.name for row in folded.inputs]
    assert_close(values(folded, **state)["qdd"], first, FORMALISM, "qdd")


@pytest.mark.parametrize("base", ["revolute", "free"])
def test_derivatives_contain_those_of_the_forces(base: str) -> None:
    model = forced.forced(zoo.random_links(3, 4, base=base))
    state = forced.inputs(model, 5)
    by = ("q", "qd")
    for quantity, of in (("inverse", "tau"), ("forward", "qdd")):
        whole = kt.derive(model, quantity).derivative(of, by, tangent=True)
        wanted, given = (
            values(whole, **state),
            values(kt.derive(model, f"{quantity}_derivatives"), **state),
        )
        assert_close(given[of], wanted[of], FORMALISM, of)
        for name in by:
            key = f"d{of}_d{name}"
            assert_close(given[key], wanted[key], 10 * FORMALISM, f"{base} {key}")


@pytest.mark.filterwarnings(WELDED)
@settings(max_examples=6)
@given(strategies.trees(max_size=3), strategies.seeds)
def test_virtual_displacements_do_the_work_of_a_spring(links: list[zoo.Link], seed: int) -> None:
    model = zoo.build(links)
    ground, _, last = forced.places(model)
    state = zoo.state(model, seed)
    free = bias(model, state)
    prog = kt.derive(model, "kinematics", points=[last.path])
    model.spring("strut", ground, last, 7.0, 0.4)

    def stored(q: Any, qd: Any) -> Any:
        d = values(prog, q=q, qd=qd, qdd=qd)[f"{last.path}.position"] - ground.position
        return 3.5 * (np.sqrt(d @ d) - 0.4) ** 2

    work = [time_derivative(stored, model, state["q"], e) for e in np.eye(model.nv)]
    Q = free - bias(model, state)
    assert_close(Q, -np.array(work), FORMALISM, "Q", scale=float(np.abs(free).max()) + 10)


@pytest.mark.filterwarnings(WELDED)
@settings(max_examples=6)
@given(strategies.trees(max_size=3), strategies.seeds)
def test_springs_store_what_they_take_and_dampers_lose_it(links: list[zoo.Link], seed: int) -> None:
    model = zoo.build(links)
    ground, _, last = forced.places(model)
    model.spring("strut", ground, last, 7.0, 0.4, 0.9)
    damping = np.zeros(model.nv)
    for joint in model.leaders:
        if joint.nq == joint.nv:
            for name in joint.coordinates:
                model.joint_spring(f"spring_{name}", name, 3.0, 0.2, 0.3)
                damping[model.velocities.index(model.velocity_of(name))] = 0.3
    state = zoo.state(model, seed)
    q, qd, tau = state["q"], state["qd"], state["tau"]
    qdd = values(kt.derive(model, "forward", "order_n"), **state)["qdd"]
    energy = kt.derive(model, "energy")

    def total(q: Any, qd: Any) -> Any:
        out = values(energy, q=q, qd=qd)
        return out["kinetic"] + out["potential"]

    a, b = motions(model, [ground, last], state)
    d = b["p"] - a["p"]
    rate = d @ b["v"] / np.sqrt(d @ d)
    power = qd @ tau - 0.9 * rate**2 - damping @ qd**2
    size = max(1.0, float(np.abs(qdd).max()))
    assert_close(time_derivative(total, model, q, qd, qdd), power, FORMALISM, "power", scale=size)


@pytest.mark.parametrize("kind", ["link", "bushing", "law"])
def test_a_free_pair_keeps_its_momentum(kind: str) -> None:
    rng = np.random.default_rng(7)
    links = [zoo.random_link(rng, "free", -1) for _ in range(2)]
    bare = zoo.build(links, gravity=(0, 0, 0))
    pair = zoo.build(links, gravity=(0, 0, 0))
    ends = [
        pair.bodies["b0"].point("eye", (0.3, 0.5, -0.7), rotation=forced.TURN),
        pair.bodies["b1"].point("tip", (-0.4, 0.2, 0.6)),
    ]
    if kind == "law":
        pair.force_law(
            "attract",
            {"a": ends[0], "b": ends[1]},
            lambda points: {
                "a": [y - x for x, y in zip(points["a"].p, points["b"].p, strict=True)],
                "b": [x - y for x, y in zip(points["a"].p, points["b"].p, strict=True)],
            },
        )
    else:
        forced.BETWEEN[kind][0](pair, *ends)
    state = {**zoo.state(pair, 8), "tau": np.zeros(12)}
    qdd = values(kt.derive(pair, "forward"), **state)["qdd"]
    assert float(np.abs(qdd).max()) > 0.1
    change = values(kt.derive(bare, "reaction"), **{**state, "qdd": qdd})["wrench"]
    size = float(np.abs(qdd).max())
    assert_close(change, np.zeros(6), FORMALISM, "rate of momentum", scale=size)


def test_a_spring_of_no_natural_length_is_regular_where_its_ends_meet() -> None:
    model = kt.Model("point", gravity=(0, 0, 0))
    mass = model.body("mass", mass=2.0)
    model.sequence("x", model.ground, mass, "T1 T2 T3")
    model.spring("k", model.ground, mass, 5.0)
    prog = kt.derive(model, "forward")
    qdd = prog.evaluate(q=np.zeros(3), qd=np.zeros(3), tau=np.zeros(3))["qdd"]
    assert_close(qdd, np.zeros(3), FORMALISM, "at the centre")
    q = np.array([0.1, -0.2, 0.3])
    qdd = prog.evaluate(q=q, qd=np.zeros(3), tau=np.zeros(3))["qdd"]
    assert_close(qdd, -2.5 * q, FORMALISM, "away from it")


def test_the_ground_carries_what_springs_put_on_it() -> None:
    model = kt.Model("hanging")
    mass = model.body("mass", mass=2.0)
    model.prismatic("z", model.ground, mass, axis="z")
    model.spring("k", model.ground.point("top", (0, 0, 3)), mass, 10.0, 1.0)
    rest = kt.derive(model, "reaction").evaluate(q=[0.0], qd=[0.0], qdd=[0.0])["wrench"]
    assert_close(rest, [0, 0, 0, 0, 0, 2 * 9.81], FORMALISM, "weight, whatever the spring takes")
    tau = kt.derive(model, "inverse").evaluate(q=[0.0], qd=[0.0], qdd=[0.0])["tau"]
    assert_close(tau, [2 * 9.81 - 10.0 * 2.0], FORMALISM, "what the actuator adds to the spring")


def test_a_user_state_has_its_rate() -> None:
    model = forced.forced(zoo.chain_links(2))
    state = forced.inputs(model, 9)
    xd = values(kt.derive(model, "forward"), **state)["xd"]
    assert_close(xd, [np.sin(0.6) * state["qd"][-1] - 1.6], FORMALISM, "xd")


def test_a_cart_with_pendulum_and_springs_obeys_lagrange() -> None:
    """Lagrange's equations with Rayleigh's dissipation function, written out by SymPy."""
    sp = pytest.importorskip("sympy")
    model = kt.Model("cart")
    cart = model.body("cart", mass=2.0, inertia=(1, 1, 1))
    bob = model.body("bob", mass=1.5, com=(0, 0, -0.8), inertia=(0.1, 0.2, 0.3))
    model.prismatic("x", model.ground, cart)
    model.revolute("a", cart, bob, axis="y")
    tip, wall = bob.point("tip", (0, 0, -1.1)), model.ground.point("wall", (1.7, 0, 0.4))
    model.spring("strut", tip, wall, 30.0, 0.6, 2.5)
    model.joint_spring("hinge", "a", 7.0, 0.3, 0.4)
    model.link("gas", tip, wall, lambda length: -0.9 / length**2)

    t = sp.Symbol("t")
    x, a = sp.Function("x")(t), sp.Function("a")(t)
    xd, ad = x.diff(t), a.diff(t)
    com = sp.Matrix([x - 0.8 * sp.sin(a), -0.8 * sp.cos(a)])
    end = sp.Matrix([x - 1.1 * sp.sin(a), -1.1 * sp.cos(a)])
    d = end - sp.Matrix([1.7, 0.4])
    length = sp.sqrt(d.dot(d))
    v = com.diff(t)
    T = xd**2 + sp.Rational(3, 4) * v.dot(v) + 0.1 * ad**2
    V = 1.5 * 9.81 * com[1] + 15 * (length - 0.6) ** 2 + 3.5 * (a - 0.3) ** 2 + 0.9 / length
    D = 1.25 * length.diff(t) ** 2 + 0.2 * ad**2
    q, qd = np.array([0.3, 0.4]), np.array([0.5, -0.6])
    qdd = np.array([1.2, -0.7])
    at = [(x.diff(t, 2), qdd[0]), (a.diff(t, 2), qdd[1]), (xd, qd[0]), (ad, qd[1])]
    at += [(x, q[0]), (a, q[1])]
    tau = [
        float((T.diff(u).diff(t) - T.diff(s) + V.diff(s) + D.diff(u)).subs(at))
        for s, u in ((x, xd), (a, ad))
    ]
    ours = kt.derive(model, "inverse").evaluate(q=q, qd=qd, qdd=qdd)["tau"]
    assert_close(ours, tau, FORMALISM, "tau")


def test_every_law_may_use_the_motion_of_its_points() -> None:
    model, other = tree(), tree()
    tip = (0.1, 0.2, 0.3)
    for m in (model, other):
        m.bodies["b2"].point("tip", tip, rotation=forced.TURN)
    model.external("drag", "b2.tip", lambda points: [-2 * v for v in points["at"].v])
    other.force_law("drag", {"a": "b2.tip"}, lambda points: {"a": [-2 * v for v in points["a"].v]})
    state = zoo.state(model, 3)
    assert_close(bias(model, state), bias(other, state), FORMALISM, "c")


def test_a_kind_may_have_a_state_and_use_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lag: xdot = (F(t) - x)/T, force x on the point, along the ground's x."""

    def write(act: Any, force: Any) -> None:
        x = act.state("load")
        act.give_rate("load", (act.t - x) / act.value("lag"))
        act.push(force.points[0], (x, x * 0, x * 0))

    row = ForceKind("lagged", write, options={"lag": 1.0}, scalars=("lag",), places=1, time=True)
    monkeypatch.setitem(FORCES, "lagged", row)
    model = kt.Model("m", gravity=(0, 0, 0))
    mass = model.body("mass", mass=4.0)
    model.prismatic("x", model.ground, mass)
    model.state("load", 2.0)
    model.force("lagged", "actuator", (mass,), {"lag": 0.5})
    for way in WAYS["forward"]:
        prog = kt.derive(model, "forward", way)
        out = prog.evaluate(q=[0.0], qd=[0.0], tau=[0.0], t=3.0, x=[2.0])
        assert_close(out["qdd"], [0.5], FORMALISM, way)
        assert_close(out["xd"], [2.0], FORMALISM, way)


# --- laws given by their energy ------------------------------------------------------------------


def with_energies(model: kt.Model) -> kt.Model:
    """Energies of a length, of coordinates, of places and rotations."""
    k = model.parameter("hardness", 3.0)
    ground, first, last = forced.places(model)
    model.link("gum", ground, last, energy=lambda length: k * length**3 / 3 - length)
    model.link("both", first, last, lambda rate: 0.0 * rate, energy=lambda length: k / length)
    for joint in model.leaders:
        if joint.nq == joint.nv:
            for name in joint.coordinates:
                model.joint_law(f"well_{name}", name, energy=lambda q, n=name: k * sin(q[n]) ** 2)
    model.force_law(
        "field", {"a": first, "b": last},
        energy=lambda points: k * points["a"].p[0] * points["b"].p[1]
        + points["b"].R[0][1] * points["a"].R[2][2] * points["b"].p[2],
    )  # fmt: skip
    return model


@pytest.mark.parametrize("name", ["chain4", "floating3", "spherical2", "every_kind"])
def test_forces_of_energies_are_their_gradients(name: str) -> None:
    """At rest c holds minus the generalised forces, gravity included."""
    model = with_energies(zoo.SMALL[name]())
    q, rest = zoo.state(model, 1)["q"], np.zeros(model.nv)
    energy = kt.derive(model, "energy")

    def potential(q: Any, _: Any) -> Any:
        return values(energy, q=q, qd=rest)["potential"]

    gradient = [time_derivative(potential, model, q, e) for e in np.eye(model.nv)]
    for way in ("newton_euler", "virtual_power", "dalembert"):
        c = values(kt.derive(model, "mass_bias", way), q=q, qd=rest)["c"]
        assert_close(gradient, c, FORMALISM, way)


def test_energies_are_outputs_and_kept_in_runs() -> None:
    model = with_energies(zoo.SMALL["spherical2"]())
    run = kt.simulate(model, 0.5, rtol=1e-11, atol=1e-12,
                      outputs=["energy.total", "gum.energy", "field.energy"])  # fmt: skip
    total = run["energy.total"].values
    assert_close(total, np.full_like(total, total[0]), ITERATED)
    assert np.ptp(run["gum.energy"].values) > 1e-3
    assert np.ptp(run["field.energy"].values) > 1e-3


@pytest.mark.parametrize(
    ("add", "said"),
    [
        (lambda m, p: m.link("new", m.ground, p, energy=lambda rate: rate), "uses 'rate'"),
        (lambda m, p: m.link("new", m.ground, p, energy=lambda t, length: t * length), "uses 't'"),
        (lambda m, p: m.link("new", m.ground, p), "no law; give law, or energy"),
        (lambda m, p: m.joint_law("new", "j0", energy=lambda qd: qd["j0"]), "uses 'qd_j0'"),
        (lambda m, p: m.joint_law("new", "j0"), "no law; give law, or energy"),
        (lambda m, p: m.force_law("new", {"p": p}), "no law; give law, or energy"),
        (lambda m, p: m.force_law("new", {"p": p}, energy=lambda points: points["p"].v[0]),
         r"uses 'p\.v_x'"),
        (lambda m, p: m.joint_law("new", "j0", energy=lambda q: q["j0"] * q["j1"]), "several"),
    ],
)  # fmt: skip
def test_energies_of_anything_but_places_are_refused(add: Any, said: str) -> None:
    model = zoo.SMALL["chain4"]()
    with pytest.raises(ModelError, match=said):
        add(model, model.bodies["b1"].point("new", (1, 0, 0)))


def test_an_energy_of_another_coordinate_is_refused() -> None:
    model = zoo.SMALL["chain4"]()
    model.joint_law("new", "j0", energy=lambda q: q["j1"] ** 2)
    with pytest.raises(ModelError, match="its energy uses 'q_j1', and its effort acts along 'j0'"):
        kt.derive(model, "forward")
