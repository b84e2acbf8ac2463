"""The arena: Nodes that nobody holds go, memory comes back, and depth is no obstacle."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

from kinetree import engine as en
from kinetree.engine.arena import NODE_BYTES

REBUILT = 1e-10  # the same sums in another order

LONG = 200_000
DEEP = 10_000
"""Nodes in a row: far beyond Python's depth of calls."""


def work(n: int) -> en.Node:
    """An expression with many short-lived ones behind it."""
    total = en.ZERO
    for k in range(n):
        s = en.symbol(f"s{k % 17}")
        total = total + en.sin(s * k) * (s + k) / (1 + s**2)
    return total


def test_release_brings_the_count_back() -> None:
    with en.fresh_arena() as arena:
        start = len(arena)
        mark = arena.mark()
        made = work(50)
        full = len(arena)
        gone = arena.release(mark)
        assert gone > 0.3 * full
        assert len(arena) == full - gone
        assert all(node in arena.table.values() for node in en.topological((made,)))
        del made
        arena.release(mark)
        assert len(arena) == start
        assert arena.peak == full
        assert arena.born == full
        assert arena.released == full - start


def test_held_nodes_stay_the_same_objects() -> None:
    with en.fresh_arena() as arena:
        a, b = en.symbol("a"), en.symbol("b")
        mark = arena.mark()
        kept = en.sin(a + b) * 2
        work(20)
        arena.release(mark)
        assert en.sin(b + a) * 2 is kept
        assert kept.args[0] is en.sin(a + b)


def test_a_copy_is_the_node_itself() -> None:
    node = en.sin(en.symbol("a")) + 1
    assert copy.copy(node) is node
    assert copy.deepcopy([node])[0] is node
    with pytest.raises(TypeError, match="send its text"):
        pickle.dumps(node)


def test_marks_nest() -> None:
    with en.fresh_arena() as arena:
        outer = arena.mark()
        a = en.symbol("a")
        inner = arena.mark()
        work(10)
        arena.release(inner)
        assert en.symbol("a") is a
        work(10)
        arena.release(outer)
        assert len(en.symbols((a,))) == 1
        del a
        assert arena.release(outer) == 1
        assert arena.release(10**9) == 0


def test_a_fresh_arena_is_apart() -> None:
    outside = len(en.current())
    with en.fresh_arena() as arena:
        work(30)
        assert en.current() is arena
        assert en.number(0) is en.ZERO
        assert len(arena) > 100
    assert len(en.current()) == outside


MEASURE = """
import tracemalloc
from kinetree import engine as en
with en.fresh_arena() as arena:
    mark = arena.mark()
    tracemalloc.start()
    base, _ = tracemalloc.get_traced_memory()
    made = [en.symbol(f"s{k}") * en.symbol(f"s{k + 1}") + k for k in range(12_000)]
    held, _ = tracemalloc.get_traced_memory()
    count = len(arena) - mark
    made.clear()
    arena.release(mark)
    left, _ = tracemalloc.get_traced_memory()
    print(held - base, left - base, count, arena.peak_bytes)
"""


def test_memory_comes_back() -> None:
    """In a process of its own, so that nothing else allocates meanwhile."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE], check=True, capture_output=True, text=True
    )
    held, left, count, peak = map(int, done.stdout.split())
    assert left < 0.05 * held
    assert 0.5 * NODE_BYTES < held / count < 1.5 * NODE_BYTES
    assert peak >= count * NODE_BYTES


def chain(length: int) -> tuple[en.Node, en.Node, en.Node]:
    """x, y and an expression in which each Node but the first two stands on the one before."""
    x, y = node, _ = en.symbol("x"), en.symbol("y")
    for k in range(length):
        node = en.atan(node) if k % 2 else node + y
    return x, y, node


def test_hundreds_of_thousands_in_a_row_are_made_counted_evaluated_and_freed() -> None:
    with en.fresh_arena() as arena:
        x, y, node = chain(LONG)
        assert len(en.topological((node,))) == LONG + 2
        assert en.count((node,)) == en.OperationCount(add=LONG // 2, call=LONG // 2)
        assert np.isfinite(en.evaluate((node,), {x: 0.5, y: 0.1})[0])
        assert len(str(node)) > 5 * LONG
        assert arena.peak >= LONG
        del node, x, y
        arena.release()
        assert len(arena) == 3


def test_depth_is_no_obstacle_to_anything() -> None:
    with en.fresh_arena():
        x, y, node = chain(DEEP)
        assert set(en.symbols((node,))) == {x, y}
        assert node.key[0] == en.Rank.FUNCTION
        assert en.latex(node).count(r"\left(") == DEEP // 2
        assert en.dot((node,)).count("->") == DEEP + DEEP // 2
        assert en.substitute((node,), {x: y, y: x})[0] is not node
        assert en.use_counts((node,))[y] == DEEP // 2
        slope, other = en.derivative(node, x), en.partials(node)[x]
        a, b = en.evaluate((slope, other), {x: 0.5, y: 0.1})
        assert a == pytest.approx(b, rel=REBUILT)


def test_wide_sums_and_shared_graphs() -> None:
    with en.fresh_arena():
        wide = en.add(*[en.symbol(f"s{k}") for k in range(30_000)])
        assert en.count((wide,)).add == 29_999
        shared = en.symbol("x")
        for _ in range(1000):
            shared = en.sin(shared) * en.exp(shared) + shared
        assert len(en.topological((shared,))) == 4001
        assert len(en.use_counts((shared,))) == 4001


def test_the_collector_rests_and_comes_back() -> None:
    import gc

    assert gc.isenabled()
    with en.pause_collector():
        assert not gc.isenabled()
        with en.pause_collector():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
