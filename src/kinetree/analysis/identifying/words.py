"""What data cannot tell, in words and by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kinetree.analysis.identifying.columns import ParameterColumns
from kinetree.arrays import Array
from kinetree.formalism.base_columns import dependencies

SMALL = 1e-3
"""Share of the largest coefficient below which one is not written."""


def meaning(columns: ParameterColumns) -> dict[str, str]:
    """Every base parameter with the sum of parameters that it stands for (eq. 5)."""
    kept, left, beta = columns.base
    names = columns.names
    found = {}
    for b, row in zip(kept, beta, strict=True):
        terms = [(1.0, names[b]), *((c, names[d]) for c, d in zip(row, left, strict=True) if c)]
        found[names[b]] = _sum(terms)
    return found


def idle(columns: ParameterColumns) -> list[str]:
    """Names of parameters on which nothing that is measured depends."""
    _, left, beta = columns.base
    return [columns.names[d] for d, column in zip(left, beta.T, strict=True) if not column.any()]


def sentences(names: Sequence[str], untold: Array) -> list[str]:
    """What the data do not tell of base parameters.

    Args:
        names: of the base parameters.
        untold: combinations that change nothing in the data, one per row.
    """
    if not len(untold):
        return []
    rows = np.eye(len(names)) - np.linalg.pinv(untold) @ untold  # what is told
    kept, left, beta = dependencies(rows)
    return list(_speak(names, kept, left, beta))


def _speak(
    names: Sequence[str], kept: Sequence[int], left: Sequence[int], beta: Array
) -> Iterator[str]:
    for d, column in zip(left, beta.T, strict=True):
        largest = np.abs(column).max(initial=0.0)
        if largest < SMALL:
            yield f"the data do not tell {names[d]}: the motion does not excite it"
            continue
        for b, c in zip(kept, column, strict=True):
            if abs(c) > SMALL * largest:
                text = _sum([(1.0, names[b]), (c, names[d])])
                yield f"the data tell {text}, not {names[b]} and {names[d]} alone"


def _sum(terms: Sequence[tuple[float, str]]) -> str:
    """A sum as one writes it: "a + 0.5 b - c"."""
    largest = max(abs(c) for c, _ in terms)
    text = ""
    for c, name in terms:
        if abs(c) <= SMALL * 1e-3 * largest:
            continue
        sign = "-" if c < 0 else "+" if text else ""
        size = "" if abs(abs(c) - 1) < 1e-9 else f"{abs(c):.5g} "
        text += f" {sign} {size}{name}" if text else f"{sign}{size}{name}"
    return text
