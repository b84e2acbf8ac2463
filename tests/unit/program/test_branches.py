"""Selections and tables in Programs: passes, derivatives both ways, conditions as events."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.approx import CROSS_ENGINE, FORMALISM, IDENTITY, ROUNDING, assert_close
from tests.unit.engine import trees
from tests.unit.program.derive_tools import complex_step, linear_system
from tests.unit.program.programs import assert_same_values, k, local, m, small, x, y, z

from kinetree import engine as en
from kinetree.errors import ExpressionError
from kinetree.program import Assign, Input, Output, Program
from kinetree.program.events import conditions
from kinetree.program.passes import ALL, condense
from kinetree.program.specialise import specialise
from kinetree.program.verify import verify

BRANCH = 1e-8  # near zero

CURVE = en.Table.monotone([-2, -0.5, 0.25, 1, 3], [-1, -0.5, 0.5, 0.75, 4], name="curve")
NAMES = tuple(trees.SYMBOLS.values())


def law() -> Program:
    """Branches and tables of coordinates, of parameters, of names and of each other."""
    force = en.select(local("gap"), k * local("gap") * en.table(x, CURVE), en.table(m * y, CURVE))
    return small(
        {
            "gap": x * y - z / 4,
            "force": force + en.select(k - m, x, y),
            "most": en.maximum(local("force"), local("gap")),
        },
        {
            "f": local("most") * local("force"),
            "g": en.select(z, en.sin(local("force")), en.table(local("most"), CURVE, 1)),
            "h": en.select(m - 5, k, en.table(m, CURVE)) * z,
        },
    )


def test_every_pass_keeps_values_and_laws() -> None:
    program = verify(law())
    for run in ALL:
        after = verify(run(program))
        for seed in range(8):
            assert_same_values(program, after, seed)
        program = after
    preamble = [b.expr.op.name for b in program.preamble if isinstance(b, Assign)]
    assert "select" in preamble  # the one of parameters alone


def random_program(some: list[trees.Tree]) -> Program:
    try:
        nodes = tuple(trees.node(tree) for tree in some)
    except ExpressionError:
        assume(condition=False)
        raise
    return Program("p", (Input("v", (4,), NAMES),), (), (), (Output("y", (len(nodes),), nodes),))


@settings(max_examples=40)
@given(st.lists(trees.trees, min_size=2, max_size=4), trees.points)
def test_condensing_keeps_values_of_any_expressions(
    some: list[trees.Tree], point: dict[str, float]
) -> None:
    program = random_program(some)
    for tree in some:
        assume(trees.value(tree, point).scale < 1e4)
    v = np.array([point[name] for name in trees.NAMES])
    with np.errstate(all="ignore"):
        before = program.evaluate(v=v)["y"]
        after = verify(condense(program)).evaluate(v=v)["y"]
    assume(np.isfinite(before).all())
    assert after == pytest.approx(before, rel=CROSS_ENGINE, abs=BRANCH)


@pytest.mark.parametrize("seed", range(4))
def test_derivatives_of_both_modes(seed: int) -> None:
    program = condense(law())
    rng = np.random.default_rng(seed)
    given_values = {"s": rng.uniform(-1.5, 1.5, 3), "p": rng.uniform(1.5, 4, 2)}
    for of in ("f", "g", "h"):
        forward = verify(program.derivative(of, ("s", "p"))).evaluate(**given_values)
        bars = verify(program.adjoint(of, ("s", "p"))).evaluate(**given_values)
        for by in ("s", "p"):
            exact = complex_step(program, of, by, given_values)
            scale = max(1.0, float(np.abs(exact).max()))
            assert_close(forward[f"d{of}_d{by}"], exact, IDENTITY, scale=scale)
            assert_close(bars[f"{by}_bar"], exact[0], FORMALISM, scale=scale)


def test_second_derivatives() -> None:
    program = condense(law()).derivative("f", "s", only=True)
    given_values = {"s": np.array([0.7, -1.1, 0.4]), "p": np.array([2.0, 3.0])}
    found = program.derivative("df_ds", "s").evaluate(**given_values)["ddf_ds_ds"]
    exact = complex_step(program, "df_ds", "s", given_values)
    assert_close(found, exact, FORMALISM, scale=max(1.0, float(np.abs(exact).max())))


def test_a_fixed_condition_leaves_one_branch() -> None:
    program = small({"a": en.select(x, y, z) + en.table(x, CURVE)}, {"f": local("a") ** 2})
    fixed = condense(specialise(program, {"s": {0: 1.0}}))
    assert fixed.count().call == 0
    s = np.array([1.0, 0.3, 0.4])
    assert fixed.evaluate(s=s)["f"] == pytest.approx(program.evaluate(s=s)["f"])


def test_conditions_are_those_of_all_selections_each_once() -> None:
    program = condense(law())
    events = verify(conditions(program))
    assert events.inputs == program.inputs
    (out,) = events.outputs
    assert out.name == "conditions"
    assert len(out.labels) == len(out.nodes) == 3  # gap, force - gap, z; not those of parameters
    s = np.array([0.9, 0.8, -0.3])
    found = events.evaluate(s=s)["conditions"]
    gap = s[0] * s[1] - s[2] / 4
    assert min(abs(abs(found) - gap)) < ROUNDING
    assert min(abs(abs(found) - 0.3)) < ROUNDING
    labels = conditions(small({}, {"f": en.select(x, 1, 2) + en.select(-3 * x, y, z)}))
    assert labels.output("conditions").labels == ("x",)


def test_the_larger_of_a_and_nothing_passes_zero_where_a_does() -> None:
    """It touches zero there, and stays."""
    clipped, twice = {"a": en.select(x, 2 * x, 0)}, {"f": en.select(3 * local("a"), y, z)}
    assert conditions(small(clipped, twice)).output("conditions").labels == ("x",)
    other = {"a": en.select(x, -x, 0)}  # nowhere above zero
    assert len(conditions(small(other, twice)).output("conditions").labels) == 2


def test_conditions_may_stand_on_solutions() -> None:
    program = linear_system(symmetric=True)
    first, second = program.output("X").nodes[:2]
    nodes = (en.select(first - second, first, second),)
    chosen = Program("chosen", program.inputs, (), program.blocks, (Output("y", (1,), nodes),))
    at = np.array([0.3, -0.5, 0.8, 0.2])
    X = program.evaluate(x=at)["X"].ravel()
    found = conditions(condense(chosen)).evaluate(x=at)["conditions"]
    assert found == pytest.approx([X[0] - X[1]])


def test_without_a_branch_there_is_no_condition() -> None:
    found = conditions(small({}, {"f": x * y})).evaluate(s=np.ones(3))["conditions"]
    assert found.shape == (0,)
