"""Processor time of gradients: the whole call, and the native loops inside it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from kinetree.integrate.loops.backward import BackwardMarch
from kinetree.integrate.loops.backward_steps import StepsBack
from kinetree.integrate.loops.equal_steps import March
from kinetree.integrate.loops.slices import Slices

REPEATS = 3
NATIVE: tuple[tuple[type[Any], str, str], ...] = (
    (Slices, "advance", "forward"), (March, "advance", "forward"),
    (BackwardMarch, "back", "back"), (StepsBack, "run", "back"),
)  # fmt: skip


@contextmanager
def native_time() -> Iterator[Counter[str]]:
    """Processor time inside native loops, forward and back [s]."""
    spent: Counter[str] = Counter()
    kept = [(owner, name, getattr(owner, name)) for owner, name, _ in NATIVE]

    def timed(function: Callable[..., Any], kind: str) -> Callable[..., Any]:
        def call(*args: Any, **given: Any) -> Any:
            began = time.process_time()
            found = function(*args, **given)
            spent[kind] += time.process_time() - began  # type: ignore[assignment]
            return found

        return call

    for (owner, name, function), (_, _, kind) in zip(kept, NATIVE, strict=True):
        setattr(owner, name, timed(function, kind))
    try:
        yield spent
    finally:
        for owner, name, function in kept:
            setattr(owner, name, function)


def least(call: Callable[[], Any]) -> tuple[float, Counter[str], Any]:
    """Least processor time of some calls, their native parts, and the result."""
    call()
    best: tuple[float, Counter[str], Any] | None = None
    for _ in range(REPEATS):
        with native_time() as spent:
            began = time.process_time()
            found = call()
            whole = time.process_time() - began
        if best is None or sum(spent.values()) < sum(best[1].values()):
            best = whole, spent, found
    assert best is not None
    return best
