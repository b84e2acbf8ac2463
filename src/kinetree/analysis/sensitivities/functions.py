"""Functions of several measures: their values and derivatives from those of the parts.

V = g(V₁, V₂, …)     dV = Σ ∂g/∂Vᵢ dVᵢ     d²V = Σ ∂g/∂Vᵢ d²Vᵢ + Σ ∂²g/∂Vᵢ∂Vⱼ dVᵢ dVⱼᵀ   Eq. (S16)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.engine import Rank, derivation, derivative, evaluate, symbol
from kinetree.formats.expression import parse
from kinetree.measures import FunctionOf, Measure
from kinetree.results.draft import Draft, words

PRODUCT = "hessian_product"
"""Variable of the second derivatives along a direction."""


@dataclass(frozen=True)
class KnownMeasure:
    """A measure: its value, gradient, and Hessian or product of it where that is asked for.

    Attributes:
        value: of the measure.
        gradient: its derivatives.
        hessian: its second derivatives.
        product: these along a direction.
        way: the direction.
    """

    value: float
    gradient: Array
    hessian: Array | None = None
    product: Array | None = None
    way: Array | None = None


def with_functions(made: Draft, measures: Mapping[str, Measure]) -> Draft:
    """The result with functions of measures in place of their parts."""
    if not any(isinstance(row, FunctionOf) for row in measures.values()):
        return made
    simple = {name: _read(made, k) for k, name in enumerate(made.labels("measure"))}
    found = [_value(name, row, simple) for name, row in measures.items()]
    rows: dict[str, Any] = {
        "value": np.array([row.value for row in found]),
        "gradient": np.array([row.gradient for row in found]),
        "hessian": np.array([row.hessian for row in found]),
        PRODUCT: np.array([row.product for row in found]),
    }
    names = {"measure": ("measure", words([*measures]))}
    new = {k: made[k]._replace(values=values) for k, values in rows.items() if k in made}
    return made.without("measure").plus(new, names)


def _read(made: Draft, number: int) -> KnownMeasure:
    hessian, product = (made[k].values[number] if k in made else None for k in ("hessian", PRODUCT))
    way = made["along"].values if "along" in made else None
    value, gradient = (made[name].values[number] for name in ("value", "gradient"))
    return KnownMeasure(float(value), gradient, hessian, product, way)


def _value(name: str, measure: Measure, simple: Mapping[str, KnownMeasure]) -> KnownMeasure:
    """A measure, put together where it is a function."""
    if not isinstance(measure, FunctionOf):
        return simple[name]
    parts = [_value(f"{name}.{part}", own, simple) for part, own in measure.parts.items()]
    values = [row.value for row in parts]
    value, slopes, bends = slopes_of(measure, f"measure '{name}'", values)
    gradients = np.array([row.gradient for row in parts])
    hessian = None
    if parts[0].hessian is not None:
        own = np.array([row.hessian for row in parts])
        hessian = np.tensordot(slopes, own, 1) + gradients.T @ bends @ gradients
    product = None
    way = parts[0].way
    if way is not None:
        rows = np.array([row.product for row in parts])
        product = slopes @ rows + gradients.T @ bends @ (gradients @ way)
    return KnownMeasure(value, slopes @ gradients, hessian, product, way)


def value_of(name: str, measure: Measure, simple: Mapping[str, Array]) -> Array:
    """Values of a measure of many runs, put together where it is a function.

    Args:
        name: of it.
        measure: what it is.
        simple: values of measures that are no functions, by name.
    """
    if not isinstance(measure, FunctionOf):
        return simple[name]
    parts = {part: value_of(f"{name}.{part}", own, simple) for part, own in measure.parts.items()}
    found: Array = _together(measure, f"measure '{name}'", parts)
    return found


@derivation()
def _together(measure: FunctionOf, element: str, parts: Mapping[str, Array]) -> Array:
    """g of many runs."""
    names = {name: symbol(name, Rank.FORCE) for name in parts}
    known = {names[name]: values for name, values in parts.items()}
    with np.errstate(invalid="ignore", divide="ignore"):
        (found,) = evaluate([parse(str(measure.of), names, element)], known)
    return np.broadcast_to(np.asarray(found, dtype=float), len(next(iter(parts.values()))))


@derivation()
def slopes_of(measure: FunctionOf, element: str, values: list[float]) -> tuple[float, Array, Array]:
    """g, ∂g/∂Vᵢ and ∂²g/∂Vᵢ∂Vⱼ at values of the parts.

    Args:
        measure: the function.
        element: what it is, for errors.
        values: of its parts.
    """
    names = {name: symbol(name, Rank.FORCE) for name in measure.parts}
    node = parse(str(measure.of), names, element)
    known, rows = dict(zip(names.values(), values, strict=True)), list(names.values())
    first = [derivative(node, x) for x in rows]
    second = [derivative(slope, x) for slope in first for x in rows]
    with np.errstate(invalid="ignore", divide="ignore"):  # what is no number is refused by name
        flat = np.array(evaluate([node, *first, *second], known), dtype=float)
    n = len(rows)
    return float(flat[0]), flat[1 : n + 1], flat[n + 1 :].reshape(n, n)
