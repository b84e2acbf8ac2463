"""Inputs with values may be left out, wherever a Program is called from Python."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from approx import IDENTITY
from kinetree.errors import KinetreeError

GIVEN = {"q": [0.3, -0.2], "qd": [1.0, 2.0], "tau": [0.5, -0.5]}


@pytest.fixture(scope="module")
def forward() -> kt.Program:
    return kt.derive(kt.load("examples/models/double_pendulum.yaml"), "forward")


@pytest.mark.parametrize("target", ["native", "python", "jax", "torch", "casadi"])
def test_parameters_left_out_are_those_of_the_model(forward: kt.Program, target: str) -> None:
    if target not in ("native", "python"):
        pytest.importorskip(target)
    function = forward.compile(target=target)
    p = np.array(forward.input("p").default)
    expected = forward.evaluate(**GIVEN)["qdd"]
    for given in (GIVEN, {**GIVEN, "p": p}):
        found = function(**{name: np.array(row) for name, row in given.items()})["qdd"]
        np.testing.assert_allclose(np.ravel(np.asarray(found)), expected, rtol=IDENTITY)


def test_sympy_knows_the_parameters_too(forward: kt.Program) -> None:
    pytest.importorskip("sympy")
    function = forward.compile(target="sympy").function()
    given = [x for row in GIVEN.values() for x in row]
    expected = forward.evaluate(**GIVEN)["qdd"]
    np.testing.assert_allclose(function(*given)[0], expected, rtol=IDENTITY)
    np.testing.assert_allclose(function(*given, *forward.input("p").default)[0], expected)


@pytest.mark.parametrize("target", ["native", "python", "jax", "torch", "casadi"])
def test_what_has_no_value_must_be_given(forward: kt.Program, target: str) -> None:
    if target not in ("native", "python"):
        pytest.importorskip(target)
    function = forward.compile(target=target)
    with pytest.raises((TypeError, KinetreeError), match="tau"):
        function(q=np.zeros(2), qd=np.zeros(2))


def test_casadi_keeps_values_in_what_is_made_of_a_function(forward: kt.Program) -> None:
    pytest.importorskip("casadi")
    function = forward.compile(target="casadi")
    p = np.array(forward.input("p").default)
    made = function.factory("slope", function.name_in(), ["jac:qdd:q"])
    for slope in (made, function.jacobian(), function.expand()):
        name = slope.name_out()[0]
        short, whole = (slope(**GIVEN, **more)[name] for more in ({}, {"p": p}))
        assert np.array_equal(np.asarray(short), np.asarray(whole))


def test_casadi_tells_inputs_apart_that_it_would_call_alike() -> None:
    pytest.importorskip("casadi")
    model = kt.load("examples/models/double_pendulum.yaml")
    for name in ("push__a", "push_a"):
        model.wrench(name, "lower.tip")
    program = kt.derive(model, "forward")
    given = {**GIVEN, "push__a": np.arange(6.0), "push_a": np.ones(6)}
    function = program.compile(target="casadi")
    found = function.call([given.get(row.name, row.default) for row in program.inputs])[0]
    expected = program.evaluate(**given)["qdd"]
    np.testing.assert_allclose(np.asarray(found)[:, 0], expected, rtol=IDENTITY)


def test_casadi_takes_values_by_place(forward: kt.Program) -> None:
    pytest.importorskip("casadi")
    function = forward.compile(target="casadi")
    ordered = [GIVEN[name] for name in function.name_in() if name != "p"]
    expected = forward.evaluate(**GIVEN)["qdd"]
    np.testing.assert_allclose(np.asarray(function(*ordered))[:, 0], expected, rtol=IDENTITY)


def test_a_function_of_casadi_without_its_values_is_no_number(forward: kt.Program) -> None:
    pytest.importorskip("casadi")
    bare: Any = pickle.loads(pickle.dumps(forward.compile(target="casadi")))
    assert np.isnan(np.asarray(bare(**GIVEN)["qdd"])).all()
