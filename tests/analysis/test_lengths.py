"""Analyses with other lengths: what the loops do not allow is a sentence, never another motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.approx import AT_STATES, LONG_RUN, TRAJECTORY

import kinetree as kt
import lengths
from kinetree.errors import KinetreeError, ModelError, ModelWarning, PartitionError
from kinetree.integrate import Stepper

LIFTED = {"Z": 0.25}
SAID = r"closure 'pin': its component z is -0.25 .* parameter Z = 0.25"
STEP = {"step": 0.005}


def driven() -> kt.Model:
    model = lengths.four_bar()
    model.drive("a", lambda t: 1.0 + t)
    return model


def hanging() -> kt.Model:
    """Without weight it rests anywhere."""
    model = lengths.four_bar()
    model.gravity = (0, 0, 0)
    return model


WANTED = {"time": [0, 0.1, 0.2, 0.3], "q": {"b": [-0.9, -0.91, -0.92, -0.93]}}


ANALYSES: dict[str, Callable[[dict[str, float]], Any]] = {
    "simulate": lambda p: kt.simulate(lengths.four_bar(), 0.1, parameters=p),
    "multipliers": lambda p: kt.simulate(
        lengths.four_bar(), 0.1, loops="multipliers", parameters=p
    ),
    "equilibrium": lambda p: kt.equilibrium(lengths.four_bar(), parameters=p),
    "linearise": lambda p: kt.linearise(lengths.four_bar(), parameters=p),
    "modes": lambda p: kt.modes(hanging(), parameters=p),
    "reactions": lambda p: kt.reactions(
        lengths.four_bar(), kt.simulate(lengths.four_bar(), 0.02, step=0.01), parameters=p
    ),
    "kinematics": lambda p: kt.kinematics(driven(), 0.1, parameters=p),
    "inverse": lambda p: kt.inverse(lengths.four_bar(), WANTED, parameters=p),
    "assemble": lambda p: kt.assemble(lengths.four_bar(), parameters=p),
    "partition": lambda p: kt.partition(lengths.four_bar(), parameters=p),
    "hybrid": lambda p: kt.simulate(
        lengths.four_bar(), 0.05, formulation="hybrid", parameters=p, **STEP
    ),
    "topological": lambda p: kt.simulate(
        lengths.four_bar(), 0.05, formulation="topological", parameters=p, **STEP
    ),
    "global": lambda p: kt.simulate(
        lengths.four_bar(), 0.05, formulation="global", parameters=p, **STEP
    ),
    "rk4": lambda p: kt.simulate(lengths.four_bar(), 0.05, method="rk4", parameters=p, **STEP),
}
"""Name -> the analysis with some parameters."""


@pytest.mark.parametrize("name", ANALYSES)
def test_closure_and_parameter_are_named(name: str) -> None:
    ANALYSES[name]({"Z": 0.0})
    with pytest.raises(ModelError, match=SAID):
        ANALYSES[name](LIFTED)


@pytest.mark.parametrize("quantity", ["reactions", "constraints"])
def test_quantities_of_lengths_that_do_not_close_are_no_numbers(quantity: str) -> None:
    program = kt.derive(lengths.four_bar(), quantity)
    rng = np.random.default_rng(2)
    given = {r.name: rng.normal(size=r.shape) for r in program.inputs if r.default is None}
    assert all(np.isfinite(x).all() for x in program.evaluate(**given).values())
    with np.errstate(invalid="ignore"):
        out = program.evaluate(**given, p=lengths.with_parameters(program, LIFTED))
    first = out[program.outputs[0].name].ravel()
    assert np.isnan(first[first != 0][0])


@pytest.mark.parametrize("formulation", ["topological", "explicit"])
def test_steps_that_solve_too_few_equations_are_refused(formulation: str) -> None:
    how = {"formulation": formulation, "method": "rk4" if formulation == "explicit" else "auto"}
    with pytest.raises(PartitionError, match=r"parameters L3: 4 equations .* but 3"):
        kt.simulate(lengths.three_cranks(), 0.05, parameters={"L3": 1.2}, **how, **STEP)


@pytest.mark.parametrize("formulation", [None, "hybrid", "global"])
def test_a_third_crank_of_another_length_holds_all_still(formulation: str | None) -> None:
    how = {} if formulation is None else {"formulation": formulation, **STEP}
    moved = pytest.warns(ModelWarning, match="q of 'a' is .* instead of 1")
    with pytest.warns(ModelWarning, match="'three_cranks' has mobility 0"), moved:
        run = kt.simulate(lengths.three_cranks(), 0.05, parameters={"L3": 1.2}, **how)
    assert np.abs(run.q.values - run.q.values[0]).max() < TRAJECTORY


def test_a_batch_of_lengths_names_the_first_that_does_not_close() -> None:
    stepper = Stepper(lengths.four_bar(), "hybrid")
    stepper.run(0.02, 0.01, parameters={"crank": np.array([1.0, 1.1])})
    with pytest.raises(ModelError, match=r"component z is 0.1 .* Z = -0.1"):
        stepper.run(0.02, 0.01, parameters={"Z": np.array([0.0, -0.1])})


@pytest.mark.parametrize("value", [0.0, -1.5])
def test_lengths_that_must_be_positive(value: float) -> None:
    with pytest.raises(KinetreeError, match=f"closure 'rod': its length is {value:g}"):
        kt.simulate(lengths.strut(), 0.1, parameters={"length": value})


def test_lengths_that_close_only_at_run_time() -> None:
    """Own values for which nothing closes are no obstacle to others."""
    run = kt.simulate(lengths.four_bar(Z=0.25), 0.05, parameters={"Z": 0.0})
    want = kt.simulate(lengths.four_bar(), 0.05)
    np.testing.assert_allclose(run.q, want.q, atol=AT_STATES)


def test_the_motion_of_a_changed_length_is_that_of_the_model_built_with_it() -> None:
    for name, values in (("four_bar", {"crank": 0.8}), ("strut", {"ratio": 3.0, "depth": 0.2})):
        run = kt.simulate(lengths.MODELS[name](), 0.1, parameters=values)
        want = kt.simulate(lengths.MODELS[name](**values), 0.1)
        np.testing.assert_allclose(run.q, want.q, atol=LONG_RUN)


def test_a_program_made_for_other_lengths_ends_a_run_with_a_sentence() -> None:
    model = lengths.three_cranks()
    found = kt.partition(model)
    with pytest.raises((KinetreeError, ModelWarning)):
        kt.simulate(model, 0.05, partition=found, parameters={"L3": 1.2})


@pytest.mark.parametrize("formulation", ["tree", "global"])
def test_steps_are_not_measured_by_masses_that_are_gone(formulation: str) -> None:
    model = kt.Model("pendulum", gravity=(0, -9.81, 0))
    bob = model.body("bob", mass=model.parameter("M", 1.0, "kg"), com=(1, 0, 0))
    model.revolute("a", model.ground, bob, initial=0.5)
    how = {"formulation": formulation, "step": 0.01}
    own = kt.simulate(model, 0.1, **how)
    heavy = kt.simulate(model, 0.1, parameters={"M": 50.0}, **how)
    np.testing.assert_allclose(heavy.q, own.q, atol=AT_STATES)
    with pytest.raises(KinetreeError, match="parameters M: they leave 1e-08 of the inertia"):
        kt.simulate(model, 0.1, parameters={"M": 1e-8}, **how)
