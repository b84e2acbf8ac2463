"""Agreement with SymPy on random expressions, and conversion both ways."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given, settings
from tests.approx import CROSS_ENGINE, IDENTITY
from tests.unit.engine import trees

from kinetree import engine as en
from kinetree.engine.sympy_bridge import from_sympy, to_sympy
from kinetree.errors import ExpressionError

SYMPY_REL = 1e-8  # numbers that SymPy finds with fewer digits
SYMPY_ABS = 1e-7  # the same near zero

x, y = trees.SYMBOLS["x"], trees.SYMBOLS["y"]
ALL_FUNCTIONS = [op.name for op in en.ops.FUNCTIONS]


@settings(max_examples=40)
@given(trees.trees, trees.points)
def test_values_agree_with_sympy(tree: trees.Tree, point: dict[str, float]) -> None:
    assume(trees.value(tree, point).scale < 1e4)
    try:
        node = trees.node(tree)
    except ExpressionError:
        assume(condition=False)
        raise
    exact = trees.sympy(tree, point)
    assume(exact.is_finite)
    with np.errstate(all="ignore"):
        (found,) = en.evaluate((node,), {trees.SYMBOLS[k]: v for k, v in point.items()})
    assert float(found) == pytest.approx(float(exact), rel=SYMPY_REL, abs=SYMPY_ABS)


@settings(max_examples=40)
@given(trees.trees)
def test_there_and_back_has_the_same_value(tree: trees.Tree) -> None:
    try:
        node = trees.node(tree)
        back = from_sympy(to_sympy(node), trees.SYMBOLS)
    except ExpressionError:
        assume(condition=False)
        raise
    rng = np.random.default_rng(0)
    point = {s: rng.uniform(0.2, 0.9) for s in trees.SYMBOLS.values()}
    with np.errstate(all="ignore"):
        a, b = (float(v) for v in en.evaluate((node, back), point))
    assert a == pytest.approx(b, rel=CROSS_ENGINE, abs=IDENTITY) or not np.isfinite(a)


@pytest.mark.parametrize("name", ALL_FUNCTIONS)
def test_every_function_has_its_counterpart(name: str) -> None:
    node = en.call(name, *(x, y, x + y)[: en.OPS[name].arity])
    assert from_sympy(to_sympy(node), trees.SYMBOLS) is node


def test_numbers_stay_exact() -> None:
    assert to_sympy(x / 3) == sp.Symbol("x", real=True) / 3
    assert from_sympy(sp.Rational(1, 3)) is en.number(1) / 3
    assert from_sympy(sp.Float(0.1)) is en.number(0.1)
    assert from_sympy(sp.pi) is en.number(float(np.pi))
    assert from_sympy(2) is en.number(2)
    assert from_sympy(sp.sqrt(sp.Symbol("u"))) is en.sqrt(en.symbol("u"))


def test_symbols_can_be_given_on_both_sides() -> None:
    mass = en.symbol("m", en.Rank.MASS)
    other = sp.Symbol("m", positive=True)
    assert to_sympy(mass * x, {"m": other}).has(other)
    assert from_sympy(other**2, {"m": mass}) is mass**2
    assert from_sympy(other) is en.symbol("m")


@pytest.mark.parametrize(
    ("expr", "problem"),
    [
        (sp.I, "not a finite real number"),
        (sp.oo, "not a finite real number"),
        (sp.nan, "not a finite real number"),
        (sp.gamma(sp.Symbol("u")), "no function 'gamma'"),
    ],
)
def test_what_the_engine_lacks_is_refused(expr: object, problem: str) -> None:
    with pytest.raises(ExpressionError, match=problem):
        from_sympy(expr)


def test_sympy_is_imported_only_when_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("kinetree.engine.sympy_bridge.import_module", refuse)
    with pytest.raises(ExpressionError, match="SymPy is not installed"):
        to_sympy(x)
