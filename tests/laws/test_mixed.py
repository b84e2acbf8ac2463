"""Mixed dynamics: one equation alpha qdd + beta tau = gamma per velocity, against M and c."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from tests import strategies, zoo
from tests.approx import AT_STATES, EFFORTS, FORMALISM, IDENTITY, ITERATED, assert_close
from tests.closed import CLOSED
from tests.laws.tools import MODELS, model, program, values, ways
from tests.mechanisms import slider_crank
from tests.reference import manutec

import kinetree as kt
from kinetree.errors import KinetreeError, ModelError, UnsupportedError
from kinetree.pipeline import derive_actuation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

MODES = np.array(list(itertools.product((0.0, 1.0), repeat=6)))
"""All modes of six joints: 1 where a joint is driven."""


def reduced_solution(M: Array, c: Array, driven: Array, gamma: Array) -> tuple[Array, Array]:
    """qdd and tau of one mode: rows and columns of the driven velocities are taken out of M."""
    at, free = np.flatnonzero(driven), np.flatnonzero(driven == 0)
    qdd = np.where(driven, gamma, 0.0)
    rest = gamma[free] - c[free] - M[np.ix_(free, at)] @ qdd[at]
    qdd[free] = np.linalg.solve(M[np.ix_(free, free)], rest)
    return qdd, np.where(driven, M @ qdd + c, gamma)


def dense_solution(M: Array, c: Array, equation: dict[str, Array]) -> tuple[Array, Array]:
    """qdd and tau from (alpha + beta M) qdd = gamma - beta c."""
    alpha, beta, gamma = (equation[name] for name in ("alpha", "beta", "gamma"))
    qdd = np.linalg.solve(np.diag(alpha) + beta[:, None] * M, gamma - beta * c)
    return qdd, M @ qdd + c


def random_equation(n: int, seed: int) -> dict[str, Array]:
    """Free, driven and geared velocities in any order."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(3, size=n)
    alpha = np.where(kind == 0, 0.0, np.where(kind == 1, 1.0, rng.uniform(0.1, 2.0, n)))
    return {"alpha": alpha, "beta": (kind != 1) * 1.0, "gamma": rng.uniform(-1, 1, n)}


def assert_solves(tree: kt.Model, prog: kt.Program, state: Any, equation: Any, what: str) -> None:
    """The outputs of a Program of mixed dynamics are those of M and c."""
    out = values(kt.derive(tree, "mass_bias"), **state)
    qdd, tau = dense_solution(out["M"], out["c"], equation)
    found = values(prog, **state, **equation)
    scale = 1 + float(np.abs(out["c"]).max())
    assert_close(found["qdd"], qdd, FORMALISM, f"{what} qdd", scale=1 + float(np.abs(qdd).max()))
    assert_close(found["tau"], tau, FORMALISM, f"{what} tau", scale=scale)


# --- modes of the r3 -----------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["order_n", "newton_euler"])
def test_all_64_modes_of_r3_in_one_program(way: str) -> None:
    arm = manutec.r3("rigid")
    state = zoo.state(arm, 3)
    of_arm = values(kt.derive(arm, "mass_bias"), **state)
    f = kt.derive(arm, "mixed", way).compile()
    gamma = np.random.default_rng(8).uniform(-5, 5, MODES.shape)
    whole = {name: np.broadcast_to(state[name], MODES.shape) for name in ("q", "qd")}
    out = f(**whole, alpha=MODES, beta=1 - MODES, gamma=gamma)
    for k, mode in enumerate(MODES):
        qdd, tau = reduced_solution(of_arm["M"], of_arm["c"], mode, gamma[k])
        np.testing.assert_allclose(out["qdd"][k], qdd, rtol=FORMALISM, atol=FORMALISM)
        np.testing.assert_allclose(out["tau"][k], tau, rtol=FORMALISM, atol=FORMALISM)


def total(prog: kt.Program) -> int:
    """Operations of one evaluation."""
    return int(prog.count().total)


