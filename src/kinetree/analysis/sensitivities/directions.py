"""What varies as directions of a Program: the inputs that it is among, and a direction of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.sensitivities.variables import METHOD
from kinetree.arrays import Array, Integers

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.variables import DesignVariable
    from kinetree.program import Program

ByLabels = dict[str, Sequence[str] | None]
"""Inputs with the labels of the components that vary; None for all."""
INPUTS = {"parameter": "p", "tau": "tau"}
"""Kind of what varies -> the input that it is a component of."""


def input_of(row: DesignVariable) -> str:
    """The input that a variable is a component of; empty of start values."""
    return row.label if row.kind == METHOD else INPUTS.get(row.kind, "")


def inputs_by(program: Program, variables: Sequence[DesignVariable]) -> ByLabels:
    """Inputs of a Program by which is differentiated, with the labels of their components."""
    found: ByLabels = {}
    for kind, name in INPUTS.items():
        known = program.input(name).labels if program.takes(name) else ()
        labels = [row.label for row in variables if row.kind == kind and row.label in known]
        if labels:
            found[name] = labels
    for row in variables:
        if row.kind == METHOD and program.takes(row.label):
            found[row.label] = [row.label]
    wrenches = dict.fromkeys(row.label for row in variables if row.kind == "wrench")
    return found | {name: None for name in wrenches if program.takes(name)}


def seeds_of(by: ByLabels, variables: Sequence[DesignVariable]) -> dict[str, Array]:
    """Unit directions by input: component × variable."""
    found = {}
    for name, labels in by.items():
        seeds = np.zeros((6 if labels is None else len(labels), len(variables)))
        for k, row in enumerate(variables):
            if row.kind == "wrench" and row.label == name:
                seeds[row.part, k] = 1.0
            elif input_of(row) == name and row.label in (labels or ()):
                seeds[(labels or ()).index(row.label), k] = 1.0
        found[name] = seeds
    return found


def bars_by_variable(by: ByLabels, variables: Sequence[DesignVariable], bars: Array) -> Array:
    """Bars of what varies, from those of the inputs one after the other; 0 without an input."""
    return bars_at(places_of(by, variables), bars)


def bars_at(places: Integers, bars: Array) -> Array:
    """Bars at some places; 0 where a place is -1."""
    return np.append(bars, 0.0)[places]


def places_of(by: ByLabels, variables: Sequence[DesignVariable]) -> Integers:
    """The place of every variable among the components of the inputs; -1 without an input."""
    places: dict[tuple[str, str, int], int] = {}
    for name, labels in by.items():
        for k in range(6) if labels is None else range(len(labels)):
            key = (name, "", k) if labels is None else (name, labels[k], 0)
            places[key] = len(places)
    keys = (
        (row.label, "", row.part) if row.kind == "wrench" else (input_of(row), row.label, 0)
        for row in variables
    )
    return np.array([places.get(key, -1) for key in keys], dtype=np.intp)
