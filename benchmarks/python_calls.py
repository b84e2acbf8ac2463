"""One call from Python: microseconds over the native code, for arrays of the right type.

    python -m benchmarks.python_calls

Native is the time of a bare ctypes call of the function's address less that of one that does
nothing.  Processor time of the thread; the minimum of the repeats counts.
"""

from __future__ import annotations

import ctypes
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks import report
from benchmarks.models import urdf_path

CASES = (
    ("ur5", "inverse", ("q", "qd", "qdd")),
    ("ur5", "forward", ("q", "qd", "tau")),
    ("panda", "forward", ("q", "qd", "tau")),
)
WANTED = 2.0
"""Microseconds over native at most."""
CALLS, REPEATS = 2000, 60
POINTERS = [ctypes.c_void_p] * 3


def least(call: Callable[[], Any]) -> float:
    """Microseconds of one call."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.thread_time()
        for _ in range(CALLS):
            call()
        best = min(best, time.thread_time() - start)
    return 1e6 * best / CALLS


def native(function: Any, rows: list[Any]) -> float:
    """Microseconds of the native code."""
    x, y = np.concatenate(rows), np.zeros(function.sizes["y"])
    places = [row.ctypes.data for row in (x, function.preamble_values(), y)]
    bare = ctypes.CFUNCTYPE(None, *POINTERS)(function.address)
    nothing = ctypes.cast(ctypes.CDLL(None).labs, ctypes.c_void_p).value or 0
    idle = ctypes.CFUNCTYPE(None, *POINTERS)(nothing)
    return least(lambda: bare(*places)) - least(lambda: idle(*places))


def measure() -> dict[str, Any]:
    """The table."""
    warnings.simplefilter("ignore")
    rows = []
    for name, quantity, inputs in CASES:
        model = kt.load(urdf_path(name))
        function = kt.derive(model, quantity).compile()
        arrays = {
            word: np.full(model.nq if word == "q" else model.nv, 0.1 * k)
            for k, word in enumerate(inputs, 1)
        }
        whole = least(lambda f=function, a=arrays: f(**a))  # type: ignore[misc]
        code = native(function, list(arrays.values()))
        rows.append([name, quantity, whole, code, whole - code, WANTED])
    report.show(
        "one call from Python",
        ("model", "quantity", "µs", "native µs", "over µs", "wanted µs"),
        rows,
    )
    return {"rows": rows}


if __name__ == "__main__":
    measure()
