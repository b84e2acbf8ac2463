"""One element of an output costs what that element costs."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests import zoo
from tests.approx import IDENTITY, assert_close
from tests.laws.tools import model, program, values

import kinetree as kt
from kinetree.errors import ShapeError, UnknownNameError
from kinetree.program.restrict import restrict
from kinetree.program.verify import verify

MOTIONS = ("R1", "R2", "R3", "R1", "R2", "R3", "R2", "T3", "R1")


@cache
def nine_joints() -> kt.Model:
    """The chain behind Docquier2013 eq. 47: joints R1 R2 R3 R1 R2 R3 R2 T3, offsets along x."""
    chain = kt.Model("nine_joints")
    inner = chain.ground
    for i, motion in enumerate(MOTIONS, 1):
        body = chain.body(f"b{i}", mass=1.0)
        at = inner.origin
        if i > 2:
            at = inner.point("tip", (chain.parameter(f"D1{i}", 0.1 * i, "m"), 0, 0))
        join = chain.revolute if motion[0] == "R" else chain.prismatic
        join(f"q{i}", at, body, axis="xyz"[int(motion[1]) - 1])
        inner = body
    return chain


def test_one_jacobian_element_takes_at_most_40_operations() -> None:
    """J(3,1) of Docquier2013 eq. 47: 220 by classical, 62 by recursive differentiation there."""
    whole = kt.derive(nine_joints(), "kinematics", points=["b9"])
    element = verify(restrict(whole, "b9.jacobian", [(5, 0)]))
    count = element.count()
    assert count.add + count.mul + count.div + count.neg <= 40
    assert [row.name for row in element.inputs] == ["q", "p"]


def test_one_jacobian_element_is_the_printed_recursion() -> None:
    """Docquier2013 eq. 48, with the misprints RO64 (RO63) and RO36 (RO87) and lost lines mended."""
    whole = kt.derive(nine_joints(), "kinematics", points=["b9"])
    q = np.linspace(0.2, 1.7, 9)
    (S1, S2, S3, S4, S5, S6, S7), (C1, C2, C3, C4, C5, C6, C7) = np.sin(q[:7]), np.cos(q[:7])
    D13, D14, D15, D16, D17, D18, D19 = (0.1 * i for i in range(3, 10))
    RO22, RO82 = S1 * S2, -S1 * C2
    RO23, RO53 = RO22 * C3 + C1 * S3, -RO22 * S3 + C1 * C3
    RO54, RO84 = RO53 * C4 + RO82 * S4, -RO53 * S4 + RO82 * C4
    RO25, RO85 = RO23 * C5 - RO84 * S5, RO23 * S5 + RO84 * C5
    RO26 = RO25 * C6 + RO54 * S6
    RO27, RO87 = RO26 * C7 - RO85 * S7, RO26 * S7 + RO85 * C7
    J31 = (
        RO22 * D13 + RO23 * (D14 + D15) + RO25 * D16 + RO26 * D17
        + RO27 * D18 + RO87 * q[7] + RO27 * D19
    )  # fmt: skip
    element = restrict(whole, "b9.jacobian", [(5, 0)])
    assert_close(values(element, q=q)["b9.jacobian"], [J31], IDENTITY, "J(3,1)")


@pytest.mark.parametrize("name", ["double_pendulum", "chain4", "floating3"])
def test_selected_components_are_those_of_the_whole(name: str) -> None:
    state = zoo.state(model(name), 1, (2,))
    prog = program(name, "mass_bias")
    whole = values(prog, **state)
    n = model(name).nv
    for i in range(n):
        part = verify(restrict(prog, "M", [(i, 0), i * n + n - 1]))
        expected = whole["M"][..., i, :][..., [0, n - 1]]
        found = np.broadcast_to(values(part, **state)["M"], expected.shape)  # constants: no batch
        assert_close(found, expected, IDENTITY, f"{name} M row {i}")


@pytest.mark.parametrize("quantity", ["inverse", "kinematics", "regressor", "energy"])
def test_a_selected_output_is_no_dearer_and_the_same(quantity: str) -> None:
    prog = program("tree7", quantity)
    state = zoo.state(model("tree7"), 2)
    whole = values(prog, **state)
    for out in prog.outputs:
        part = verify(restrict(prog, out.name))
        assert part.count().total <= prog.count().total
        assert_close(values(part, **state)[out.name], whole[out.name], IDENTITY, out.name)


@pytest.mark.parametrize("quantity", ["inverse", "kinematics", "regressor", "energy"])
def test_a_selected_output_takes_the_inputs_that_move_it_and_no_other(quantity: str) -> None:
    prog = program("tree7", quantity)
    state = zoo.state(model("tree7"), 2)
    state |= {row.name: np.array(row.default) for row in prog.inputs if row.default is not None}
    whole = values(prog, **state)
    moved = {
        row.name: values(prog, **state | {row.name: 1.5 * np.asarray(state[row.name]) + 0.1})
        for row in prog.inputs
    }
    for out in prog.outputs:
        expected = [x for x, new in moved.items() if (new[out.name] != whole[out.name]).any()]
        assert [row.name for row in restrict(prog, out.name).inputs] == expected, out.name


def test_several_outputs_can_be_kept() -> None:
    prog = program("chain4", "kinematics")
    part = restrict(prog, ["b3.position", "b3.rotation"])
    assert [out.name for out in part.outputs] == ["b3.position", "b3.rotation"]
    assert "qd" not in {row.name for row in part.inputs}


def test_what_is_not_there_is_refused() -> None:
    prog = program("chain4", "mass_bias")
    with pytest.raises(UnknownNameError, match="did you mean 'M'"):
        restrict(prog, "m")
    with pytest.raises(ShapeError, match=r"output 'M'.*\(4, 4\)"):
        restrict(prog, "M", [(4, 0)])
    with pytest.raises(ShapeError, match="one output at a time"):
        restrict(prog, ["M", "c"], [0])
