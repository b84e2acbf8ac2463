"""Batches: time per state and core of a batch of 4096 against one native call per state.

Both are timed in the native loop; a third column adds what a call from Python costs (checks,
fresh result arrays).
"""

from __future__ import annotations

import ctypes
import sys
import time
from typing import Any

import numpy as np

from benchmarks import report
from benchmarks.kinetree_side import Side, Timed
from benchmarks.pinocchio_side import random_states, read_model

SIZE = 4096
WANTED = 4.0
MODELS = ("ur5", "panda", "anymal", "talos", "chain30")
REPEAT_SECONDS = 1e-3


def batch_rows(timed: Timed, side: Side) -> dict[str, np.ndarray]:
    """The benchmark's states, repeated to the size of the batch."""
    copies = SIZE // len(side.rows["q"])
    return {name: np.tile(side.rows[name], (copies, 1)) for name in timed.first}


def kernel_ns(timed: Timed, rows: dict[str, np.ndarray], repeats: int) -> float:
    """Nanoseconds per state of the batch kernel alone, minimum over the repeats."""
    function = timed.function
    kernel = function.kernels.batch(constant_lanes=False)
    inputs = [np.ascontiguousarray(row) for row in rows.values()]
    results = [np.zeros((SIZE, port.size)) for port in function.outputs]
    table = np.array([(a.ctypes.data, a.shape[1]) for a in inputs], dtype=np.int64)
    targets = np.array([a.ctypes.data for a in results], dtype=np.int64)
    constants = np.ascontiguousarray(function.preamble_values())
    work = np.zeros(kernel.work + 8)
    aligned = -(-work.ctypes.data // 64) * 64
    best = np.zeros(2)
    call = timed.loops.measure_batch
    call.argtypes = [
        ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_longlong,
        ctypes.c_void_p, ctypes.c_int, ctypes.c_double, ctypes.c_void_p,
    ]  # fmt: skip
    call.restype = None
    call(kernel.address, table.ctypes.data, constants.ctypes.data, targets.ctypes.data, SIZE,
         aligned, repeats, REPEAT_SECONDS, best.ctypes.data)  # fmt: skip
    return float(best[0]) / SIZE


def python_ns(timed: Timed, rows: dict[str, np.ndarray], repeats: int) -> float:
    """Nanoseconds of thread CPU time per state of a call from Python, minimum over the repeats."""
    best = float("inf")
    for _ in range(repeats):
        start = time.thread_time()
        timed.function(**rows, threads=1)
        best = min(best, time.thread_time() - start)
    return best / SIZE * 1e9


def compare(timed: Timed, rows: dict[str, np.ndarray], rounds: int) -> dict[str, float]:
    """Single call, batch kernel and batch from Python, alternating."""
    best = {"single_ns": float("inf"), "kernel_ns": float("inf"), "python_ns": float("inf")}
    timed.function(**rows, threads=1)
    for _ in range(rounds):
        best["single_ns"] = min(best["single_ns"], timed.time(20, REPEAT_SECONDS))
        best["kernel_ns"] = min(best["kernel_ns"], kernel_ns(timed, rows, 20))
        best["python_ns"] = min(best["python_ns"], python_ns(timed, rows, 20))
    return best


def measure(quick: bool = False) -> dict[str, Any]:
    """Ratios for the robots and a chain."""
    rows: list[dict[str, Any]] = []
    for name in MODELS[:2] if quick else MODELS:
        side = Side(name, random_states(read_model(name)))
        for quantity in ("inverse", "forward"):
            for label, timed in side.contenders(quantity).items():
                best = compare(timed, batch_rows(timed, side), 2 if quick else 5)
                ratio = best["single_ns"] / best["kernel_ns"]
                rows.append({"model": name, "quantity": quantity, "way": label, **best,
                             "ratio": ratio})  # fmt: skip
    report.show(
        f"batch of {SIZE} states on one core",
        ("model", "quantity", "way", "single call ns", "batch ns per state", "from Python ns",
         "single / batch"),
        [[*list(row.values())[:-1], report.verdict(row["ratio"], WANTED)] for row in rows],
    )  # fmt: skip
    return {"rows": rows}


if __name__ == "__main__":
    measure("--quick" in sys.argv)
