"""Every pass keeps the values and fulfils its contract."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from tests import strategies, zoo
from tests.unit.program.programs import RAW, assert_same_values, k, local, m, raw, small, x, y, z

from kinetree import engine as en
from kinetree.engine import ADD, MUL, NUM, SYM, Node
from kinetree.program import Assign, Input, Output, Program, Solve
from kinetree.program.passes import ALL, condense, dead, hoist, pair, schedule, share
from kinetree.program.verify import verify

SIN, COS = en.OPS["sin"], en.OPS["cos"]
every_raw = pytest.mark.parametrize("name", RAW)


def roots(program: Program) -> list[Node]:
    found = [node for b in (*program.preamble, *program.blocks) for node in b.operands]
    return found + [node for out in program.outputs for node in out.nodes]


@every_raw
def test_every_pass_keeps_values_and_laws(name: str) -> None:
    program = verify(RAW[name]())
    for run in ALL:
        after = verify(run(program))
        assert after.inputs == program.inputs
        assert [out.name for out in after.outputs] == [out.name for out in program.outputs]
        assert_same_values(program, after)
        program = after


@settings(max_examples=6)
@given(strategies.trees(max_size=4), strategies.seeds)
def test_condensing_keeps_values_on_any_tree(links: list[zoo.Link], seed: int) -> None:
    program = raw(zoo.build(links), "inverse")
    assert_same_values(program, verify(condense(program)), seed)


@every_raw
def test_condensing_again_changes_nothing_of_substance(name: str) -> None:
    once = condense(RAW[name]())
    twice = verify(condense(once))
    assert twice.count().total <= once.count().total
    assert_same_values(once, twice)


# --- share ---------------------------------------------------------------------------------------


def test_a_name_for_a_number_stands_for_no_other_number() -> None:
    """The zeros of a matrix stay zeros where some equation happens to be zero, too."""
    zero, one = local("nothing"), local("one")
    X = (local("X_1"), local("X_2"))
    A = (x + y, en.ZERO, en.ZERO, en.ONE)
    solve = Solve(X, A, (z * zero, z * one), 2, 1, symmetric=False)
    program = small({}, {"out": X[0] * X[1]}, {"nothing": en.ZERO, "one": en.ONE})
    shared = share(replace(program, blocks=(*program.blocks, solve)))
    (found,) = (block for block in shared.blocks if isinstance(block, Solve))
    assert found.matrix[1:] == (en.ZERO, en.ZERO, en.ONE)


# --- dead ----------------------------------------------------------------------------------------


def test_dead_removes_exactly_what_no_output_needs() -> None:
    a, b, c = local("a"), local("b"), local("c")
    program = small(
        {"a": x * y, "b": a + z, "c": a * z, "d": c + b}, {"out": b}, {"P": m * k, "Q": m + k}
    )
    slim = dead(program)
    assert [block.targets[0].name for block in slim.blocks] == ["a", "b"]
    assert slim.preamble == ()
    assert slim.info["removed"] == "4 of 6"
    assert dead(slim).info["removed"] == "4 of 6"


@every_raw
def test_dead_leaves_nothing_that_could_go(name: str) -> None:
    program = dead(RAW[name]())
    used = set(en.symbols(roots(program)))
    assert all(not used.isdisjoint(block.targets) for block in program.blocks)
    gone, total = program.info["removed"].split(" of ")
    assert int(total) - int(gone) == len(program.blocks) + len(program.preamble)


# --- hoist ---------------------------------------------------------------------------------------


@every_raw
def test_hoist_leaves_no_parameter_expression_in_the_body(name: str) -> None:
    program = hoist(dead(RAW[name]()))
    fixed = {s for row in program.inputs if row.parameter for s in row.symbols}
    fixed |= {t for block in program.preamble for t in block.targets}
    body = [node for block in program.blocks for node in block.operands]
    for node in en.topological(body):
        if node.args and node.op not in (SYM, NUM):
            assert any(arg not in fixed and arg.op is not NUM for arg in node.args), node


def test_hoist_cuts_parameters_out_of_products_and_sums() -> None:
    program = hoist(
        small({"a": m * k * x + m + k + 2, "b": 3 * m * x * y, "c": en.exp(m / k) + z},
              {"out": local("a") + local("b") + local("c")})
    )  # fmt: skip
    by_name = {b.targets[0].name: b.operands[0] for b in program.preamble}
    values = set(by_name.values())
    assert {m * k, m + k + 2, 3 * m, en.exp(m / k)} <= values
    assert program.count() == en.OperationCount(add=4, mul=3)
    plain = m * k * x + m + k + 2 + 3 * m * x * y + en.exp(m / k) + z
    assert_same_values(small({}, {"out": plain}), program)


def test_hoist_moves_whole_equations_and_joins_equal_ones() -> None:
    program = hoist(
        small({"a": m * k, "b": m * k, "c": local("a") * x + local("b") * y}, {"out": local("c")})
    )
    assert [b.targets[0].name for b in program.preamble] == ["a"]
    assert program.blocks[0].operands[0] is local("a") * x + local("a") * y


def test_without_parameters_hoist_does_nothing() -> None:
    program = small({"a": x * y}, {"out": local("a")})
    bare = Program(program.name, program.inputs[:1], (), program.blocks, program.outputs)
    assert hoist(bare) is bare


# --- pair ----------------------------------------------------------------------------------------


@every_raw
def test_sine_and_cosine_of_one_angle_stand_side_by_side(name: str) -> None:
    program = pair(hoist(dead(RAW[name]())))
    heads = [b.expr if isinstance(b, Assign) else en.ZERO for b in program.blocks]
    places = [i for i, head in enumerate(heads) if head.op in (SIN, COS)]
    trig = [node for node in en.topological(roots(program)) if node.op in (SIN, COS)]
    assert all(node in heads for node in trig)
    by_angle: dict[Node, list[int]] = {}
    for i in places:
        by_angle.setdefault(heads[i].args[0], []).append(i)
    for rows in by_angle.values():
        assert len(rows) == 1 or (len(rows) == 2 and rows[1] == rows[0] + 1)
    assert places == list(range(len(places)))


def test_late_angles_are_paired_just_before_their_use() -> None:
    angle = local("angle")
    program = pair(
        small(
            {"t": y + 1, "angle": x * y, "a": en.sin(angle) + en.cos(z), "b": en.cos(angle)},
            {"out": local("a") * local("b") * local("t")},
        )
    )
    names = [block.targets[0].name for block in program.blocks]
    assert names == ["C_z", "t", "angle", "S_angle", "C_angle", "a", "b"]
    verify(program)


def test_late_angles_of_outputs_are_named_too() -> None:
    program = small({"angle": x * y}, {"out": en.sin(local("angle")) + en.cos(z)})
    paired = verify(pair(program))
    assert [b.targets[0].name for b in paired.blocks] == ["C_z", "angle", "S_angle"]
    assert_same_values(program, paired)


def test_names_of_long_angles_stay_short() -> None:
    q = tuple(en.symbol(f"q{i}", en.Rank.COORDINATE) for i in range(10, 22))
    inputs = (Input("q", (12,), q),)
    outputs = (Output("out", (2,), (en.sin(en.add(*q)), en.cos(q[0] + q[1]))),)
    program = verify(pair(Program("long", inputs, (), (), outputs)))
    assert [b.targets[0].name for b in program.blocks] == ["S_q10_to_q21", "C_q10_q11"]


def test_notes_of_long_angles_stay_short() -> None:
    names = [f"a_rather_long_name_{i}" for i in range(3)]
    q = tuple(en.symbol(name, en.Rank.COORDINATE) for name in names)
    angle = q[0]
    for i in range(20):
        angle = en.atan(angle * q[i % 3] + i)
    program = pair(
        Program("long", (Input("q", (3,), q),), (), (), (Output("out", (), (en.sin(angle),)),))
    )
    assert len(program.blocks[0].targets[0].name) < 50
    step = program.blocks[0].note.step
    assert step.startswith("sin of an expression of")
    assert len(step) < 120


# --- share ---------------------------------------------------------------------------------------


@every_raw
def test_after_sharing_every_compound_node_is_used_once(name: str) -> None:
    program = share(pair(hoist(dead(RAW[name]()))))
    uses = en.use_counts(roots(program))
    for node, count in uses.items():
        negated_name = node.op is ADD and node.coefs == (-1,) and node.value == 0
        if node.args and not (negated_name and node.args[0].op is SYM):
            assert count == 1, node


def test_pairs_of_operands_are_shared() -> None:
    rows = {"a": x * y * z, "b": x * y * m, "c": x + y + k, "d": z - x - y}
    out = en.add(*[local(name) for name in rows])
    program = share(small(rows, {"out": out}))
    assert program.count() == en.OperationCount(add=6, mul=3)
    assert_same_values(small(rows, {"out": out}), verify(program))


def test_pairs_first_met_in_an_output_are_defined() -> None:
    program = small({}, {"one": x * y * z, "two": x * y + 3})
    shared = verify(share(program))
    assert shared.count().mul == 2
    assert_same_values(program, shared)


def test_equal_equations_get_one_name() -> None:
    program = small({"a": x * y, "b": x * y, "c": local("b") + z}, {"out": local("a") + local("c")})
    shared = verify(share(program))
    assert [b.targets[0].name for b in shared.blocks][:2] == ["a", "c"]
    assert_same_values(program, shared)


def test_sharing_does_not_cost_operations() -> None:
    for name in RAW:
        before = pair(hoist(dead(RAW[name]())))
        after = share(before)
        assert after.count().total <= before.count().total


# --- schedule ------------------------------------------------------------------------------------


def life(program: Program) -> int:
    """Sum over values of the distance from definition to last use."""
    born = {t: i for i, b in enumerate(program.blocks) for t in b.targets}
    last = dict(born)
    for i, block in enumerate(program.blocks):
        last.update({s: i for s in en.symbols(block.operands) if s in born})
    return sum(last[t] - i for t, i in born.items())


@every_raw
def test_schedule_keeps_the_equations_and_does_not_lengthen_lives(name: str) -> None:
    program = dead(share(pair(hoist(dead(RAW[name]())))))
    after = verify(schedule(program))
    assert {id(b) for b in after.blocks} == {id(b) for b in program.blocks}
    assert len(after.blocks) == len(program.blocks)
    assert life(after) <= life(program)


def test_schedule_keeps_leading_sines_and_cosines_in_front() -> None:
    program = small(
        {
            "S": en.sin(x),
            "C": en.cos(x),
            "late": y * z,
            "a": local("S") + y,
            "b": local("a") * local("C"),
        },
        {"out": local("b") + local("late")},
    )
    names = [b.targets[0].name for b in schedule(program).blocks]
    assert names[:2] == ["S", "C"]
    assert sorted(names) == sorted(b.targets[0].name for b in program.blocks)
    assert MUL in {b.operands[0].op for b in program.blocks}
