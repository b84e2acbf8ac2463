"""The face of a native function: shapes, batches, parameters, threads, sentences for mistakes."""

from __future__ import annotations

import ctypes
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from tests import zoo

import kinetree as kt
from approx import IDENTITY, relative_error
from kinetree.errors import KinetreeError, ShapeError, UnknownNameError, UnsupportedError
from kinetree.steppers import discrete_program
from kinetree.targets.native import Function
from targets import corpus

PROGRAM = corpus.with_preamble()


@pytest.fixture(scope="module")
def function() -> Function:
    made: Function = PROGRAM.compile()
    return made


def assert_same(found: dict[str, Any], expected: dict[str, Any]) -> None:
    for name, value in expected.items():
        assert relative_error(found[name], value) < IDENTITY, name


@pytest.mark.parametrize("batch", [(), (1,), (3,), (8,), (9,), (5, 7), (2, 1, 13), (0,), (4, 0)])
def test_any_leading_shape(function: Function, batch: tuple[int, ...]) -> None:
    values = corpus.arrays(PROGRAM, batch)
    found = function(**values)
    assert found["u"].shape == (*batch, 2)
    assert found["k"].shape == (*batch, 2, 2)
    if 0 not in batch:
        assert_same(found, PROGRAM.evaluate(**values))


def test_inputs_broadcast_against_each_other(function: Function) -> None:
    rng = np.random.default_rng(1)
    for q, p in [((4, 1), (5,)), ((), (11,)), ((11,), ()), ((3, 1), (1, 5)), ((2, 1), (1,))]:
        values = {"q": rng.uniform(size=(*q, 2)), "p": rng.uniform(size=(*p, 3))}
        spread = np.broadcast_shapes(q, p)
        full = {k: np.broadcast_to(v, (*spread, v.shape[-1])) for k, v in values.items()}
        assert_same(function(**values), PROGRAM.evaluate(**full))


def test_integers_lists_and_strided_arrays_are_taken(function: Function) -> None:
    expected = PROGRAM.evaluate(q=np.array([1.0, 2.0]))
    strided = np.array([[1.0, 9.0], [2.0, 9.0]])[:, 0]
    for q in ([1, 2], np.array([1, 2]), strided, np.array([1, 2], dtype=np.float32)):
        assert_same(function(q=q), expected)
    columns = np.asfortranarray(np.arange(40.0).reshape(20, 2))
    assert_same(function(q=columns), PROGRAM.evaluate(q=columns))


def test_parameters_by_vector_by_name_and_by_default(function: Function) -> None:
    q = np.array([0.3, 0.4])
    p = np.array([7.0, 3.0, 11.0])
    expected = PROGRAM.evaluate(q=q, p=p)
    assert_same(function(q=q, p=p), expected)
    assert_same(function(q=q, parameters={"rod.mass": 7, "double": 11.0}), expected)
    assert_same(function(q=q), PROGRAM.evaluate(q=q, p=np.array([2.0, 3.0, 5.0])))
    masses = np.linspace(1, 2, 12)
    many = function(q=q, parameters={"rod.mass": masses})
    p = np.stack([masses, np.full(12, 3.0), np.full(12, 5.0)], axis=-1)
    assert_same(many, PROGRAM.evaluate(q=np.broadcast_to(q, (12, 2)), p=p))


def test_many_parameter_sets_one_after_another(function: Function) -> None:
    q = np.array([0.1, 0.2])
    for mass in [*range(1, 40), *range(1, 40)]:
        p = np.array([float(mass), 1.0, 1.0])
        assert_same(function(q=q, p=p), PROGRAM.evaluate(q=q, p=p))


def test_results_are_the_callers_own(function: Function) -> None:
    first = function(q=np.array([0.1, 0.2]))["u"].copy()
    kept = function(q=np.array([0.1, 0.2]))["u"]
    function(q=np.array([5.0, 6.0]))
    assert np.array_equal(kept, first)


def test_threads_share_a_batch(function: Function) -> None:
    values = corpus.arrays(PROGRAM, (1003,))
    one = function(**values, threads=1)
    for threads in (2, 3, 500):
        for name, value in function(**values, threads=threads).items():
            assert np.array_equal(value, one[name])


def test_single_calls_from_many_threads(function: Function) -> None:
    rows = np.random.default_rng(0).uniform(size=(400, 2))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda q: function(q=q)["u"], rows))
    assert relative_error(np.array(found), PROGRAM.evaluate(q=rows)["u"]) < IDENTITY


def test_pickle(function: Function) -> None:
    again = pickle.loads(pickle.dumps(function))
    values = corpus.arrays(PROGRAM, (9,))
    for name, value in again(**values).items():
        assert np.array_equal(value, function(**values)[name])


def test_the_address_is_a_plain_c_function(function: Function) -> None:
    sizes = function.sizes
    assert sizes == {"x": 2, "p": 3, "c": 3, "y": 6}
    q, y = np.array([0.3, 0.4]), np.zeros(sizes["y"])
    c = function.preamble_values(np.array([7.0, 3.0, 11.0]))
    assert c.shape == (sizes["c"],)
    pointer = ctypes.c_void_p
    call = ctypes.CFUNCTYPE(None, pointer, pointer, pointer)(function.address)
    call(q.ctypes.data, c.ctypes.data, y.ctypes.data)
    expected = function(q=q, p=np.array([7.0, 3.0, 11.0]))
    assert np.array_equal(y, np.concatenate([expected["u"], expected["k"].ravel()]))


