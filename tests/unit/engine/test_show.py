"""Rendering: text that reads back as the same Node, balanced LaTeX, graphs."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.unit.engine import trees

from kinetree import engine as en
from kinetree.engine.show import REPR_LENGTH, spell_number
from kinetree.errors import ExpressionError
from kinetree.formats.expression import parse

a, b, c, x = (en.symbol(name) for name in "abcx")


def made(tree: trees.Tree) -> en.Node:
    try:
        return trees.node(tree)
    except ExpressionError:
        assume(condition=False)
        raise


@given(trees.trees)
def test_text_reads_back_as_the_same_node(tree: trees.Tree) -> None:
    node = made(tree)
    assert parse(str(node), trees.SYMBOLS, "text", {"curve": trees.CURVE}) is node


@given(st.floats(-1e300, 1e300, allow_nan=False) | trees.numbers)
def test_numbers_read_back(value: float) -> None:
    node = en.number(value)
    assert parse(str(node), {}, "text") is node
    assert parse(str(node * x), {"x": x}, "text") is node * x
    assert parse(str(x - node), {"x": x}, "text") is x - node


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (a + b - c, "a + b - c"),
        (c - a - b, "c - a - b"),
        (-a - b, "-a - b"),
        (b - a + 3, "3 - a + b"),
        (a - 3, "a - 3"),
        (-3 - a, "-3 - a"),
        (a * b / c, "a*b/c"),
        (a / (b * c), "a/(b*c)"),
        (a / b**2, "a/(b**2)"),
        (1 / a, "1/a"),
        ((a + b) * c, "c*(a + b)"),
        ((a - b) ** 2, "(a - b)**2"),
        (a / 3, "1/3*a"),
        (a * 0.5, "1/2*a"),
        (a * 0.1, "0.1*a"),
        (en.sin(2 * a) ** 2, "sin(2*a)**2"),
        (en.atan2(a, -b), "atan2(a, -b)"),
        (a**b, "pow(a, b)"),
        (en.number(-2), "-2"),
        (en.number(157 / 16), "9.8125"),
        (en.number(1e-7), "1e-07"),
    ],
)
def test_text(node: en.Node, expected: str) -> None:
    assert str(node) == expected


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (en.symbol("q1"), "q_{1}"),
        (en.symbol("crank.mass"), r"\mathrm{crank}_{mass}"),
        (en.symbol("w3_y"), "w_{3,y}"),
        (a / b, r"\frac{a}{b}"),
        (2 * a * b, r"2 \, a \, b"),
        (a / 3, r"\tfrac{1}{3} \, a"),
        (en.sqrt(a), r"\sqrt{a}"),
        (en.sin(a) ** 2, r"\sin\left(a\right)^{2}"),
        (a * 1e-9, r"1 \cdot 10^{-9} \, a"),
        (en.symbol("50%_x"), r"\mathrm{50\%}_{x}"),
    ],
)
def test_latex(node: en.Node, expected: str) -> None:
    assert en.latex(node) == expected
    assert node._repr_latex_() == f"${expected}$"


@given(trees.trees)
def test_latex_is_balanced(tree: trees.Tree) -> None:
    source = en.latex(made(tree))
    assert source.count(r"\left(") == source.count(r"\right)")
    depth = 0
    for mark in re.findall(r"(?<!\\)[{}]", source):
        depth += 1 if mark == "{" else -1
        assert depth >= 0
    assert depth == 0


@given(trees.trees)
def test_graph_has_every_node_once_and_every_operand(tree: trees.Tree) -> None:
    node = made(tree)
    order = en.topological((node,))
    source = en.dot((node,))
    assert source.startswith("digraph")
    assert source.count("shape=") == len(order)
    assert source.count(" -> ") == sum(len(n.args) for n in order)


def test_graph_of_a_small_expression() -> None:
    lines = en.dot((2 * a - 3 + a * b,)).splitlines()
    assert '  n0 [label="b", shape=box];' in lines or '  n0 [label="a", shape=box];' in lines
    assert any('label="+ -3"' in line for line in lines)
    assert any(line.endswith('[label="2"];') for line in lines)
    assert en.dot((en.symbol('say "q"'),)).count('\\"') == 2


def test_repr_of_a_shared_graph_breaks_off() -> None:
    node = a
    for _ in range(200):
        node = en.sin(node) * en.cos(node) + b
    short = repr(node)
    assert len(short) == REPR_LENGTH + 1
    assert short.endswith("…")
    assert repr(a + b) == "a + b"


@pytest.mark.parametrize(("value", "text"), [(0.5, "0.5"), (3, "3"), (1e22, "1e+22")])
def test_numbers_are_spelled_short(value: float, text: str) -> None:
    assert spell_number(value) == text
