"""Sums and products: one normal form, whatever the way an expression is made."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from operator import add, mul

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.approx import SUMS
from tests.unit.engine import trees

from kinetree import engine as en
from kinetree.engine.algebra import LONG, PRODUCT_LENGTH
from kinetree.errors import ExpressionError

a, b, c, x, y = (en.symbol(name) for name in "abcxy")


def made(tree: trees.Tree) -> en.Node:
    """The Node of a tree that has one."""
    try:
        return trees.node(tree)
    except ExpressionError:
        assume(condition=False)
        raise


def exact(root: en.Node) -> bool:
    """Whether an expression holds no double, whose sums depend on the order by rounding."""
    return not any(
        isinstance(x, float) for node in en.topological((root,)) for x in (node.value, *node.coefs)
    )


@given(trees.trees)
def test_making_anew_changes_nothing(tree: trees.Tree) -> None:
    for node in en.topological((made(tree),)):
        assert trees.rebuilt(node) is node


@given(trees.trees)
def test_normal_form(tree: trees.Tree) -> None:
    for node in en.topological((made(tree),)):
        keys = [arg.key for arg in node.args]
        assert node.op not in (en.ADD, en.MUL) or keys == sorted(set(keys))
        if node.op is en.ADD:
            assert all(arg.op not in (en.ADD, en.NUM) for arg in node.args)
            assert 0 not in node.coefs
            assert len(node.args) > 1 or node.value != 0 or node.coefs != (1,)
        if node.op is en.MUL:
            assert all(arg.op not in (en.MUL, en.NUM) for arg in node.args)
            assert 0 not in node.coefs
            assert node.value == 1
            assert len(node.args) > 1 or node.coefs != (1,)


@given(st.lists(trees.trees, min_size=2, max_size=5))
def test_sums_do_not_depend_on_the_order(rows: list[trees.Tree]) -> None:
    nodes = [made(tree) for tree in rows]
    assume(all(exact(node) for node in nodes))
    expected = en.add(*nodes)
    for order in trees.orders(nodes):
        assert reduce(add, order) is expected
        assert en.add(*order) is expected


@given(st.lists(trees.whole_trees, min_size=2, max_size=5))
def test_products_do_not_depend_on_the_order(rows: list[trees.Tree]) -> None:
    nodes = [made(tree) for tree in rows]
    assume(all(exact(node) for node in nodes))
    expected = en.mul(*nodes)
    for order in trees.orders(nodes):
        assert reduce(mul, order) is expected
        assert en.mul(*order) is expected


def test_the_papers_example_of_collection() -> None:
    assert c + a + b - a is c + b


@pytest.mark.parametrize("length", [2, 5, LONG - 1, LONG, LONG + 1, 60, 300])
def test_opposite_terms_vanish_at_any_length(length: int) -> None:
    rng = np.random.default_rng(length)
    names = [en.symbol(f"t{k}") for k in range(length)]
    terms = [(s, 1) for s in names] + [(s, -1) for s in names[1:]]
    for _ in range(5):
        total = en.ZERO
        for k in rng.permutation(len(terms)):
            node, sign = terms[k]
            total = total + node if sign > 0 else total - node
        assert total is names[0]


@pytest.mark.parametrize("length", [LONG, LONG + 1, 200])
def test_long_sums_grow_term_by_term_as_at_once(length: int) -> None:
    names = [en.symbol(f"t{k}") for k in range(length)]
    grown = reduce(add, names, en.number(3))
    assert grown is en.add(3 * en.ONE, *names)
    assert grown + names[7] is en.add(3 * en.ONE, *names, names[7])
    assert grown - names[7] is en.add(3 * en.ONE, *names[:7], *names[8:])
    assert names[7] - grown is -(grown - names[7])


@given(st.lists(st.tuples(st.sampled_from("abcxy"), st.integers(-3, 3)), max_size=40))
def test_equal_terms_and_factors_are_collected(rows: list[tuple[str, int]]) -> None:
    totals: dict[str, int] = {}
    for name, weight in rows:
        totals[name] = totals.get(name, 0) + weight
    left = [(en.symbol(name), weight) for name, weight in rows]
    right = [(en.symbol(name), weight) for name, weight in totals.items()]
    assert en.linear(0, left) is en.linear(0, right)
    assert en.monomial(1, left) is en.monomial(1, right)


def test_signs_and_numbers_float_outward() -> None:
    assert (-x) * y is -(x * y)
    assert (2 * x) * (3 * y) is 6 * (x * y)
    assert (-x) ** 3 is -(x**3)
    assert x / -2 is Fraction(-1, 2) * x
    assert 2 * (x + y) is 2 * x + 2 * y
    assert (a - b) * (b - a) is -((a - b) ** 2)
    assert x * (y - a) is -(x * (a - y))
    assert x * (2 * a + 2 * y) is 2 * x * (a + y)
    assert (6 * a - 4 * y + 2) ** 2 is 4 * (3 * a - 2 * y + 1) ** 2
    assert x * (a / 3 + y * 2 / 3) is x * (a + 2 * y) / 3
    assert x * (0.1 * a - 0.1 * y) is 0.1 * x * (a - y)
    assert str(x * (a / 2 + y)) == "x*(1/2*a + y)"


def test_powers_and_roots() -> None:
    assert x * x * x is x**3
    assert x**2 / x is x
    assert x / x is en.ONE
    assert x**0 is en.ONE
    assert en.sqrt(x) * en.sqrt(x) is x
    assert en.sqrt(x) ** 5 is x**2 * en.sqrt(x)
    assert 1 / en.sqrt(x) ** 3 is 1 / (x * en.sqrt(x))
    assert x**0.5 is en.sqrt(x)
    assert x ** Fraction(3, 2) is en.sqrt(x) ** 3
    assert x**y is en.call("pow", x, y)
    assert en.call("pow", x, 2) is x**2
    assert 2**x is en.call("pow", 2, x)


def test_squares_of_roots_of_sums_and_products() -> None:
    assert en.sqrt(x + y) ** 2 is x + y
    assert a * en.sqrt(x * y) ** 2 is a * x * y
    assert en.sqrt(en.sqrt(x)) ** 4 is x


def test_long_products_stay_linear_but_cancel() -> None:
    names = [en.symbol(f"t{k}") for k in range(PRODUCT_LENGTH + 8)]
    long = en.mul(*names)
    assert long / names[3] is en.mul(*names[:3], *names[4:])
    assert long * names[3] is en.monomial(1, [(s, 2 if s is names[3] else 1) for s in names])
    point = {s: 1.0 + 0.01 * k for k, s in enumerate(names)}
    slope = en.derivative(long, names[0])
    assert names[0] not in en.symbols((slope,))
    (found,) = en.evaluate((slope,), point)
    assert found == pytest.approx(np.prod([point[s] for s in names[1:]]), rel=SUMS)


def test_chains_of_products_stay_linear() -> None:
    chain = en.ONE
    with en.fresh_arena() as arena:
        chain = en.symbol("t0")
        for k in range(1, 2000):
            chain = chain * en.symbol(f"t{k}")
        assert max(len(node.args) for node in en.topological((chain,))) <= PRODUCT_LENGTH + 1
        assert len(arena) < 5000


@given(trees.trees, trees.trees)
def test_difference_of_equals_is_zero(left: trees.Tree, right: trees.Tree) -> None:
    p, q = made(left), made(right)
    assert p - p is en.ZERO
    assert (p + q) - (q + p) is en.ZERO
    if p is not en.ZERO:
        assert p / p is en.ONE


@given(trees.trees)
def test_scaling_and_changing_sign(tree: trees.Tree) -> None:
    p = made(tree)
    opposite = -p
    assert -opposite is p
    assert 2 * p is p + p
    assert 2 * p - p is p
    assert p * 0 is en.ZERO
    coef, bare = en.split_coefficient(p)
    assert en.scale(coef, bare) is p