@pytest.mark.parametrize(
    ("build", "allowed"), [(lambda: manutec.r3("rigid"), 1.25), (lambda: zoo.chain(30), 1.15)]
)
def test_modes_cost_little(build: Any, allowed: float) -> None:
    tree = build()
    plain = total(kt.derive(tree, "forward", "order_n"))
    assert total(kt.derive(tree, "mixed", "order_n")) <= allowed * plain


# --- trees ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "way"), [(n, w) for n in MODELS for w in (*ways("mixed", n), "dalembert")]
)
def test_every_way_solves_the_equations(name: str, way: str) -> None:
    tree = model(name)
    equation = random_equation(tree.nv, 5)
    assert_solves(tree, program(name, "mixed", way), zoo.state(tree, 4), equation, f"{name} {way}")


@settings(max_examples=15)
@given(strategies.trees(max_size=4), strategies.seeds)
def test_any_tree_with_rotors_in_any_mode(links: list[zoo.Link], seed: int) -> None:
    tree = zoo.build(links, gravity=(0.5, -9.81, 2.0))
    tree.wrench("push", tree.bodies[f"b{len(links) - 1}"].point("at", (0.3, -0.2, 0.1)))
    push = np.random.default_rng(seed).uniform(-1, 1, 6)
    state = {**zoo.state(tree, seed), "push": push}
    equation = random_equation(tree.nv, seed)
    for way in ("order_n", "newton_euler"):
        assert_solves(tree, kt.derive(tree, "mixed", way), state, equation, way)


@settings(max_examples=10)
@given(strategies.trees(max_size=3), strategies.seeds)
def test_what_is_known_may_be_said_beforehand(links: list[zoo.Link], seed: int) -> None:
    """Words for alpha and beta leave the values as they are; the Program is shorter."""
    tree = zoo.build(links)
    words = np.random.default_rng(seed).choice(["tau", "qdd", "either"], tree.nv)
    known = dict(zip(tree.velocities, words.tolist(), strict=True))
    equation = random_equation(tree.nv, seed)
    for k, word in enumerate(words):
        if word != "either":
            equation["alpha"][k], equation["beta"][k] = (0, 1) if word == "tau" else (1, 0)
    state = zoo.state(tree, seed)
    expected = values(kt.derive(tree, "mixed"), **state, **equation)
    some = words == "either"
    given_ones = {**equation, "alpha": equation["alpha"][some], "beta": equation["beta"][some]}
    for way in ("order_n", "newton_euler"):
        found = values(kt.derive(tree, "mixed", way, known=known), **state, **given_ones)
        for name, value in expected.items():
            size = 1 + float(np.abs(value).max())
            assert_close(found[name], value, 10 * FORMALISM, f"{way} {name}", scale=size)


@pytest.mark.parametrize("way", ["order_n", "newton_euler"])
@pytest.mark.parametrize("name", ["chain4", "tree7", "floating3", "spherical2"])
def test_one_word_for_all_is_forward_or_inverse_dynamics(name: str, way: str) -> None:
    """With the operations of these."""
    tree = model(name)
    forward = kt.derive(tree, "forward", way)
    assert kt.derive(tree, "mixed", way, known="tau").count() == forward.count()
    inverse = kt.derive(tree, "inverse")
    assert kt.derive(tree, "mixed", way, known="qdd").count() == inverse.count()


def test_forces_of_the_model_act_besides_tau() -> None:
    tree = zoo.chain(3)
    tree.joint_spring("soft", "j1", stiffness=3.0, rest=0.2)
    for way in ("order_n", "newton_euler", "dalembert"):
        prog = kt.derive(tree, "mixed", way)
        assert_solves(tree, prog, zoo.state(tree, 1), random_equation(3, 2), way)