def test_repr_names_inputs_and_outputs(function: Function) -> None:
    assert repr(function) == "<native function with_preamble(q[2], p[3]) -> u[2], k[2, 2]>"


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"q": np.zeros(3)}, ShapeError, ["input 'q'", "expected shape (..., 2)", "got (3,)"]),
        ({"q": 1.0}, ShapeError, ["input 'q'", "(..., 2)", "got ()"]),
        ({"q": np.zeros((2, 9))}, ShapeError, ["input 'q'", "got (2, 9)"]),
        ({"q": ["a", "b"]}, ShapeError, ["input 'q'", "real numbers"]),
        ({"q": np.zeros(2, complex)}, ShapeError, ["input 'q'", "real numbers"]),
        ({"q": [[1.0], [2.0, 3.0]]}, ShapeError, ["input 'q'", "real numbers"]),
        ({}, ShapeError, ["input 'q'", "not given", "q="]),
        ({"q": np.zeros(2), "r": 1.0}, UnknownNameError, ["no input 'r'"]),
        ({"Q": np.zeros(2)}, UnknownNameError, ["no input 'Q'", "did you mean 'q'"]),
        (
            {"q": np.zeros(2), "parameters": {"rod.maas": 1}},
            UnknownNameError,
            ["no parameter 'rod.maas'", "did you mean 'rod.mass'"],
        ),
        ({"q": np.array([1, np.nan])}, ShapeError, ["input 'q'", "component [1]", "nan"]),
        ({"q": np.array([-np.inf, 0])}, ShapeError, ["input 'q'", "component [0]", "-inf"]),
        (
            {"q": np.zeros(2), "p": np.array([1, np.inf, 1])},
            ShapeError,
            ["input 'p'", "component [1] ('rod.length')", "inf"],
        ),
        (
            {"q": np.zeros((4, 2)), "p": np.ones((3, 3))},
            ShapeError,
            ["input 'p'", "(3,)", "(4,)", "input 'q'"],
        ),
    ],
)
def test_mistakes_get_a_sentence(
    function: Function, arguments: dict[str, Any], kind: type[KinetreeError], words: list[str]
) -> None:
    with pytest.raises(kind) as caught:
        function(**arguments)
    text = str(caught.value)
    assert text.endswith((".", "?"))
    for word in words:
        assert word in text


def test_a_batch_names_the_sample_that_is_no_number(function: Function) -> None:
    q = np.zeros((5, 7, 2))
    q[3, 4, 1] = np.nan
    with pytest.raises(ShapeError, match=r"component \[1\] of sample \[3, 4\] is nan"):
        function(q=q)
    found = function(q=q, check=False)["u"]
    assert np.isnan(found[3, 4]).any()
    assert np.isfinite(np.delete(found.reshape(35, 2), 25, axis=0)).all()


def test_huge_but_finite_inputs_pass_the_check(function: Function) -> None:
    big = np.array([1e308, 1e308])
    assert np.isfinite(function(q=big)["k"]).all()


def test_an_unknown_tier_gets_a_sentence() -> None:
    with pytest.raises(KinetreeError, match="no tier 'fastest'; known tiers: 'quick', 'full'"):
        PROGRAM.compile(tier="fastest")


def test_native_code_is_not_written(tmp_path: Any) -> None:
    with pytest.raises(UnsupportedError, match="the native target writes no files"):
        PROGRAM.write("native", tmp_path)


def arm() -> tuple[kt.Model, dict[str, Any]]:
    model = zoo.chain(2)
    return model, zoo.state(model, 3)


@pytest.mark.parametrize(
    "guise",
    [
        lambda x: x.astype(np.dtype(np.float64, metadata={"unit": "rad"})),
        lambda x: np.repeat(x, 2)[::2],
        lambda x: x.astype(">f8"),
        np.ma.masked_array,
    ],
)
def test_doubles_in_other_guises_are_doubles(guise: Any) -> None:
    """Arrays whose type carries data, that step, of other byte order, of another class."""
    model, state = arm()
    function = kt.derive(model, "inverse").compile()
    given = {name: state[name] for name in ("q", "qd", "qdd")}
    expected = function(**given)["tau"]
    turned = {name: guise(value) for name, value in given.items()}
    assert np.array_equal(function(**turned)["tau"], expected)
    batch = {name: value[None] for name, value in turned.items()}
    assert np.array_equal(function(**batch)["tau"], expected[None])


def test_scalars_may_be_numbers_of_python() -> None:
    model, state = arm()
    function = discrete_program(model, "semi_implicit_euler").compile()
    given = {name: state[name] for name in ("q", "qd", "tau")}
    expected = function(**given, h=np.array(0.5))["q_next"]
    for h in (0.5, np.float64(0.5), np.float32(0.5)):
        assert np.array_equal(function(**given, h=h)["q_next"], expected)
    assert not np.array_equal(function(**given, h=1)["q_next"], expected)
    with pytest.raises(ShapeError, match="input 'h'"):
        function(**given, h=np.nan)
