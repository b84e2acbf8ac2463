"""Trigonometry on line, at both levels (Docquier2013 sec. 3.2, eqs. 33 and 34)."""

from __future__ import annotations

import re
from functools import reduce
from itertools import permutations, product
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.approx import IDENTITY, ROUNDING
from tests.unit.engine import trees

from kinetree import engine as en
from kinetree.engine import Rank

Matrix = list[list[en.Node]]

EQ_33 = "C2*C2*C3*S4 + S2*S24 - S2*S34*S5 + S2*S2*C3*S4"
EQ_34 = (
    "C2*C4*C56*C56*S8 + C2*C4*S56*S56*S8 + C2*S4*S56*C8 + S2*C4*S56*C8"
    " - S2*S4*C56*C56*S8 - S2*S4*S56*S56*S8"
)
SECOND = (
    "C2*S2*C4*C56*C56*S8 + C2*S2*C4*S56*S56*S8 + C2*S2*S4*S56*C8 + S2*S2*C4*S56*C8"
    " - S2*S2*S4*C56*C56*S8 - S2*S2*S4*S56*S56*S8"
)


def q(k: object) -> en.Node:
    return en.symbol(f"q{k}", Rank.COORDINATE)


def factor(word: str) -> en.Node:
    """C24 is cos(q2 + q4), S8 is sin(q8)."""
    angle = en.add(*[q(digit) for digit in word[1:]])
    return en.cos(angle) if word[0] == "C" else en.sin(angle)


def terms(text: str) -> list[en.Node]:
    """The terms of a sum in the paper's notation."""
    found = []
    for sign, body in re.findall(r"(^|[+-]) ?([^+ -]+)", text):
        term = en.mul(*[factor(word) for word in body.split("*")])
        found.append(-term if sign == "-" else term)
    return found


def test_eq_33() -> None:
    K, qpp = en.symbol("K212"), en.symbol("qpp8", Rank.ACCELERATION)
    inner = en.add(*terms("C3*S4 + S2*S24 - S2*S34*S5"))
    assert K * qpp * en.add(*terms(EQ_33)) is K * qpp * inner
    for order in permutations(terms(EQ_33)):
        assert reduce(add, order) is inner


def test_eq_34() -> None:
    printed = factor("C24") * factor("S8") + factor("S24") * factor("S56") * factor("C8")
    for order in permutations(terms(EQ_34)):
        assert en.add(*order) is printed
    for order in trees.orders(terms(EQ_34)):
        assert reduce(add, order) is printed


def test_second_printed_result() -> None:
    inner = factor("C24") * factor("S8") + factor("S24") * factor("S56") * factor("C8")
    printed = factor("S2") * inner
    assert printed.op is en.MUL
    for order in permutations(terms(SECOND)):
        assert reduce(add, order) is printed


def test_first_level_as_printed() -> None:
    assert en.add(*terms("C1*C1 + S1*S1")) is en.ONE
    assert 2 * factor("C1") * factor("S1") is en.sin(2 * q(1))
    assert en.add(*terms("C1*C2 - S1*S2")) is factor("C12")


