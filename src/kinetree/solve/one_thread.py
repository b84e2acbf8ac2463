"""Linear algebra of small matrices on one thread: more of them wait for each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread() -> Iterator[None]:
    """Let NumPy's and SciPy's libraries use one thread, where the package threadpoolctl is there.

    Matrices of a hundred rows take a millisecond on one thread; on as many threads as there are
    cores, and these busy with something else, they take ten times as long.
    """
    try:
        from threadpoolctl import threadpool_limits  # noqa: PLC0415  an optional package
    except ImportError:
        yield
        return
    with threadpool_limits(1):
        yield