def test_words_by_joint_hold_for_all_its_velocities_and_those_of_velocities_prevail() -> None:
    tree = zoo.one_joint("universal")
    first, second = tree.joints["j1"].velocities
    prog = kt.derive(tree, "mixed", known={"j1": "qdd", second: "either"})
    assert prog.input("alpha").labels == (second,)
    state = zoo.state(tree, 1)
    out = values(prog, **state, gamma=[1.0, 2.0, 3.0, 4.0])
    k = tree.velocities.index(first)
    assert out["qdd"][k] == 2.0
    assert out["tau"][[0, 3]].tolist() == [1.0, 4.0]
    assert out["tau"][2] == pytest.approx(3.0, rel=AT_STATES)


def test_without_alpha_and_beta_gamma_is_the_force() -> None:
    tree = model("chain4")
    state = zoo.state(tree, 6)
    found = values(program("chain4", "mixed", "order_n"), **state, gamma=state["tau"])
    expected = values(program("chain4", "forward", "order_n"), **state)["qdd"]
    assert_close(found["qdd"], expected, FORMALISM, "qdd")
    assert_close(found["tau"], state["tau"], FORMALISM, "tau")


def test_a_rotor_behind_a_gear_is_an_armature() -> None:
    """alpha = i² J, beta = 1 is what an armature of i² J makes of a joint."""
    plain, geared = (
        zoo.build([zoo.Link("revolute", -1, armature=a), zoo.Link("revolute", 0)])
        for a in (0.0, 0.4)
    )
    state = zoo.state(plain, 2)
    equation = {"alpha": [0.4, 0.0], "beta": [1.0, 1.0], "gamma": state["tau"]}
    found = values(kt.derive(plain, "mixed"), **state, **equation)["qdd"]
    assert_close(found, values(kt.derive(geared, "forward"), **state)["qdd"], FORMALISM, "qdd")


def test_a_locked_joint_needs_no_inertia() -> None:
    """The last link of the unloaded r3 has none: known accelerations do not ask for it."""
    arm = manutec.r3("none")
    with pytest.raises(ModelError, match="q6"):
        kt.derive(arm, "mixed")
    state = zoo.state(arm, 1)
    for way in ("order_n", "newton_euler"):
        out = values(kt.derive(arm, "mixed", way, known={"q6": "qdd"}), **state, gamma=np.ones(6))
        tau = values(kt.derive(arm, "inverse"), **{**state, "qdd": out["qdd"]})["tau"]
        assert_close(tau, out["tau"], FORMALISM, f"{way} tau")
        assert out["qdd"][5] == 1.0


# --- closed systems ------------------------------------------------------------------------------


def closed_equation(tree: kt.Model, seed: int, locked: list[str]) -> dict[str, Array]:
    """Free velocities, some with rotors, and some that are locked."""
    equation = random_equation(tree.nv, seed)
    equation["alpha"] = np.abs(equation["alpha"]) * (np.arange(tree.nv) % 2)
    equation["beta"] = np.ones(tree.nv)
    for name in locked:
        k = tree.velocities.index(name)
        equation["alpha"][k], equation["beta"][k] = 1.0, 0.0
    return equation


@pytest.mark.parametrize("kind", ["none", "independent", "dependent"])
def test_closed_systems_obey_the_equations_and_forward_dynamics(kind: str) -> None:
    tree = CLOSED["mechanism"]()
    found = kt.partition(tree)
    locked = [] if kind == "none" else [getattr(found, kind)[0]]
    equation = closed_equation(tree, 3, locked)
    rng = np.random.default_rng(4)
    state = {"q": found.q, "qd": rng.normal(size=tree.nv)}
    out = kt.derive(tree, "mixed", partition=found).evaluate(**state, **equation)
    both = equation["alpha"] * out["qdd"] + equation["beta"] * out["tau"]
    np.testing.assert_allclose(both, equation["gamma"], atol=EFFORTS)
    back = kt.derive(tree, "forward", partition=found).evaluate(**state, tau=out["tau"])
    for name in ("qdd", "lam"):
        size = 1 + float(np.abs(back[name]).max())
        assert_close(out[name], back[name], EFFORTS, name, scale=size)


