"""What data cannot tell, in words and by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinetree.analysis.identifying.columns import ParameterColumns
from kinetree.arrays import Array
from kinetree.formalism.base_columns import dependencies

SMALL = 1e-3
"""Share of its column that the data tell of a parameter, below which they tell nothing of it; share
of a sum below which a term is not written."""
FACTORED = 2
"""Terms of one coefficient above which it is written once."""
FAINT = 1e-6
"""Share of the largest coefficient below which one is rounding."""


def meaning(columns: ParameterColumns) -> dict[str, str]:
    """Every base parameter with the sum of parameters that it stands for (eq. 5)."""
    kept, left, beta = columns.base
    names = columns.names
    found = {}
    for b, row in zip(kept, beta, strict=True):
        least = FAINT * max(1.0, np.abs(row).max(initial=0.0))
        others = ((c, names[d]) for c, d in zip(row, left, strict=True) if abs(c) > least)
        found[names[b]] = _sum([(1.0, names[b]), *others])
    return found


def idle(columns: ParameterColumns) -> list[str]:
    """Names of parameters on which nothing that is measured depends."""
    _, left, beta = columns.base
    return [columns.names[d] for d, column in zip(left, beta.T, strict=True) if not column.any()]


def sentences(names: Sequence[str], untold: Array, sizes: Array) -> list[str]:
    """What the data do not tell of base parameters.

    Args:
        names: of the base parameters.
        untold: combinations that change nothing in the data, one per row.
        sizes: lengths of the columns of the parameters, by which they are compared.
    """
    if not len(untold):
        return []
    lost = np.linalg.svd(untold * sizes, full_matrices=False)[2]
    told = np.eye(len(names)) - lost.T @ lost  # of parameters times their sizes
    seen = np.flatnonzero(np.linalg.norm(told, axis=0) > SMALL)
    gone = set(range(len(names))).difference(seen.tolist())
    lost_names = [names[k] for k in sorted(gone)]
    found = [f"the data do not tell {name}: the motion does not excite it" for name in lost_names]
    kept, left, beta = dependencies(told[:, seen])
    for b, row in zip(seen[kept], beta, strict=True):
        others = [(c, seen[d]) for c, d in zip(row, left, strict=True) if abs(c) > SMALL]
        if others:
            found.append(_sum_alone(names, sizes, b, others))
    return found


def _sum_alone(
    names: Sequence[str], sizes: Array, first: int, others: Sequence[tuple[float, int]]
) -> str:
    """That a sum is told and its parts are not."""
    terms = [(c * sizes[d] / sizes[first], names[d]) for c, d in others]
    parts = [names[first], *(name for _, name in terms)]
    listed = f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"the data tell {_sum([(1.0, names[first]), *terms])}, not {listed} alone"


def _sum(terms: Sequence[tuple[float, str]]) -> str:
    """A sum as one writes it: "a + 0.5 b - c"; what many terms share stands before them."""
    groups: dict[str, list[tuple[float, str]]] = {}
    for c, name in terms:
        size = "" if abs(abs(c) - 1) < 1e-9 else f"{abs(c):.5g} "
        groups.setdefault(size, []).append((c, name))
    text = ""
    for size, row in groups.items():
        if size and len(row) > FACTORED:
            sign = 1.0 if row[0][0] > 0 else -1.0
            inner = _sum([(np.sign(c) * sign, name) for c, name in row])
            row = [(sign, f"({inner})")]  # noqa: PLW2901
        for c, name in row:
            mark = "-" if c < 0 else "+" if text else ""
            text += f" {mark} {size}{name}" if text else f"{mark}{size}{name}"
    return text
