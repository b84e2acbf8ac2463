"""Gradients of many runs side by side are those of every run alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from analysis import systems
from analysis.test_step_sensitivity import CASES, COUNT, STEP

import kinetree as kt
from approx import FORMALISM, assert_close
from kinetree.analysis.sensitivities import many

RUNS = 11
"""More than the lanes of one call, and no multiple of them."""


def alone(number: int, given: dict[str, Any]) -> dict[str, Any]:
    """What one run of many is given."""
    values = {k: float(v[number]) for k, v in given.get("parameters", {}).items()}
    return {**given, "parameters": values}


@pytest.mark.parametrize("name", CASES)
def test_gradients_in_lanes_are_those_of_single_runs(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, measures, by, run = CASES[name]
    model, own = make(), by[0] if "." in by[0] else by[0]
    middle = kt.sensitivity(
        model, STEP, {}, by=[own], step=STEP, method="adjoint", **run
    )  # fmt: skip
    del middle
    values = np.linspace(0.98, 1.02, RUNS) * value_of(model, own)
    given = {**run, "step": STEP, "tolerance": 1e-11, "method": "adjoint"}
    singles: list[Any] = []
    many_runs = kt.sensitivity(
        model, STEP * COUNT, measures, by=by, parameters={own: values}, **given
    )
    assert not singles
    assert many_runs.gradient.dims == ("run", "measure", "parameter")
    assert set(many_runs.reason.values) == {""}
    for k in (0, 7, RUNS - 1):
        one = kt.sensitivity(
            model, STEP * COUNT, measures, by=by, parameters={own: float(values[k])}, **given
        )
        for measure in measures:
            found = many_runs.sel(measure=measure).isel(run=k)
            expected = one.sel(measure=measure)
            assert_close(found.value.values, expected.value.values, FORMALISM, measure)
            assert_close(found.gradient.values, expected.gradient.values, FORMALISM, measure)
