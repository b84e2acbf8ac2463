"""One law for expressions, numbers and arrays."""

from __future__ import annotations

import inspect
import time

import numpy as np
import pytest

import kinetree as kt
from kinetree import engine as en
from kinetree import functions as fn

x, y, z = (en.symbol(name) for name in "xyz")
CURVE = kt.Table.monotone([0, 1, 2], [0, 2, 3])
FUNCTIONS = [name for name in fn.__all__ if name not in ("Table", "table", "total")]


def called(name: str, *args: object) -> object:
    function = getattr(fn, name)
    return function(*args[: len(inspect.signature(function).parameters)])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_expressions_and_numbers_agree(name: str) -> None:
    at = {x: 0.3, y: 0.8, z: 0.5}
    node = called(name, x, y, z)
    assert isinstance(node, en.Node)
    (expected,) = en.evaluate((node,), at)
    assert called(name, *at.values()) == pytest.approx(expected)
    many = np.array([0.1, 0.3, 0.9])
    assert np.shape(called(name, many, 0.8, many)) == (3,)
    assert called(name, many, 0.8, 0.5)[1] == pytest.approx(expected)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arrays_of_expressions_go_element_by_element(name: str) -> None:
    found = called(name, np.array([x, y]), z, 0.5)
    assert list(found) == [called(name, x, z, 0.5), called(name, y, z, 0.5)]


def test_tables() -> None:
    assert fn.table(x, CURVE) is en.table(x, CURVE)
    assert fn.table(1.0, CURVE) == 2.0
    assert list(fn.table(np.array([0.0, 2.0]), CURVE)) == [0.0, 3.0]
    assert fn.table(2, CURVE, 1) == CURVE.slopes[-1]
    assert list(fn.table(np.array([x, y]), CURVE)) == [en.table(x, CURVE), en.table(y, CURVE)]


def test_a_law_of_both_kinds() -> None:
    def law(d: object, rate: object) -> object:
        contact = fn.maximum(d, 0) * 1e3 + 5 * rate
        return fn.select(d, contact, 0) - 0.1 * fn.tanh(rate / 0.01)

    node = law(x, y)
    for d, rate in ((0.1, -2.0), (-0.1, 0.3)):
        assert en.evaluate((node,), {x: d, y: rate})[0] == pytest.approx(law(d, rate))


def test_a_total_is_the_sum_of_its_terms() -> None:
    assert fn.total([x, 2, y, x]) is 2 * x + y + 2
    assert fn.total([]) == 0
    assert fn.total(iter([1.5, 2])) == 3.5
    assert list(fn.total([np.array([1, 2]), 3.0])) == [4, 5]
    assert list(fn.total([np.array([x, y]), x])) == [2 * x, x + y]


def test_a_hundred_thousand_terms_are_summed_in_a_second() -> None:
    terms = [en.symbol(f"many{k}") for k in range(100_000)]
    start = time.process_time()
    found = fn.total(terms)
    assert time.process_time() - start < 3.0  # a third of a second where nothing else runs
    assert len(found.args) == 100_000
    assert fn.total([*terms, -found]) is en.ZERO
