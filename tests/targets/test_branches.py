"""Selections and tables: interpreter, native code and C agree, at random points and at edges."""

from __future__ import annotations

import pickle
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.approx import CROSS_ENGINE, IDENTITY, ROUNDING, relative_error

from kinetree import engine as en
from kinetree.errors import ExpressionError
from kinetree.program import Input, Output, Program
from kinetree.program.passes import condense
from kinetree.targets.native.maths import tables
from targets import corpus
from targets.test_c import built, called
from unit.engine import trees

COUNT = 19


def program_of(nodes: list[en.Node]) -> Program:
    symbols = tuple(trees.SYMBOLS.values())
    outputs = tuple(Output(f"y{i}", (), (node,)) for i, node in enumerate(nodes))
    return Program("branches", (Input("v", (4,), symbols),), (), (), outputs)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(trees.trees, min_size=6, max_size=6), st.integers(0, 2**16))
def test_all_agree_on_random_expressions(
    tmp_path: Path, gcc: str, some: list[trees.Tree], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    v = rng.uniform(0.2, 1.4, (COUNT, 4))
    nodes = []
    for tree in some:
        point = dict(zip(trees.NAMES, v.T, strict=True))
        if trees.value(tree, point).scale < 1e3:
            try:
                nodes.append(trees.node(tree))
            except ExpressionError:
                continue
    assume(nodes)
    program = condense(program_of(nodes))
    with np.errstate(all="ignore"):
        expected = program.evaluate(v=v)
    folder = Path(mkdtemp(dir=tmp_path))  # a library that is loaded must not be written over
    native, library = program.compile(cache=False), built(program, folder, gcc)
    many = native(v=v)
    for name, values in expected.items():
        assert relative_error(many[name], values) < CROSS_ENGINE, name
    for i in range(3):
        row = {name: values[i] for name, values in expected.items()}
        for found in (native(v=v[i]), called(library, program, {"v": v[i]})):
            for name, value in row.items():
                assert relative_error(found[name], value, max(1.0, abs(value))) < CROSS_ENGINE, name


def edges() -> tuple[Program, dict[str, Any]]:
    """Every knot exactly, conditions of both zeros, far outside, and what is no number."""
    x = en.symbol("x", en.Rank.COORDINATE)
    nodes = [en.table(x, t, k) for t in (corpus.FEW_KNOTS, corpus.MANY_KNOTS) for k in range(4)]
    nodes += [en.select(x, 1, 2), en.select(-x, 1, 2), en.select(x - 0.5, x, -x)]
    points = [*corpus.FEW_KNOTS.knots, *corpus.MANY_KNOTS.knots, 0.0, -0.0, 1e9, -1e9, np.nan]
    inputs = (Input("x", (), (x,)),)
    program = Program("edges", inputs, (), (), (Output("y", (len(nodes),), tuple(nodes)),))
    return program, {"x": np.array(points)}


@pytest.mark.parametrize("few", [0, tables.FEW, 10**6])
def test_knots_zeros_and_nan(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "FEW", few)
    program, values = edges()
    expected = program.evaluate(**values)["y"]
    function = program.compile(cache=False)
    same = {"rtol": 1e-14, "atol": 1e-14}
    np.testing.assert_allclose(function(**values, check=False)["y"], expected, **same)
    for x, row in zip(values["x"], expected, strict=True):
        np.testing.assert_allclose(function(x=x, check=False)["y"], row, **same)


def test_knots_zeros_and_nan_in_c(tmp_path: Path, gcc: str) -> None:
    program, values = edges()
    library = built(program, tmp_path, gcc)
    for x, row in zip(values["x"], program.evaluate(**values)["y"], strict=True):
        found = called(library, program, {"x": x})["y"]
        np.testing.assert_allclose(found, row, rtol=ROUNDING, atol=ROUNDING)


def test_tables_travel_with_a_function() -> None:
    program, values = edges()
    function = program.compile()
    again = pickle.loads(pickle.dumps(function))
    found, expected = (f(x=values["x"][:9])["y"] for f in (again, function))
    assert relative_error(found, expected) == 0


def test_a_table_in_c_is_written_once_and_readably() -> None:
    from kinetree.targets.c import source
    from kinetree.targets.c.language import DOUBLE

    long = en.Table.monotone(np.linspace(-1, 1, 60) / 3, np.linspace(0, 1, 60) ** 2, "a")
    same_name = en.Table.monotone([0, 1], [0, 1], "a")
    x = en.symbol("x", en.Rank.COORDINATE)
    total = en.table(x, long) + en.table(2 * x, long, 1) + en.table(x, same_name)
    program = Program("written", (Input("x", (), (x,)),), (), (), (Output("y", (), (total,)),))
    text = source.sources(program)["written.c"]
    assert text.count("kt_table_a_knots[60] = {") == 1
    assert text.count("kt_table_a_2_knots[2] = {") == 1
    assert "kt_table_a_d1(" in text
    assert max(len(line) for line in text.splitlines()) <= DOUBLE.width


def test_derivatives_are_compiled(tmp_path: Path, gcc: str) -> None:
    program = corpus.expressions().derivative(("slopes", "select_nested", "minimum"), ("x", "z"))
    values = corpus.points(COUNT)
    expected = program.evaluate(**values)
    found = program.compile()(**values)
    library = built(program, tmp_path, gcc)
    for name, value in expected.items():
        assert relative_error(found[name], value) < IDENTITY, name
    for i in range(3):
        one = called(library, program, {name: row[i] for name, row in values.items()})
        for name, value in expected.items():
            assert relative_error(one[name], value[i], 10.0) < IDENTITY, name
