"""Matching and strong components of patterns, against their definitions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from kinetree.program.sparsity import Pattern, match, strong_components

LONG = 20_000


def patterns(count: int, square: bool = False) -> list[Pattern]:
    """Small random patterns of any shape."""
    rng = np.random.default_rng(1)
    found: list[Pattern] = []
    for _ in range(count):
        rows, columns = rng.integers(1, 7, 2)
        full = rng.random((rows, rows if square else columns)) < rng.choice([0.2, 0.35, 0.6])
        found.append([np.flatnonzero(row).tolist() for row in full])
    return found


def most(pattern: Pattern) -> int:
    """Rows that can have a column of their own, by Hall's theorem over all sets of rows."""
    rows = range(len(pattern))
    sets = [some for n in rows for some in combinations(rows, n + 1)]
    short = [len(some) - len({c for row in some for c in pattern[row]}) for some in sets]
    return len(pattern) - max(0, *short)


@pytest.mark.parametrize("last_first", [False, True])
def test_a_matching_gives_as_many_rows_as_can_be_a_column_of_their_own(last_first: bool) -> None:
    for pattern in patterns(300):
        found = match(pattern, last_first=last_first)
        assert all(column in pattern[row] for column, row in found.items())
        assert len(set(found.values())) == len(found) == most(pattern)


def test_a_matching_keeps_its_start_where_that_leaves_no_row_out() -> None:
    for pattern in patterns(100, square=True):
        own = [sorted({*row, i}) for i, row in enumerate(pattern)]
        start = {i: i for i in range(len(own))}
        assert match(own, start) == start


def reach(needs: Pattern, start: int) -> set[int]:
    found, stack = {start}, [start]
    while stack:
        more = [c for c in needs[stack.pop()] if c not in found]
        found.update(more)
        stack += more
    return found


def test_strong_components_need_each_other_and_stand_after_what_they_need() -> None:
    for needs in patterns(300, square=True):
        parts = strong_components(needs)
        assert sorted(k for part in parts for k in part) == list(range(len(needs)))
        seen = [reach(needs, k) for k in range(len(needs))]
        done: set[int] = set()
        for part in parts:
            assert part == sorted(part)
            assert all(b in seen[a] for a in part for b in part)
            done.update(part)
            assert all(seen[k] <= done for k in part)


def test_long_chains_need_neither_recursion_nor_quadratic_time() -> None:
    chain = [[k, k + 1] for k in range(LONG - 1)] + [[LONG - 1]]
    assert match(chain[::-1]) == {k: LONG - 1 - k for k in range(LONG)}
    assert strong_components(chain) == [[k] for k in reversed(range(LONG))]
    assert strong_components([*chain[:-1], [0]]) == [list(range(LONG))]
