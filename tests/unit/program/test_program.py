"""The small verbs of a Program."""

from __future__ import annotations

from tests.unit.program.programs import k, local, m, small, x, y, z

from kinetree.program import Scheme
from kinetree.program.inline import bindings, inline

PROGRAM = small({"u": x * y + local("P")}, {"out": local("u") * z}, {"P": m * k})


def test_given_keeps_what_the_program_has_inputs_for() -> None:
    known = PROGRAM.pick_inputs({"t": 0.0, "s": [1.0, 2.0, 3.0], "q": [0.0]})
    assert known == {"s": [1.0, 2.0, 3.0]}
    assert PROGRAM.evaluate(**known)["out"] == [24.0]


def test_roots_are_all_expressions_in_order() -> None:
    late = [x * y + local("P"), local("u") * z]
    assert PROGRAM.roots() == [m * k, *late]
    assert PROGRAM.roots(preamble=False) == late


def test_inlined_equations_have_the_values_of_the_program() -> None:
    scheme = Scheme("twice")
    for row in PROGRAM.inputs:
        scheme.input(row)
    first = inline(scheme, PROGRAM, {})["out"]
    moved = inline(scheme, PROGRAM, bindings(PROGRAM, s=(y, z, x)))["out"]
    scheme.output("out", (*first, *moved))
    found = scheme.program().evaluate(s=[1.0, 2.0, 3.0])["out"]
    there = PROGRAM.evaluate(s=[2.0, 3.0, 1.0])["out"]
    assert found.tolist() == [*PROGRAM.evaluate(s=[1.0, 2.0, 3.0])["out"], *there]