def turn(axis: int, angle: en.Node) -> Matrix:
    """Rotation about a frame axis."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = [[en.ONE if r == k else en.ZERO for k in range(3)] for r in range(3)]
    R[i][i] = R[j][j] = en.cos(angle)
    R[i][j], R[j][i] = -en.sin(angle), en.sin(angle)
    return R


def times(A: Matrix, B: Matrix) -> Matrix:
    return [[en.add(*[A[i][k] * B[k][j] for k in range(3)]) for j in range(3)] for i in range(3)]


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("signs", list(product((1, -1), repeat=3)))
def test_turns_about_parallel_axes_are_one_turn(axis: int, signs: tuple[int, ...]) -> None:
    angles = [sign * q(k) for k, sign in enumerate(signs, 1)]
    one = turn(axis, en.add(*angles))
    first, second, third = (turn(axis, angle) for angle in angles)
    for made in (times(times(first, second), third), times(first, times(second, third))):
        assert all(made[i][j] is one[i][j] for i in range(3) for j in range(3))


def test_many_parallel_axes_are_one_angle() -> None:
    n = 30
    chain = reduce(times, [turn(1, q(k)) for k in range(n)])
    one = turn(1, en.add(*[q(k) for k in range(n)]))
    assert all(chain[i][j] is one[i][j] for i in range(3) for j in range(3))
    assert en.count([x for row in chain for x in row]).call == 2


def test_a_turn_and_back_is_nothing() -> None:
    chain = [turn(0, q(1)), turn(2, q(2)), turn(1, q(3))]
    back = [turn(1, -q(3)), turn(2, -q(2)), turn(0, -q(1))]
    unit = reduce(times, [*chain, *back])
    assert all(unit[i][j] is (en.ONE if i == j else en.ZERO) for i in range(3) for j in range(3))


def test_rows_of_a_rotation_have_unit_length() -> None:
    R = reduce(times, [turn(0, q(1)), turn(1, q(2)), turn(0, q(3))])
    point = {q(k): 0.3 * k for k in range(1, 4)}
    for row in R:
        (length,) = en.evaluate((en.add(*[x * x for x in row]),), point)
        assert length == pytest.approx(1, abs=ROUNDING)


@given(st.lists(trees.trig_terms(), min_size=2, max_size=6), st.integers(0, 2**16))
def test_value_is_kept(rows: list[en.Node], seed: int) -> None:
    total = en.add(*rows)
    rng = np.random.default_rng(seed)
    point = {s: rng.uniform(-2, 2) for s in en.symbols([*rows, total])}
    values = [float(v) for v in en.evaluate([total, *rows], point)]
    assert values[0] == pytest.approx(sum(values[1:]), abs=IDENTITY)


@given(st.lists(trees.trig_terms(), min_size=2, max_size=6))
def test_normal_form_of_trigonometric_sums(rows: list[en.Node]) -> None:
    total = en.add(*rows)
    for node in en.topological((total,)):
        assert trees.rebuilt(node) is node
        assert node.op is not en.ADD or all(arg.op is not en.ADD for arg in node.args)
    for order in trees.orders(rows):
        assert en.add(*order) is total


@given(st.lists(trees.trig_terms(), min_size=2, max_size=6))
def test_it_never_costs_more(rows: list[en.Node]) -> None:
    flat: dict[en.Node, en.node.Number] = {}
    for row in rows:
        coef, bare = en.split_coefficient(row)
        flat[bare] = flat.get(bare, 0) + coef
    plain = en.node.sum_of(0, {t: k for t, k in flat.items() if k != 0})
    before, after = en.count((plain,)), en.count((en.add(*rows),))
    assert after.add <= before.add
    assert after.add + after.mul <= before.add + before.mul + 2


def test_sums_as_cofactors_are_flattened() -> None:
    a, b, c = (en.symbol(name) for name in "abc")
    S, C = en.sin(q(1)), en.cos(q(1))
    assert en.add((a + b) * C**2, (a + b) * S**2, c) is a + b + c


def test_a_number_does_not_take_a_product_apart() -> None:
    S, x = en.sin(q(1)), en.symbol("x")
    assert 2 * x * S * (x + S) is 2 * (x * S * (x + S))
    assert str(2 * x * S * (x + S)) == "2*x*sin(q1)*(x + sin(q1))"
    assert 3 + 2 * S * en.cos(q(1)) is 3 + en.sin(2 * q(1))


def test_nested_sums_do_not_explode() -> None:
    with en.fresh_arena() as arena:
        f, g = en.symbol("f"), en.symbol("g")
        for k in range(40):
            S, C, z = en.sin(q(k)), en.cos(q(k)), en.symbol(f"z{k}")
            f, g = S * f + C * g, C * f - S * g
            f = f + z * g
        assert en.count((f, g)).total < 20_000
        assert len(arena) < 200_000
        del f, g
