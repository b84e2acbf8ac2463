"""Native code agrees with the reference: single, strict, quick, in lanes, in segments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from approx import IDENTITY, ROUNDING, relative_error
from kinetree.program import Program
from kinetree.targets.native import Function
from kinetree.targets.native.compile import jit, plan
from targets import corpus

MODES: dict[str, dict[str, Any]] = {
    "fast": {},
    "strict": {"strict": True},
    "quick": {"tier": "quick"},
}
COUNT = 27
"""An odd number of samples: three full blocks of lanes and three left over."""


def assert_same(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert list(found) == list(expected)
    for name, value in expected.items():
        assert relative_error(found[name], value) < IDENTITY, name


@pytest.fixture(scope="module", params=MODES)
def function(request: pytest.FixtureRequest) -> Function:
    made: Function = corpus.expressions().compile(**MODES[request.param])
    return made


def test_expressions_one_at_a_time(function: Function) -> None:
    values = corpus.points(20)
    expected = corpus.expressions().evaluate(**values)
    for i in range(20):
        one = {name: row[i] for name, row in values.items()}
        assert_same(function(**one), {name: row[i] for name, row in expected.items()})


def test_expressions_in_lanes(function: Function) -> None:
    values = corpus.points(COUNT)
    assert_same(function(**values), corpus.expressions().evaluate(**values))


@pytest.mark.parametrize("name", corpus.SYSTEMS)
def test_systems_one_at_a_time(name: str) -> None:
    program = corpus.SYSTEMS[name]
    function = program.compile()
    for seed in range(3):  # again, since a solution stands where the next zeros have to be
        values = corpus.arrays(program, seed=seed)
        assert_same(function(**values), program.evaluate(**values))


@pytest.mark.parametrize("name", corpus.SYSTEMS)
def test_systems_in_lanes(name: str) -> None:
    program = corpus.SYSTEMS[name]
    values = corpus.arrays(program, (COUNT,))
    assert_same(program.compile()(**values), program.evaluate(**values))


def test_pivots_are_chosen() -> None:
    """A zero on the diagonal of a general matrix is no obstacle."""
    a, b = corpus.vector("a", 4), corpus.vector("b", 2)
    x = corpus.vector("x", 2).symbols
    block = corpus.Solve(x, a.symbols, b.symbols, 2, 1, symmetric=False)
    program = Program("pivots", (a, b), (), (block,), (corpus.Output("x", (2,), x),))
    found = program.compile()(a=np.array([0.0, 2.0, 4.0, 1.0]), b=np.array([6.0, 11.0]))
    assert found["x"] == pytest.approx([2.0, 3.0])


@pytest.mark.parametrize("limits", [(10**6, 10**6), (0, 37), (0, 500)])
@pytest.mark.parametrize("strict", [False, True])
def test_segments(limits: tuple[int, int], strict: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "WHOLE", limits[0])
    monkeypatch.setattr(plan, "SEGMENT", limits[1])
    program = corpus.long_chain(600)
    function = program.compile(strict=strict)
    one, many = corpus.arrays(program), corpus.arrays(program, (COUNT,))
    assert_same(function(**one), program.evaluate(**one))
    assert_same(function(**many), program.evaluate(**many))


@pytest.mark.parametrize("name", ["system_7_11", "system_5_9_general", "chained"])
def test_systems_between_segments(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "WHOLE", 0)
    monkeypatch.setattr(plan, "SEGMENT", 9)
    program = corpus.SYSTEMS[name]
    function = program.compile()
    one, many = corpus.arrays(program), corpus.arrays(program, (COUNT,))
    assert_same(function(**one), program.evaluate(**one))
    assert_same(function(**many), program.evaluate(**many))


def test_strict_code_repeats_the_tape_bit_by_bit() -> None:
    from targets.test_lowering import run

    program = corpus.long_chain(60)
    function = program.compile(strict=True)
    q = corpus.arrays(program)["q"]
    found = function(q=q)
    expected = run(function.kernels.tapes.body, q, ())
    rounding = np.array([*found["y"], found["early"]]) - np.array(expected)
    assert (
        np.max(np.abs(rounding)) < ROUNDING
    )  # sines may differ by an ulp, sums and products do not


def test_program_without_variables_or_operations() -> None:
    p = corpus.vector("p", 2, default=(1.0, 2.0), parameter=True)
    outputs = (corpus.Output("y", (2,), (p.symbols[1], corpus.en.ZERO)),)
    function = Program("still", (p,), (), (), outputs).compile()
    assert function()["y"].tolist() == [2.0, 0.0]
    many = function(p=np.arange(20.0).reshape(10, 2))["y"]
    assert many[:, 0].tolist() == [2.0 * i + 1 for i in range(10)]


def test_a_large_workspace_comes_from_the_heap(monkeypatch: pytest.MonkeyPatch) -> None:
    from kinetree.targets.native.compile import ir

    monkeypatch.setattr(ir, "ON_STACK", 10)
    program = corpus.SYSTEMS["system_7_11"]
    function = program.compile()
    assert "@malloc(i64 " in function.kernels.single_text()
    for seed in range(3):
        values = corpus.arrays(program, seed=seed)
        assert_same(function(**values), program.evaluate(**values))


@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3"])
def test_older_processors(cpu: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without wide vectors, and without a fused multiply-add, the values are the same."""
    if not jit.host().cpu_is_x86:
        pytest.skip("these are processors of the x86 family")
    features = "+fma" if cpu.endswith("v3") else ""
    monkeypatch.setattr(jit, "host", lambda: jit.Host(cpu, features))
    for program in (corpus.expressions(), corpus.SYSTEMS["system_7_11"], corpus.long_chain(200)):
        function = program.compile(cache=False)
        make = corpus.points if program.name == "expressions" else None
        many = make(COUNT) if make else corpus.arrays(program, (COUNT,))
        one = {name: row[0] for name, row in many.items()}
        assert_same(function(**one), program.evaluate(**one))
        assert_same(function(**many), program.evaluate(**many))


@pytest.mark.parametrize("name", ["system_7_11", "system_5_9_general"])
def test_strict_systems(name: str) -> None:
    program = corpus.SYSTEMS[name]
    function = program.compile(strict=True)
    assert " contract " not in function.kernels.single_text()
    values = corpus.arrays(program)
    assert_same(function(**values), program.evaluate(**values))


@pytest.mark.parametrize("short", [False, True])
def test_packing_of_all_sizes(short: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples come out as they went in, whatever their number of components."""
    monkeypatch.setattr(plan, "LARGE", 0 if short else 10**6)
    sizes = (1, 2, 3, 7, 8, 9, 16, 17, 48, 49, 66)
    inputs = tuple(corpus.vector(f"i{n}", n) for n in sizes)
    outputs = tuple(
        corpus.Output(f"o{n}", (n,), tuple(2 * s for s in row.symbols))
        for n, row in zip(sizes, inputs, strict=True)
    )
    function = Program("copy", inputs, (), (), outputs).compile(cache=False)
    values = {f"i{n}": np.random.default_rng(n).uniform(size=(19, n)) for n in sizes}
    found = function(**values)
    for n in sizes:
        assert np.array_equal(found[f"o{n}"], 2 * values[f"i{n}"])
