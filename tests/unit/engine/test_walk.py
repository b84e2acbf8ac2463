"""Walks, substitution and operation counts."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from tests.unit.engine import trees

from kinetree import engine as en
from kinetree.engine.count import power_multiplications
from kinetree.errors import ExpressionError

a, b, c, x, y = (en.symbol(name) for name in "abcxy")


def made(tree: trees.Tree) -> en.Node:
    try:
        return trees.node(tree)
    except ExpressionError:
        assume(condition=False)
        raise


@given(trees.trees, trees.trees)
def test_children_come_before_parents_and_each_once(first: trees.Tree, second: trees.Tree) -> None:
    roots = (made(first), made(second))
    order = en.topological(roots)
    place = {node: k for k, node in enumerate(order)}
    assert len(place) == len(order)
    assert all(root in place for root in roots)
    assert all(place[arg] < place[node] for node in order for arg in node.args)
    assert en.compounds(roots) == [node for node in order if node.args]
    reached: set[en.Node] = set()
    en.reach(roots, reached)
    assert reached == set(order)
    assert set(en.symbols(roots)) == {node for node in order if node.is_symbol}
    uses = en.use_counts(roots)
    assert sum(uses.values()) == 2 + sum(len(node.args) for node in order)


def test_what_was_seen_is_not_visited_again() -> None:
    seen: set[en.Node] = set()
    assert en.topological((a + b,), seen)[-1] is a + b
    assert en.topological((a + b,), seen) == []
    assert en.topological(((a + b) * c,), seen) == [c, (a + b) * c]


def test_symbols_come_in_order_of_first_visit() -> None:
    node = en.atan2(x * y, a) + b
    assert [s.name for s in en.symbols((node, c))] == ["b", "x", "y", "a", "c"]


def test_fold_visits_each_node_once_over_all_roots() -> None:
    known: dict[en.Node, int] = {}
    visits: list[en.Node] = []

    def depth(node: en.Node) -> int:
        visits.append(node)
        return 1 + max((known[arg] for arg in node.args), default=0)

    assert en.fold(en.sin(a * b), known, depth) == 3
    assert en.fold(en.sin(a * b) + c, known, depth) == 4
    assert len(visits) == len(set(visits)) == 6


@given(trees.trees)
def test_substitution_of_a_symbol_by_itself_changes_nothing(tree: trees.Tree) -> None:
    node = made(tree)
    assert en.substitute((node,), {}) == [node]
    assert en.substitute((node,), {s: s for s in trees.SYMBOLS.values()}) == [node]


def test_substitution_simplifies_anew() -> None:
    assert en.substitute((a + b - c,), {c: a}) == [b]
    assert en.substitute((a * b,), {b: en.ZERO}) == [en.ZERO]
    assert en.substitute((en.sin(a) ** 2 + en.cos(b) ** 2,), {b: a}) == [en.ONE]
    assert en.substitute((en.sin(a + b) * c,), {a + b: x}) == [c * en.sin(x)]
    assert en.substitute((a, b), {a: b, b: a}) == [b, a]


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (a, (0, 0, 0, 0, 0)),
        (a + b + c, (2, 0, 0, 0, 0)),
        (a - b + 3, (2, 0, 0, 0, 0)),
        (2 * a + b, (1, 1, 0, 0, 0)),
        (-a, (0, 0, 0, 1, 0)),
        (-a - b, (1, 0, 0, 1, 0)),
        (-2 * a - b, (1, 1, 0, 0, 0)),
        (3 - a, (1, 0, 0, 0, 0)),
        (a * b * c, (0, 2, 0, 0, 0)),
        (a / b, (0, 0, 1, 0, 0)),
        (a / (b * c), (0, 1, 1, 0, 0)),
        (1 / a, (0, 0, 1, 0, 0)),
        (a**2, (0, 1, 0, 0, 0)),
        (a**3, (0, 2, 0, 0, 0)),
        (a**4, (0, 2, 0, 0, 0)),
        (1 / a**2, (0, 1, 1, 0, 0)),
        (en.sin(a) + en.cos(a), (1, 0, 0, 0, 2)),
        (en.sin(a) * en.sin(a), (0, 1, 0, 0, 1)),
        ((a + b) * (a + b + c), (3, 1, 0, 0, 0)),
    ],
)
def test_counting_convention(node: en.Node, expected: tuple[int, ...]) -> None:
    assert en.count((node,)) == en.OperationCount(*expected)
    assert en.count((node,)).total == sum(expected)


def test_shared_parts_count_once() -> None:
    part = a * b
    assert en.count((part + c, part - c)) == en.OperationCount(add=2, mul=1)
    assert en.count_nodes((part + c,)) == en.OperationCount(add=1)


def test_counts_add_up() -> None:
    assert en.OperationCount(1, 2, 3, 4, 5) + en.OperationCount(1, 1, 1, 1, 1) == en.OperationCount(
        2, 3, 4, 5, 6
    )


@pytest.mark.parametrize("n", range(1, 65))
def test_powers_by_repeated_squaring(n: int) -> None:
    class Counted:
        made = 0

        def __mul__(self, other: object) -> Counted:
            Counted.made += 1
            return self

    from kinetree.engine.evaluate import integer_power

    Counted.made = 0
    integer_power(Counted(), n)
    assert Counted.made == power_multiplications(n)
