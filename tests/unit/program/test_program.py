"""The small verbs of a Program."""

from __future__ import annotations

from tests.unit.program.programs import k, local, m, small, x, y, z

from kinetree.program import Scheme
from kinetree.program.inline import WrittenEquations, bindings, inline

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


def test_equations_are_written_again_as_they_are_where_their_names_are_free() -> None:
    first = Scheme("first")
    u = first.let("u", x * y)
    v = first.let("v", u * z)
    first.let("w", u + z)
    written, (one, two, _) = WrittenEquations(first), first.assignments()
    free = Scheme("free")
    assert written.copy(free, [v]) == {}
    assert list(free.assignments()) == [one, two]


def test_equations_are_written_again_under_other_names_where_theirs_are_taken() -> None:
    first = Scheme("first")
    v = first.let("v", first.let("u", x * y) * z)
    taken = Scheme("taken")
    for row in PROGRAM.inputs:
        taken.input(row)
    other = taken.let("u", x + y)
    renamed = WrittenEquations(first).copy(taken, [v])
    taken.output("out", [other, renamed.get(v, v)])
    assert taken.program().evaluate(s=[2.0, 3.0, 5.0])["out"].tolist() == [5.0, 30.0]
