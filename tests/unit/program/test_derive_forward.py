"""Forward mode against complex step, block by block and joint by joint."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from tests import zoo
from tests.approx import FORMALISM, IDENTITY, assert_close
from tests.crosscheck.numeric import rates
from tests.unit.program.derive_tools import complex_step, linear_system, scheme, with_defaults

import kinetree as kt
from kinetree import engine as en
from kinetree.engine.ops import FUNCTIONS
from kinetree.errors import KinetreeError
from kinetree.program import Program, Solve
from kinetree.program.passes import condense
from kinetree.program.verify import verify

MOVING = [kind for kind in zoo.KINDS if kind != "fixed"]


def test_every_name_gets_a_total_derivative() -> None:
    """AUXJ = AUXI + 2 P gives AUXJ_P = AUXI_P + 2 (Docquier2013 sec. 3.5.2)."""
    made, inputs = scheme(P=1)
    (P,) = inputs["P"]
    AUXI = made.let("AUXI", P * P * en.sin(P))
    AUXJ = made.let("AUXJ", AUXI + 2 * P)
    made.output("y", [AUXJ])
    d = made.program().derivative("y", "P")
    assert [row.name for row in d.outputs] == ["y", "dy_dP"]
    assert d.output("dy_dP").shape == (1, 1)
    x = 0.7
    expected = 2 * x * np.sin(x) + x * x * np.cos(x) + 2
    assert_close(d.evaluate(P=[x])["dy_dP"], [[expected]], IDENTITY)
    assert any("AUXI_dP1" in t.name for block in d.blocks for t in block.targets)


def test_what_does_not_move_makes_no_equation() -> None:
    made, inputs = scheme(x=2, y=1)
    a = made.let("a", inputs["x"][0] * inputs["x"][1])
    made.output("z", [a + inputs["y"][0]])
    d = made.program().derivative("z", "y", only=True)
    assert d.blocks == ()
    assert d.output("dz_dy").nodes == (en.ONE,)


@pytest.mark.parametrize("op", FUNCTIONS, ids=lambda op: op.name)
def test_every_function(op: en.Op) -> None:
    made, inputs = scheme(x=2)
    first = made.let("first", inputs["x"][0] * inputs["x"][1])
    made.output("y", [en.call(op.name, *(first, *inputs["x"])[: op.arity])])
    program = made.program()
    given = {"x": np.array([0.6, 0.8])}
    ours = program.derivative("y", "x").evaluate(**given)["dy_dx"]
    assert_close(ours, complex_step(program, "y", "x", given), IDENTITY, scale=1.0)


def test_sine_and_cosine_of_a_moving_angle() -> None:
    """The derivative of the sine uses the name of the cosine, and the other way round."""
    made, inputs = scheme(x=2)
    angle = made.let("angle", inputs["x"][0] * inputs["x"][1])
    made.output("y", [angle * en.sin(angle), angle * en.cos(angle), en.sin(inputs["x"][0])])
    program = condense(made.program())
    d = verify(program.derivative("y", "x"))
    given = {"x": np.array([0.6, -1.8])}
    assert_close(d.evaluate(**given)["dy_dx"], complex_step(program, "y", "x", given), IDENTITY)
    assert d.count().call == 4


@pytest.mark.parametrize("symmetric", [True, False])
def test_a_linear_system_is_differentiated_implicitly(symmetric: bool) -> None:
    program = linear_system(symmetric=symmetric)
    d = verify(program.derivative("X", "x"))
    given = {"x": np.array([0.3, -0.5, 0.8, 0.2])}
    theirs = complex_step(program, "X", "x", given)
    assert_close(d.evaluate(**given)["dX_dx"], theirs, IDENTITY)
    first, second = (block for block in d.blocks if isinstance(block, Solve))
    assert first.matrix == second.matrix, "one factorisation serves both"
    assert second.k == 4 * first.k


@pytest.mark.parametrize("kind", MOVING)
def test_inverse_dynamics_by_everything(kind: str) -> None:
    program = kt.derive(zoo.one_joint(kind), "inverse")
    state = zoo.state(zoo.one_joint(kind), 1)
    given = with_defaults(program, {name: state[name] for name in ("q", "qd", "qdd")})
    out = verify(program.derivative("tau", ("q", "qd", "qdd", "p"))).evaluate(**given)
    for by in ("q", "qd", "qdd", "p"):
        theirs = complex_step(program, "tau", by, given)
        assert_close(out[f"dtau_d{by}"], theirs, IDENTITY, f"dtau_d{by}")


@pytest.mark.parametrize("formalism", ["newton_euler", "order_n"])
@pytest.mark.parametrize("kind", ["revolute", "spherical", "free"])
def test_forward_dynamics(kind: str, formalism: str) -> None:
    model = zoo.one_joint(kind)
    program = kt.derive(model, "forward", formalism)
    state = zoo.state(model, 2)
    given = {name: state[name] for name in ("q", "qd", "tau")}
    out = program.derivative("qdd", tuple(given)).evaluate(**given)
    for by in given:
        assert_close(out[f"dqdd_d{by}"], complex_step(program, "qdd", by, given), FORMALISM, by)


def test_wrenches_are_inputs_like_others() -> None:
    model = zoo.chain(3)
    model.wrench("push", model.bodies["b2"].point("tip", (0.1, 0.2, 0.3)), frame="world")
    program = kt.derive(model, "inverse")
    state = zoo.state(model, 3)
    given = {name: state[name] for name in ("q", "qd", "qdd")} | {"push": np.arange(6.0)}
    out = program.derivative("tau", "push").evaluate(**given)
    assert out["dtau_dpush"].shape == (3, 6)
    assert_close(out["dtau_dpush"], complex_step(program, "tau", "push", given), IDENTITY)


@pytest.mark.parametrize("kind", ["revolute", "spherical", "free"])
def test_tangent_directions_are_columns_of_the_rate_matrix(kind: str) -> None:
    model = zoo.one_joint(kind)
    program = kt.derive(model, "inverse")
    state = zoo.state(model, 4)
    given = {name: state[name] for name in ("q", "qd", "qdd")}
    by_component = program.derivative("tau", "q").evaluate(**given)["dtau_dq"]
    along = program.derivative("tau", "q", tangent=True).evaluate(**given)["dtau_dq"]
    assert by_component.shape == (model.nv, model.nq)
    assert along.shape == (model.nv, model.nv)
    assert_close(along, by_component @ rates(model, state["q"]), IDENTITY)


def test_selected_components() -> None:
    program = kt.derive(zoo.chain(3), "inverse")
    state = zoo.state(zoo.chain(3), 5)
    given = {name: state[name] for name in ("q", "qd", "qdd")}
    whole = program.derivative("tau", "p").evaluate(**given)["dtau_dp"]
    labels = program.input("p").labels
    chosen = (labels[7], labels[2])
    some = program.derivative("tau", {"p": chosen, "q": None}).evaluate(**given)
    assert_close(some["dtau_dp"], whole[:, [7, 2]], IDENTITY)
    assert some["dtau_dq"].shape == (3, 3)


def test_a_misspelled_component_is_named() -> None:
    program = kt.derive(zoo.chain(2), "inverse")
    label = program.input("p").labels[0]
    with pytest.raises(KinetreeError, match=label):
        program.derivative("tau", {"p": (label + "x",)})


@pytest.mark.parametrize("only", [True, False])
def test_several_outputs(only: bool) -> None:
    program = kt.derive(zoo.chain(2), "mass_bias")
    d = program.derivative(("M", "c"), ("q", "qd"), only=only)
    names = ["dM_dq", "dM_dqd", "dc_dq", "dc_dqd"]
    assert [row.name for row in d.outputs] == names if only else ["M", "c", *names]
    assert d.output("dM_dq").shape == (2, 2, 2)
    assert all(node is en.ZERO for node in d.output("dM_dqd").nodes)


def test_provenance_tells_what_was_derived() -> None:
    d = kt.derive(zoo.chain(2), "inverse").derivative("tau", ("q", "qd"))
    assert d.info["derivative"] == "d(tau)/d(q, qd)"
    assert d.info["quantity"] == "inverse"


def second_derivatives(program: Program, of: str, by: Sequence[str]) -> Program:
    """Forward over forward."""
    first = program.derivative(of, by[0], only=True)
    return first.derivative(f"d{of}_d{by[0]}", by[1])


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "spherical", "free"])
def test_second_derivatives_of_inverse_dynamics(kind: str) -> None:
    model = zoo.one_joint(kind)
    program = kt.derive(model, "inverse")
    state = zoo.state(model, 6)
    given = {name: state[name] for name in ("q", "qd", "qdd")}
    first = program.derivative("tau", "q", only=True)
    for by in ("q", "qd"):
        out = second_derivatives(program, "tau", ("q", by)).evaluate(**given)[f"ddtau_dq_d{by}"]
        assert_close(out, complex_step(first, "dtau_dq", by, given), IDENTITY, by)
        if by == "q":
            assert_close(out, np.swapaxes(out, 1, 2), IDENTITY, "order of differentiation")


@pytest.mark.parametrize("symmetric", [True, False])
def test_second_derivatives_of_a_linear_system(symmetric: bool) -> None:
    program = linear_system(symmetric=symmetric, n=2, k=1)
    first = program.derivative("X", "x", only=True)
    given = {"x": np.array([0.3, -0.5, 0.8, 0.2])}
    out = verify(first.derivative("dX_dx", "x")).evaluate(**given)
    assert_close(out["ddX_dx_dx"], complex_step(first, "dX_dx", "x", given), FORMALISM)
