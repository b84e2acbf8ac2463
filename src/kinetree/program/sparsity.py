"""Zeros of matrices: what a factorisation fills, known before any number is.

Refs: Featherstone2008 sec. 6.5
"""

from __future__ import annotations

from collections.abc import Iterable


def filled(lower: Iterable[Iterable[int]]) -> list[set[int]]:
    """Columns left of the diagonal that are not zero in L of A = Lᵀ D L, fill-in included.

    Args:
        lower: per row of A, the columns left of the diagonal that are not zero.
    """
    rows = [set(row) for row in lower]
    for k in reversed(range(len(rows))):
        for i in rows[k]:
            rows[i] |= {j for j in rows[k] if j < i}
    return rows


def factor_products(rows: Iterable[set[int]]) -> int:
    """Products that Lᵀ D L takes; `rows` are those of `filled`."""
    return sum(len(row) * (len(row) + 3) // 2 for row in rows)


__all__ = ["factor_products", "filled"]
