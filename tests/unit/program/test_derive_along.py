"""Changes along a direction are the Jacobian times it, at a fixed multiple of the cost."""

from __future__ import annotations

import numpy as np
import pytest
from tests import mechanisms, zoo
from tests.approx import FORMALISM, assert_close
from tests.unit.program.derive_tools import linear_system, with_defaults

import kinetree as kt
from kinetree.program.verify import verify


@pytest.mark.parametrize(
    ("kind", "tangent"),
    [("screw", False), ("spherical", True), ("universal", True), ("free", True)],
)
def test_changes_are_the_jacobian_times_a_vector(kind: str, tangent: bool) -> None:
    model = zoo.one_joint(kind)
    program = kt.derive(model, "forward")
    state = zoo.state(model, 1)
    given = with_defaults(program, {name: state[name] for name in ("q", "qd", "tau")})
    by = ("q", "qd", "tau", "p")
    J = program.derivative("qdd", by, tangent=tangent).evaluate(**given)
    random = np.random.default_rng(1)
    changes = {name: random.normal(size=J[f"dqdd_d{name}"].shape[-1]) for name in by}
    dots = {f"{name}_dot": change for name, change in changes.items()}
    out = verify(program.along("qdd", by, tangent=tangent)).evaluate(**given, **dots)
    expected = sum(J[f"dqdd_d{name}"] @ change for name, change in changes.items())
    assert_close(out["qdd_dot"], expected, FORMALISM)


def test_closed_loops_move_along() -> None:
    model = mechanisms.slider_crank()
    program = kt.derive(model, "forward")
    given = {"q": kt.assemble(model).q, "qd": np.array([1.0, 0, 0]), "tau": np.zeros(3)}
    J = program.derivative(["qdd", "q_closed"], "q").evaluate(**given)
    out = program.along(["qdd", "q_closed"], "q").evaluate(**given, q_dot=np.eye(3))
    for name in ("qdd", "q_closed"):
        assert_close(out[f"{name}_dot"].T, J[f"d{name}_dq"], FORMALISM)


@pytest.mark.parametrize("symmetric", [True, False])
def test_a_linear_system_of_several_columns(symmetric: bool) -> None:
    program = linear_system(symmetric=symmetric)
    given = {"x": np.array([0.3, -0.5, 0.8, 0.2])}
    J = program.derivative("X", "x").evaluate(**given)["dX_dx"]
    out = program.along("X", "x").evaluate(**given, x_dot=np.ones(4))
    assert_close(out["X_dot"], J.sum(axis=-1), FORMALISM)


def test_without_a_change_nothing_changes() -> None:
    program = kt.derive(zoo.one_joint("revolute"), "inverse").along("tau", "q")
    state = zoo.state(zoo.one_joint("revolute"), 1)
    given = {name: state[name] for name in ("q", "qd", "qdd")}
    assert np.array_equal(program.evaluate(**given)["tau_dot"], np.zeros(3))


def test_the_size_does_not_grow_with_the_number_of_directions() -> None:
    for n in (10, 40):
        program = kt.derive(mechanisms.hanging(n), "forward")
        assert program.along("qdd", ["q", "qd", "tau"]).count().total < 3 * program.count().total
