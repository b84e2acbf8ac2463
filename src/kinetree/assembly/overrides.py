"""Other values of parameters: the same Program with other defaults, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kinetree.arguments import is_finite, show
from kinetree.errors import ShapeError, unknown
from kinetree.program import Program

Parameters = Mapping[str, float] | None
"""Values by name in place of the model's."""


def with_values(program: Program, parameters: Parameters, model: str = "") -> Program:
    """The same Program with other default values of parameters, by name.

    Args:
        program: with an input p, where it has parameters at all.
        parameters: values by name.
        model: name of the model, for the error of an unknown name.
    """
    if not parameters:
        return program
    row = next((row for row in program.inputs if row.name == "p"), None)
    names = row.labels if row is not None else ()
    for name, value in parameters.items():
        if name not in names:
            element = f"model '{model or program.info.get('model', '')}'"
            raise unknown("parameter", name, names, element)
        if not is_finite(value):
            raise ShapeError(
                f"its value is {show(value)}",
                element=f"parameter '{name}'",
                cure="give a finite number",
            )
    assert row is not None
    assert row.default is not None
    values = tuple(
        float(parameters.get(name, old)) for name, old in zip(names, row.default, strict=True)
    )
    new = replace(row, default=values)
    return replace(program, inputs=tuple(new if r is row else r for r in program.inputs))
