"""Repeated calls find what others found, and follow every change of the model between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.analysis.runs.dynamics import dynamics

MODELS = Path(__file__).parents[2] / "examples" / "models"


def _arm(mass: float = 2.0, stiffness: float = 3.0) -> kt.Model:
    model = kt.Model("arm")
    beam = model.body("beam", mass=mass, com=(0.5, 0.0, 0.0), inertia=(0.1, 0.2, 0.3))
    model.revolute("luff", model.ground, beam, axis="y")
    model.joint_spring("catch", "luff", stiffness=stiffness)
    return model


def _heavier(model: kt.Model) -> None:
    model.bodies["beam"] = replace(model.bodies["beam"], mass=5.0)


def _stiffer(model: kt.Model) -> None:
    del model.forces["catch"]
    model.joint_spring("catch", "luff", stiffness=7.0)


def _gradient(model: kt.Model) -> Any:
    return kt.sensitivity(
        model, 0.2, {"end": kt.final("q_luff"), "e": kt.final("energy.kinetic")},
        by=["beam.mass", "beam.com_z", "catch.stiffness", "q0.luff"], method="adjoint", step=0.1,
    )  # fmt: skip


def _small(model: kt.Model) -> Any:
    return kt.linearise(model, outputs=["energy.potential"], inputs=["catch.stiffness"])


CALLS: dict[str, tuple[Callable[[kt.Model], Any], tuple[str, ...]]] = {
    "gradient": (_gradient, ("value", "gradient", "q", "scale_parameter")),
    "run": (lambda m: kt.simulate(m, 0.2, step=0.1), ("q", "qdd")),
    "linear model": (_small, ("A", "B", "C", "D", "y")),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_repeated_call_follows_the_model(call: str) -> None:
    make, names = CALLS[call]
    model = _arm()

    def agrees(other: kt.Model) -> None:
        for found, fresh in ((make(model), make(other)), (make(model), make(model))):
            for name in names:
                assert np.array_equal(getattr(found, name), getattr(fresh, name)), name

    agrees(_arm())
    _heavier(model)
    agrees(_arm(mass=5.0))
    _stiffer(model)
    agrees(_arm(mass=5.0, stiffness=7.0))
    model.gravity = (0.0, 0.0, -1.62)
    moon = _arm(mass=5.0, stiffness=7.0)
    moon.gravity = (0.0, 0.0, -1.62)
    agrees(moon)


def test_linear_models_with_other_values_outputs_and_inputs_are_told_apart() -> None:
    model = _arm()
    first, other = (kt.linearise(model, parameters={"beam.mass": m}) for m in (2.0, 4.0))
    assert not np.array_equal(first.A, other.A)
    assert np.array_equal(other.A, kt.linearise(_arm(mass=4.0)).A)
    assert _small(model).inputs == ("catch.stiffness",)
    assert kt.linearise(model).inputs == ("tau_luff",)
    assert _small(model).outputs == ("energy.potential",)
    assert kt.linearise(model, outputs=["beam.position.x"]).outputs == ("beam.position.x",)


def test_rows_made_consistent_together_are_those_of_single_calls() -> None:
    """By compiled functions, and by those whose tangents go side by side."""
    system = dynamics(kt.load(MODELS / "slider_crank.yaml"))
    y0 = np.concatenate([system.partition.q, np.ones(system.nv)])  # type: ignore[union-attr]
    Y = y0 + 0.01 * np.sin(np.arange(3 * len(y0))).reshape(3, -1)
    t = np.linspace(0.0, 0.2, 3)
    singly = [system.project(float(a), y) for a, y in zip(t, Y, strict=True)]
    assert np.array_equal(system.project_each(t, Y), singly)
    assert system.project_each(t[:0], Y[:0]).shape == (0, len(y0))
    function = system.forms.rates.function
    rates = [
        function(check=False, t=t[k], y=y, **system.loads.fixed)["yd"] for k, y in enumerate(Y)
    ]
    assert np.array_equal(function.each(t=t, y=Y, **system.loads.fixed)["yd"], rates)
    assert function.each(t=t[0], y=Y[0], **system.loads.fixed)["yd"].shape == (1, len(y0))
