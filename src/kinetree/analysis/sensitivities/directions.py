"""What varies as directions of a Program: the inputs that it is among, and a direction of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kinetree.arrays import Array

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.variables import DesignVariable
    from kinetree.program import Program

ByLabels = dict[str, Sequence[str] | None]
"""Inputs with the labels of the components that vary; None for all."""
INPUTS = {"parameter": "p", "tau": "tau"}
"""Kind of what varies -> the input that it is a component of."""


def inputs_by(program: Program, variables: Sequence[DesignVariable]) -> ByLabels:
    """Inputs of a Program by which is differentiated, with the labels of their components."""
    found: ByLabels = {}
    for kind, name in INPUTS.items():
        known = program.input(name).labels if program.takes(name) else ()
        labels = [row.label for row in variables if row.kind == kind and row.label in known]
        if labels:
            found[name] = labels
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
            elif INPUTS.get(row.kind) == name and row.label in (labels or ()):
                seeds[(labels or ()).index(row.label), k] = 1.0
        found[name] = seeds
    return found
