"""Closures in natural coordinates: places and directions of the two ends as combinations.

Equations are those of `loops.conditions`, one to one and with the same sign, but for two ends
at one place: their difference is taken along the ground's axes, where it is linear.

Refs: GarciaDeJalon1994; Docquier2013 sec. 2.2
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kinetree.engine import (
    ONE,
    ZERO,
    Node,
    Rank,
    derivative,
    number,
    sqrt,
    substitute,
    symbol,
    tangent,
)
from kinetree.formalism.loops.conditions import Row
from kinetree.formalism.loops.laws import fold_parameters
from kinetree.formalism.natural.combinations import Sum
from kinetree.formalism.natural.constraint_rows import RowWriter
from kinetree.formalism.natural.rolling import roll
from kinetree.model import (
    Along,
    Angle,
    Closure,
    Coincide,
    Condition,
    Coupled,
    Distance,
    Law,
    Point,
    RateLaw,
    Roll,
    Touch,
    end_symbols,
    time_symbol,
)

if TYPE_CHECKING:
    from kinetree.formalism.natural.links import LinkFrame

AXES = np.eye(3)


class NaturalEnd:
    """One end of a closure."""

    def __init__(self, rows: RowWriter, point: Point) -> None:
        pose = rows.space.system.pose(point)
        self.R = pose.R
        self.frame: LinkFrame = rows.space.frames[pose.link]
        self.place: Sum = self.frame.point(pose.p)

    def direction(self, axis: object) -> Sum:
        """A direction fixed in the frame of the end."""
        return self.frame.direction(self.R @ np.array(axis, dtype=float))


def closures(rows: RowWriter) -> Iterator[Row]:
    """The rows of all closures, in model order."""
    for closure in rows.space.system.model.closures.values():
        ends = [NaturalEnd(rows, point) for point in closure.ends]
        for condition in closure.conditions:
            row = _row(rows, closure, condition, ends)
            label = f"{closure.name}.{condition.label}"
            yield replace(row, label=label, holonomic=condition.holonomic)


def _row(rows: RowWriter, closure: Closure, condition: Condition, ends: list[NaturalEnd]) -> Row:
    if not ends:
        return _relation(rows, closure, condition)
    first, second = ends
    d = first.place.minus(second.place)
    if isinstance(condition, Coincide):
        return rows.component(d, condition.k)
    if isinstance(condition, Along):
        return rows.product(second.direction(condition.axis), d)
    if isinstance(condition, Angle):
        found = rows.product(first.direction(condition.a), second.direction(condition.b))
        return replace(found, h=found.h - number(condition.cosine))
    return _curve_row(rows, closure, condition, (first, second))


def _curve_row(
    rows: RowWriter, closure: Closure, condition: Condition, ends: tuple[NaturalEnd, NaturalEnd]
) -> Row:
    first, second = ends
    d = first.place.minus(second.place)
    scalar = rows.space.system.table.closure_scalar
    if isinstance(condition, Distance):
        L = scalar(closure, "length")
        found = rows.product(d, d, number(0.5))
        return replace(found, h=found.h - L * L / 2)
    if isinstance(condition, Touch):
        return _touch(rows, closure, condition, ends)
    if isinstance(condition, Roll):
        size = scalar(closure, "radius"), scalar(closure, "crown")
        return roll(rows, condition, ends, size)
    assert isinstance(condition, Law)
    atoms = {s: rows.product(second.direction(a), d)
             for s, a in zip(end_symbols(), AXES, strict=True)}  # fmt: skip
    return rows.law(fold_parameters(rows.space.system, condition.expr), atoms)


def _touch(
    rows: RowWriter, closure: Closure, condition: Touch, ends: tuple[NaturalEnd, NaturalEnd]
) -> Row:
    first, second = ends
    height, tilt = symbol("height", Rank.LOCAL), symbol("tilt", Rank.LOCAL)
    r, crown = (rows.space.system.table.closure_scalar(closure, n) for n in ("radius", "crown"))
    n = second.direction(condition.normal)
    atoms = {height: rows.product(n, first.place.minus(second.place))}
    if condition.axis is None:
        return rows.law(height - r - crown, atoms)
    atoms[tilt] = rows.product(first.direction(condition.axis), n)
    return rows.law(height - r * sqrt(1 - tilt * tilt) - crown, atoms)


def _relation(rows: RowWriter, closure: Closure, condition: Condition) -> Row:
    """A condition between coordinates of the model."""
    system = rows.space.system
    if isinstance(condition, Coupled):
        at = dict(zip(system.model.coordinates, system.q, strict=True))
        ratio, offset = (system.table.closure_scalar(closure, n) for n in ("ratio", "offset"))
        return rows.law(at[condition.first] - ratio * at[condition.second] - offset, {})
    if isinstance(condition, RateLaw):
        return _rate_law(rows, fold_parameters(system, condition.expr), f"closure '{closure.name}'")
    assert isinstance(condition, Law)
    return rows.law(fold_parameters(system, condition.expr), {})


def _rate_law(rows: RowWriter, expr: Node, element: str) -> Row:
    """A law that is linear in velocities, each the rate of a coordinate."""
    system = rows.space.system
    slopes = {k: derivative(expr, v) for k, v in enumerate(system.qd)}
    slopes = {k: x for k, x in slopes.items() if x is not ZERO}
    rates: dict[Node, Node] = {time_symbol(): ONE}
    here: dict[Node, Node] = {}
    for q in system.q:
        if derivative(expr, q) is not ZERO:
            row = rows.coordinate(q)
            rates[q], here[q] = row.rate, row.h
    moved: dict[int, Row] = {}
    for k in slopes:
        moved[k] = rows.velocity(k, element)
        here[system.qd[k]] = moved[k].rate
    (bias,) = tangent([expr], rates.get)
    (free,) = substitute([expr], dict.fromkeys(system.qd, ZERO))
    values = substitute([bias, free, *slopes.values()], here)
    bias, ht = values[0], values[1]
    J: dict[int, Node] = {}
    for slope, row in zip(values[2:], moved.values(), strict=True):
        bias, ht = bias + slope * row.Jdqd, ht + slope * row.ht
        for at, x in row.J.items():
            J[at] = J.get(at, ZERO) + slope * x
    return Row(ZERO, J, bias, ht)
