"""A tape evaluates every Node once, in as many operations as the Program counts."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import kinetree as kt
import zoo
from approx import IDENTITY, relative_error
from kinetree.engine import OPS
from kinetree.program import Program
from kinetree.tables import look_up
from kinetree.targets.native.compile.schedule import schedule
from kinetree.targets.tape.lowering import lower
from kinetree.targets.tape.tape import BINARY, LEAVES, ZERO, Tape
from targets import corpus

PROGRAMS = [
    corpus.expressions(),
    corpus.with_preamble(),
    corpus.pathological_names(),
    corpus.long_chain(300),
]


def run(tape: Tape, x: Any, c: Any) -> list[Any]:
    """What a tape means, operation by operation."""
    binary = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}
    leaves = {"num": tape.numbers, "in": x, "const": c}
    values: list[Any] = []
    for entry, code in enumerate(tape.code):
        a, b = tape.a[entry], tape.b[entry]
        if code in leaves:
            values.append(leaves[code][a])
        elif code in BINARY:
            values.append(binary[code](values[a], values[b]))
        elif code == "neg":
            values.append(-values[a])
        elif code == "table":
            table, order = tape.lookups[b]
            values.append(look_up(table, values[a], order))
        else:
            evaluate = OPS[code].evaluate
            assert evaluate is not None
            values.append(evaluate(*(values[e] for e in tape.operands(entry))))
    return [0.0 if entry == ZERO else values[entry] for entry in tape.outputs]


def flat(program: Program, values: dict[str, Any], parameter: bool) -> Any:
    rows = [r for r in program.inputs if r.parameter is parameter]
    parts = [np.ravel(values.get(r.name, r.default)) for r in rows]
    return np.concatenate([*parts, np.empty(0)])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
@pytest.mark.parametrize("reorder", [False, True], ids=["plain", "scheduled"])
def test_a_tape_means_what_the_program_means(program: Program, reorder: bool) -> None:
    values = {k: v[0] for k, v in corpus.points(1).items()}
    if program.name != "expressions":
        values = corpus.arrays(program)
    lowered = lower(program)
    body = schedule(lowered.body) if reorder else lowered.body
    c = run(lowered.preamble, flat(program, values, True), ())
    found = run(body, flat(program, values, False), c)
    expected = program.evaluate(**values)
    assert (
        relative_error(
            np.array(found), np.concatenate([np.ravel(expected[o.name]) for o in program.outputs])
        )
        < IDENTITY
    )


def operations(tape: Tape) -> tuple[int, ...]:
    found = Counter(tape.code)
    add, mul = found["add"] + found["sub"], found["mul"]
    plain = {*LEAVES, *BINARY, "neg", "solve"}
    calls = sum(n for code, n in found.items() if code not in plain)
    return add, mul, found["div"], found["neg"], calls


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_a_tape_has_as_many_operations_as_the_program_counts(program: Program) -> None:
    lowered = lower(program)
    for tape, count in (
        (lowered.body, program.count()),
        (lowered.preamble, program.preamble_count()),
    ):
        assert operations(tape) == (count.add, count.mul, count.div, count.neg, count.call)


def test_the_count_holds_for_a_robot() -> None:
    links = [zoo.random_link(np.random.default_rng(i), "revolute", i - 1) for i in range(5)]
    program = kt.derive(zoo.build(links), "inverse")
    count = program.count()
    expected = (count.add, count.mul, count.div, count.neg, count.call)
    assert operations(lower(program).body) == expected


def test_the_same_program_gives_the_same_tape() -> None:
    one, two = (lower(corpus.with_preamble()) for _ in range(2))
    assert one == two
    assert schedule(one.body) == schedule(two.body)


def test_a_matrix_is_factorised_once_for_all_its_systems() -> None:
    tape = lower(corpus.chained()).body
    assert len(tape.systems) == 2
    assert tape.systems[0].steps == tape.systems[1].steps
    assert Counter(tape.code)["div"] == 4  # one per row


def test_numbers_that_differ_in_sign_share_a_literal() -> None:
    q = corpus.vector("q", 3)
    a, b, c = q.symbols
    total = 0.3 * a - 0.3 * b + c
    program = Program("signs", (q,), (), (), (corpus.Output("y", (), (total,)),))
    assert lower(program).body.numbers == [0.3]
