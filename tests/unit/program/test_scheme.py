"""The scheme: names for values, one name for equal values, none for simple ones."""

from __future__ import annotations

from tests.unit.program.programs import STATE, x, y, z

from kinetree import engine as en
from kinetree.program import Note, Scheme
from kinetree.program.scheme import SWEEP
from kinetree.program.verify import verify


def scheme() -> Scheme:
    made = Scheme("s")
    made.input(STATE)
    return made


def test_simple_values_get_no_name() -> None:
    s = scheme()
    for node in (x, -x, en.number(3), en.ZERO, en.sin(x), 2 * x):
        assert s.let("t", node) is node or node is 2 * x
    assert s.let("t", -en.sin(x)) is -en.sin(x)


def test_equal_values_get_one_name_also_up_to_sign() -> None:
    s = scheme()
    t = s.let("t", x - y)
    assert t.is_symbol
    assert s.let("u", x - y) is t
    assert s.let("v", y - x) is -t
    assert s.let("w", x * y) is not t


def test_taken_names_are_numbered() -> None:
    s = scheme()
    names = [s.let("t", x * y + k).name for k in range(3)]
    assert names == ["t", "t_2", "t_3"]
    assert s.let("x", x * z).name == "x_2"


def test_vectors_carry_their_axes() -> None:
    s = scheme()
    assert [v.name for v in s.vector("w", (x * y, y * z, x * z))] == ["w_x", "w_y", "w_z"]
    assert [v.name for v in s.each("e", (x * y * z, x + y))] == ["e_1", "e_2"]


def test_a_program_holds_its_equations_with_their_notes() -> None:
    s = scheme()
    t = s.let("t", x * y + x * z, Note("crank", "step", "Eq. (1)", "N", "link"))
    s.output("out", [t, en.ZERO, t + 1], labels=("a", "b", "c"))
    program = verify(s.program(model="m"))
    assert program.blocks[0].operands[0] is x * (y + z)
    assert str(program.blocks[0].note) == "Eq. (1), body 'crank', step, in link, [N]"
    assert program.output("out").nodes[1] is en.ZERO
    assert program.info == {"model": "m"}


def test_short_lived_expressions_are_released_while_it_is_written() -> None:
    with en.fresh_arena() as arena:
        s = Scheme("s")
        s.input(STATE)
        t = x
        for k in range(3 * SWEEP):
            t = s.let(f"t{k}", (t + k + 1) * (y + k) - (z + t) * (x + y + k))
        s.output("out", [t])
        program = s.program()
        assert arena.released > 3 * SWEEP
        held = len(en.topological([b.operands[0] for b in program.blocks]))
        assert len(arena) <= held + len(program.blocks) + 10
        del program, s, t
        arena.release()
        assert len(arena) < 10