def test_words_make_systems_of_closed_models_smaller() -> None:
    tree = slider_crank()
    found = kt.partition(tree)
    (u,), v = found.independent, found.dependent[-1]
    state = {"q": found.q, "qd": np.full(tree.nv, 0.3), "gamma": np.array([0.4, 0.2, -0.1])}
    for known in ({u: "qdd"}, {u: "either"}, {v: "qdd"}, {v: "either"}):
        prog = kt.derive(tree, "mixed", partition=found, known=known)
        (name,) = known
        modes = {"alpha": [1.0], "beta": [0.0]} if known[name] == "either" else {}
        out = prog.evaluate(**state, **modes)
        k = tree.velocities.index(name)
        assert out["qdd"][k] == pytest.approx(state["gamma"][k], abs=IDENTITY)
        others = np.arange(tree.nv) != k
        np.testing.assert_allclose(out["tau"][others], state["gamma"][others], atol=FORMALISM)
        back = kt.derive(tree, "forward", partition=found)
        qdd = back.evaluate(q=found.q, qd=state["qd"], tau=out["tau"])["qdd"]
        np.testing.assert_allclose(qdd, out["qdd"], atol=ITERATED)


def test_a_motion_fixed_twice_has_no_force() -> None:
    """Two locked joints of a mechanism with one degree of freedom: NaN, not some number."""
    tree = slider_crank()
    found = kt.partition(tree)
    f = kt.derive(tree, "mixed", partition=found).compile()
    twice = np.array([name in (*found.dependent[:2],) for name in tree.velocities], dtype=float)
    state = {"q": found.q, "qd": np.zeros(tree.nv), "gamma": np.zeros(tree.nv)}
    out = f(**state, alpha=twice, beta=1 - twice)
    assert np.isnan(out["tau"]).all()
    once = np.array([name == found.dependent[0] for name in tree.velocities], dtype=float)
    assert np.isfinite(f(**state, alpha=once, beta=1 - once)["tau"]).all()


def test_forces_of_drives_are_those_of_actuators() -> None:
    tree = slider_crank()
    tree.drive(tree.velocities[0], lambda t: 2 * t)
    found = kt.partition(tree)
    prog = kt.derive(tree, "mixed", partition=found)
    assert tree.velocities[0] not in prog.input("alpha").labels
    state = {"q": found.q, "qd": np.zeros(tree.nv), "t": 0.3}
    out = prog.evaluate(**state, gamma=np.zeros(tree.nv))
    expected = derive_actuation(tree, (), partition=found).evaluate(**state, qdd=np.zeros(tree.nv))
    for name in ("tau", "qdd", "lam"):
        np.testing.assert_allclose(out[name], expected[name], atol=AT_STATES)


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ("forces", "there is no known 'forces'"),
        ({"j0": "both"}, "both"),
        ({"elbow": "qdd"}, "there is no joint or velocity 'elbow'"),
        (3, "known: it is 3"),
    ],
)
def test_bad_words_are_refused(known: Any, words: str) -> None:
    with pytest.raises(KinetreeError, match=words):
        kt.derive(zoo.chain(2), "mixed", known=known)


def test_known_is_for_mixed_dynamics() -> None:
    with pytest.raises(UnsupportedError, match="known: it is for mixed dynamics"):
        kt.derive(zoo.chain(2), "forward", known="tau")


def test_a_driven_joint_cannot_be_locked() -> None:
    tree = slider_crank()
    name = tree.velocities[0]
    tree.drive(name, lambda t: t)
    with pytest.raises(UnsupportedError, match=f"velocity '{name}': a drive gives its motion"):
        kt.derive(tree, "mixed", known={name: "qdd"})


def test_other_treatments_of_loops_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="loops 'projection'"):
        kt.derive(slider_crank(), "mixed", loops="projection")
