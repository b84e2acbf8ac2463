"""Directions: by what a Program is differentiated.

A direction is a small change of the components of one input.  Component by component it is one unit
vector after the other; along the tangent space of q it is one column of N(q) after the other, with
der(q) = N(q) qd, so that a unit quaternion stays one and there are nv directions instead of nq.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kinetree.engine import ONE, ZERO, Node
from kinetree.errors import UnsupportedError, unknown
from kinetree.program.program import Input, Program

By = str | Sequence[str] | Mapping[str, Sequence[str] | None]
"""Names of inputs; or names with the labels of the components wanted, None for all of them."""


@dataclass(frozen=True, slots=True)
class Directions:
    """The directions in one input.

    Attributes:
        row: the input.
        shape: the axes that the derivative adds to those of an output.
        moves: per direction, the change of every symbol that changes.
    """

    row: Input
    shape: tuple[int, ...]
    moves: tuple[Mapping[Node, Node], ...]


def names(rows: str | Sequence[str]) -> tuple[str, ...]:
    """One name or several as a tuple."""
    return (rows,) if isinstance(rows, str) else tuple(rows)


def directions(program: Program, by: By, *, tangent: bool = False) -> list[Directions]:
    """The directions in each input of `by`, in that order.

    Args:
        program: to be differentiated.
        by: inputs, or inputs with the labels of their components.
        tangent: along the columns of N(q) where an input has them.
    """
    wanted = by if isinstance(by, Mapping) else dict.fromkeys(names(by))
    return [_of_input(program.input(name), labels, tangent) for name, labels in wanted.items()]


def _of_input(row: Input, labels: Sequence[str] | None, tangent: bool) -> Directions:
    if tangent and row.tangent:
        if labels is not None:
            raise UnsupportedError(
                f"directions along the motion belong to no component of '{row.name}'",
                element="tangent",
                cure=f"leave tangent= out, or give by='{row.name}' without components",
            )
        return _along(row)
    if labels is None:
        return Directions(row, row.shape, tuple({s: ONE} for s in row.symbols))
    chosen = [row.symbols[_position(row, label)] for label in labels]
    return Directions(row, (len(chosen),), tuple({s: ONE} for s in chosen))


def _along(row: Input) -> Directions:
    """The columns of the input's tangent map."""
    columns = list(zip(*row.tangent, strict=True))
    moves = tuple(
        {s: x for s, x in zip(row.symbols, column, strict=True) if x is not ZERO}
        for column in columns
    )
    return Directions(row, (len(columns),), moves)


def _position(row: Input, label: str) -> int:
    if label not in row.labels:
        raise unknown("component", label, row.labels, f"input '{row.name}'")
    return row.labels.index(label)
