"""Newton blocks and general systems: native code and C agree with a plain loop in NumPy."""

from __future__ import annotations

import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import CROSS_ENGINE, FORMALISM, IDENTITY, ITERATED, ROUNDING, SUMS

from kinetree import engine as en
from kinetree.program import Output, Program, Solve
from kinetree.targets.native.compile import jit, plan
from kinetree.targets.tape.lowering import lower
from kinetree.targets.tape.pivot_order import elimination_order
from targets import corpus, newtons
from targets.test_c import built, called

CLOSE = 1e-12
"""Solutions are found to a tolerance on h, so rounding may move them by about that."""


def error(found: dict[str, Any], expected: dict[str, Any]) -> float:
    return max(float(np.max(np.abs(found[k] - expected[k]))) for k in expected)


def batch(program: Program, size: int = 21) -> dict[str, Any]:
    return corpus.arrays(program, (size,), seed=3)


def one(arrays: dict[str, Any], index: int) -> dict[str, Any]:
    return {name: rows[index] for name, rows in arrays.items()}


@pytest.mark.parametrize("name", newtons.PROGRAMS)
@pytest.mark.parametrize("cut", [False, True], ids=["whole", "cut"])
def test_native_code_finds_the_solution(
    name: str, cut: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if cut:  # segments of a few operations, in the step as in the Program around it
        monkeypatch.setattr(plan, "WHOLE", 12)
        monkeypatch.setattr(plan, "SEGMENT", 7)
    program = newtons.PROGRAMS[name]
    function = program.compile(cache=False, tier="quick")
    arrays = batch(program)
    lanes = function(**arrays)
    for index in range(5):
        expected = newtons.reference(program, one(arrays, index))
        single = function(**one(arrays, index))
        assert error(single, expected) < CLOSE
        assert error({k: v[index] for k, v in lanes.items()}, single) < ROUNDING


@pytest.mark.parametrize("name", ["kepler", "coupled_3", "coupled_6", "sequence"])
def test_the_tolerance_is_reached(name: str) -> None:
    program = newtons.PROGRAMS[name]
    block = next(b for b in program.blocks if hasattr(b, "step"))
    more = (*program.outputs, Output("solution", (len(block.targets),), block.targets))
    given = Output("given", (len(block.given),), block.given)
    whole = Program(name, program.inputs, program.preamble, program.blocks, (*more, given))
    found = whole.compile(cache=False)(**batch(program))
    h = block.step.evaluate(v=found["solution"], w=found["given"])["h"]
    assert np.max(np.abs(h)) < 2 * newtons.TOLERANCE


@pytest.mark.parametrize("strict", [False, True])
def test_what_does_not_converge_is_not_a_number_in_its_lane_alone(strict: bool) -> None:
    program = newtons.kepler(limit=4)
    function = program.compile(cache=False, strict=strict)
    m = np.random.default_rng(5).uniform(0, 0.6, (19, 2))
    m[[3, 8, 11]] = 0.05, 0.999  # a start from which four iterations do not suffice
    found = function(m=m)["E"][:, 0]
    assert np.isnan(found[[3, 8, 11]]).all()
    rest = np.delete(np.arange(19), [3, 8, 11])
    assert np.isfinite(found[rest]).all()
    for index in range(19):
        np.testing.assert_array_equal(found[index], function(m=m[index])["E"][0])
        expected = newtons.reference(program, {"m": m[index]})["E"]
        np.testing.assert_allclose(found[index], expected[0], atol=CLOSE)


def test_the_number_of_iterations_is_exact() -> None:
    m = np.array([0.4, 0.7])
    counts = [
        k for k in range(10)
        if np.isfinite(newtons.reference(newtons.kepler(k), {"m": m})["E"][0])
    ]  # fmt: skip
    first = counts[0]
    assert first > 1
    for limit in (first - 1, first):
        found = newtons.kepler(limit).compile(cache=False, tier="quick")
        assert np.isnan(found(m=m)["E"][0]) == (limit < first)
        assert np.isnan(found(m=np.tile(m, (8, 1)))["E"]).all() == (limit < first)


def test_not_a_number_comes_out_as_it_goes_in() -> None:
    function = newtons.kepler().compile(cache=False)
    m = np.full((9, 2), 0.4)
    m[2, 0] = np.nan
    found = function(m=m, check=False)["E"][:, 0]
    assert np.isnan(found[2])
    assert np.isfinite(np.delete(found, 2)).all()
    assert np.isnan(function(m=m[2], check=False)["E"][0])


def test_the_step_is_left_before_the_jacobian_where_h_is_small() -> None:
    made = plan.plan(lower(newtons.coupled(3)).body, 1)
    (step,) = made.inner.values()
    assert step.inline
    early, late = step.segments
    assert set(step.tape.outputs[:3]) <= set(early)
    assert set(step.tape.outputs[3:]) <= set(late)


@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3"])
def test_older_processors(cpu: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not jit.host().cpu_is_x86:
        pytest.skip("these are processors of the x86 family")
    features = "+fma" if cpu.endswith("v3") else ""
    monkeypatch.setattr(jit, "host", lambda: jit.Host(cpu, features))
    for name in ("coupled_6", "coupled_16"):
        program = newtons.PROGRAMS[name]
        arrays = batch(program, 9)
        function = program.compile(cache=False, tier="quick")
        expected = newtons.reference(program, one(arrays, 5))
        assert error(function(**one(arrays, 5)), expected) < CLOSE
        assert error({k: v[5] for k, v in function(**arrays).items()}, expected) < CLOSE


def test_parameters_per_sample_and_pickle() -> None:
    program = newtons.sequence()
    function = pickle.loads(pickle.dumps(program.compile(cache=False)))
    arrays = {**batch(program), "p": np.random.default_rng(1).uniform(0.1, 0.9, (21, 2))}
    found = function(**arrays)
    for index in range(0, 21, 4):
        expected = newtons.reference(program, one(arrays, index))
        assert error({k: v[index] for k, v in found.items()}, expected) < CLOSE


@pytest.mark.parametrize("name", newtons.PROGRAMS)
def test_c(name: str, tmp_path: Path, gcc: str) -> None:
    program = newtons.PROGRAMS[name]
    library = built(program, tmp_path, gcc)
    function = program.compile(cache=False, tier="quick")
    arrays = batch(program, 3)
    for index in range(3):
        values = one(arrays, index)
        assert error(called(library, program, values), function(**values)) < SUMS


def test_c_gives_not_a_number_where_it_does_not_converge(tmp_path: Path, gcc: str) -> None:
    program = newtons.kepler(limit=2)
    library = built(program, tmp_path, gcc)
    assert np.isnan(called(library, program, {"m": np.array([0.05, 0.999])})["E"]).all()


def sparse(n: int, k: int, parts: tuple[int, ...], seed: int, shared: int = 1) -> Program:
    """Systems with one matrix, block triangular under a permutation of rows and of columns."""
    rng = np.random.default_rng(seed)
    a, b = corpus.vector("a", 7), corpus.vector("b", n * k)
    rows: list[list[en.Node]] = [[en.ZERO] * n for _ in range(n)]
    starts = np.cumsum([0, *parts])
    for start, stop in pairwise(starts):
        for i in range(start, stop):
            for j in range(stop):
                inside = j >= start
                if inside or rng.random() < 0.15:
                    rows[i][j] = a.symbols[rng.integers(7)] * int(rng.integers(1, 4)) + (
                        3 if inside and (i - start + 1) % (stop - start) == j - start else 0
                    )
    up, across = rng.permutation(n), rng.permutation(n)
    matrix = tuple(rows[i][j] for i in up for j in across)
    blocks, outputs = [], []
    rhs: tuple[en.Node, ...] = b.symbols
    for number in range(shared):
        X = tuple(en.symbol(f"x{number}_{i}", en.Rank.LOCAL) for i in range(n * k))
        blocks.append(Solve(X, matrix, rhs, n, k, symmetric=False))
        outputs.append(Output(f"X{number}", (n, k), X))
        rhs = tuple(en.sin(x) for x in X)
    return Program("sparse", (a, b), (), tuple(blocks), tuple(outputs))


SPARSE = [
    (2, 1, (2,)), (3, 1, (3,)), (3, 5, (3,)), (4, 1, (4,)), (6, 3, (6,)), (8, 1, (8,)),
    (9, 2, (3, 1, 2, 3)), (12, 20, (4, 5, 3)), (13, 1, (13,)), (17, 1, (17,)), (24, 2, (17, 3, 4)),
    (40, 12, (3, 6, 5, 3, 3, 6, 4, 4, 6)),
]  # fmt: skip


@pytest.mark.parametrize(("n", "k", "parts"), SPARSE, ids=str)
def test_general_systems(n: int, k: int, parts: tuple[int, ...]) -> None:
    program = sparse(n, k, parts, n, 2 if n < 20 else 1)
    function = program.compile(cache=False, tier="quick")
    arrays = corpus.arrays(program, (11,), seed=n)
    expected = program.evaluate(**arrays)
    found = function(**arrays)
    single = function(**one(arrays, 4))
    for name, X in expected.items():
        scale = np.max(np.abs(X), axis=(1, 2))
        assert np.max(np.max(np.abs(found[name] - X), axis=(1, 2)) / scale) < CROSS_ENGINE
        np.testing.assert_allclose(
            single[name], found[name][4], rtol=ITERATED, atol=FORMALISM * scale[4]
        )


def test_rows_are_exchanged_where_a_pivot_vanishes() -> None:
    n = 5
    a = corpus.vector("a", n * n)
    x = tuple(en.symbol(f"x{i}", en.Rank.LOCAL) for i in range(n))
    block = Solve(x, a.symbols, tuple(en.number(i + 1) for i in range(n)), n, 1, symmetric=False)
    program = Program("exchange", (a,), (), (block,), (Output("x", (n,), x),))
    function = program.compile(cache=False, tier="quick")
    rng = np.random.default_rng(2)
    matrices = np.array([np.eye(n)[rng.permutation(n)] for _ in range(16)])
    found = function(a=matrices.reshape(16, -1))["x"]
    np.testing.assert_array_equal(found, np.linalg.solve(matrices, np.arange(1.0, n + 1)))
    tiny = matrices + 1e-18 * rng.uniform(-1, 1, matrices.shape)  # growth would cost all digits
    found = function(a=tiny.reshape(16, -1))["x"]
    np.testing.assert_allclose(found, np.linalg.solve(tiny, np.arange(1.0, n + 1)), rtol=ROUNDING)


def test_a_singular_matrix_gives_no_finite_solution() -> None:
    a = corpus.vector("a", 3)
    x, y, z = a.symbols
    X = tuple(en.symbol(f"x{i}", en.Rank.LOCAL) for i in range(4))
    hole = (x, y, en.ZERO, z, y, x, en.ZERO, z, z, y, en.ZERO, x, x, y, en.ZERO, y)
    twice = (x, y, z, z, y, x, z, x, x, y, z, z, y, y, x, z)
    for matrix in (hole, twice):
        block = Solve(X, matrix, (x, y, z, x), 4, 1, symmetric=False)
        program = Program("singular", (a,), (), (block,), (Output("X", (4,), X),))
        function = program.compile(cache=False, tier="quick")
        assert not np.isfinite(function(a=np.array([1.0, 2.0, 3.0]))["X"]).all()
        assert not np.isfinite(function(a=np.tile([1.0, 2.0, 3.0], (8, 1)))["X"]).all()


def test_the_order_of_elimination_spares_operations() -> None:
    n = 20  # an arrow: taken from its head, all of it fills up
    order, operations = elimination_order([list(range(n)), *([0, i] for i in range(1, n))])
    assert sorted(order) == list(range(n))
    assert order[-1] in (0, n - 1)
    assert 10 * operations < elimination_order([list(range(n))] * n)[1]


def test_one_factorisation_serves_all_systems_with_a_matrix() -> None:
    once, thrice = (lower(sparse(6, 1, (6,), 1, shared)).body.code for shared in (1, 3))
    assert once.count("div") == thrice.count("div") == 6


def test_a_block_triangular_system_falls_into_its_blocks() -> None:
    tape = lower(sparse(40, 1, (3, 6, 5, 3, 3, 6, 4, 4, 6), 40)).body
    assert not tape.systems
    assert tape.code.count("div") == 3 + (6 + 5 + 6 + 4 + 4 + 6)  # blocks of three, other rows


def test_a_lost_lane_does_not_hold_others_up() -> None:
    """Eight at a time: what is no number stays so, and the others find what they find alone."""
    program = newtons.PROGRAMS["kepler"]
    arrays = corpus.arrays(program, (16,))
    good = program.compile()(**arrays)
    name = next(row.name for row in program.inputs if not row.parameter)
    arrays[name] = np.array(arrays[name])
    arrays[name][3] = np.nan
    found = program.compile()(**arrays, check=False)
    for key, values in found.items():
        assert np.isnan(values[3]).all()
        rest = np.arange(16) != 3
        assert np.allclose(values[rest], good[key][rest], rtol=IDENTITY, atol=IDENTITY)
