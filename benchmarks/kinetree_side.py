"""kinetree as a contender: its native functions, called through their C address."""

from __future__ import annotations

import ctypes
import time
import warnings
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from tests.crosscheck.pinocchio_adapter import Twin, urdf_twin

import kinetree as kt
from benchmarks.models import floating, urdf_path
from benchmarks.native_build import timing_loops

if TYPE_CHECKING:
    from benchmarks.pinocchio_side import States

LARGEST = {  # degrees of freedom that derive and compile in reasonable time
    "inverse": 300,
    "mass_bias": 40,
    "forward": 300,
    "inverse_derivatives": 40,
    "forward_derivatives": 40,
}
LARGEST_CHOLESKY = 40
WAYS = ("folded", "run-time")
OUTPUTS = {  # what Pinocchio gives, in its order
    "inverse": ("tau",),
    "mass_bias": ("M", "c"),
    "forward": ("qdd",),
    "inverse_derivatives": ("dtau_dq", "dtau_dqd", "dtau_dqdd"),
    "forward_derivatives": ("dqdd_dq", "dqdd_dqd", "dqdd_dtau"),
}


class Timed:
    """A compiled Program with the benchmark's states."""

    def __init__(self, program: kt.Program, rows: dict[str, np.ndarray]) -> None:
        start = time.perf_counter()
        self.function = program.compile()
        self.compile_seconds = time.perf_counter() - start
        count = program.count()
        self.operations = int(count.add + count.mul + count.div + count.neg + count.call)
        names = [row.name for row in program.inputs if not row.parameter]
        self.first = {name: rows[name][0] for name in names}
        self.x = np.ascontiguousarray(np.concatenate([rows[name] for name in names], axis=1))
        self.loops = ctypes.CDLL(str(timing_loops()))

    def time(self, repeats: int, seconds: float) -> float:
        """Nanoseconds per call: minimum over the repeats."""
        constants = np.ascontiguousarray(self.function.preamble_values())
        return self.time_of(self.function.address, constants, repeats, seconds)

    def time_of(
        self, address: int | None, constants: np.ndarray, repeats: int, seconds: float
    ) -> float:
        """Likewise, of another function with the same arguments, by its address."""
        y, best = np.zeros(self.function.sizes["y"]), np.zeros(2)
        call = self.loops.measure_plain
        call.argtypes = [
            ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p,
            ctypes.c_int, ctypes.c_double, ctypes.c_void_p,
        ]  # fmt: skip
        call.restype = None
        call(
            address, self.x.ctypes.data, self.x.shape[1], constants.ctypes.data,
            y.ctypes.data, repeats, seconds, best.ctypes.data,
        )  # fmt: skip
        return float(best[0])

    def values(self) -> dict[str, np.ndarray]:
        """The outputs for the first state."""
        found: dict[str, np.ndarray] = self.function(**self.first)
        return found


class Side:
    """One model with its native functions, made when they are first wanted."""

    def __init__(self, name: str, states: States) -> None:
        self.name, self.states = name, states
        path = urdf_path(name)
        self.model = kt.load(path, floating=floating(name))
        self.twin: Twin = urdf_twin(self.model, path, floating(name))
        self.made: dict[str, dict[str, Timed]] = {}

    @cached_property
    def rows(self) -> dict[str, np.ndarray]:
        """The benchmark's states in our order and conventions."""
        q, v = self.twin.q_from, self.twin.v_from
        u = self.states.u[:, v]
        return {"q": self.states.q[:, q], "qd": self.states.v[:, v], "qdd": u, "tau": u}

    def contenders(self, quantity: str) -> dict[str, Timed]:
        """Label -> native function of a quantity."""
        if quantity not in self.made:
            self.made[quantity] = {
                label: Timed(program, self.rows)
                for label, program in self.programs(quantity).items()
            }
        return self.made[quantity]

    def programs(self, quantity: str) -> dict[str, kt.Program]:
        """The ways worth timing; folded parameters first, as the peers' constants are."""
        if self.model.nv > LARGEST.get(quantity, 0):
            return {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if quantity != "forward":
                return {way: kt.derive(self.model, quantity, parameters=way) for way in WAYS}
            found = {"order_n folded": self.forward("order_n", "folded")}
            if self.model.nv <= LARGEST_CHOLESKY:
                found["cholesky folded"] = self.forward("newton_euler", "folded")
            found["default run-time"] = self.forward(None, "run-time")
            return found

    def forward(self, formalism: str | None, way: str) -> kt.Program:
        """Forward dynamics."""
        return kt.derive(self.model, "forward", formalism=formalism, parameters=way)

    def error(self, quantity: str, reference: np.ndarray) -> float | None:
        """Largest deviation from Pinocchio's values at the first state, relative to the largest."""
        found = self.contenders(quantity)
        if not found:
            return None
        theirs = self.in_our_order(quantity, reference)
        worst = 0.0
        for function in found.values():
            out = function.values()
            ours = np.concatenate([out[name].ravel() for name in OUTPUTS[quantity]])
            worst = max(worst, float(np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs))))
        return worst

    def in_our_order(self, quantity: str, reference: np.ndarray) -> np.ndarray:
        """Pinocchio's numbers, matrices first, permuted to our velocities."""
        n = self.model.nv
        matrices = {"mass_bias": 1, "inverse_derivatives": 3, "forward_derivatives": 3}
        cut = matrices.get(quantity, 0) * n * n
        blocks = reference[:cut].reshape(-1, n, n)
        parts = [self.twin.ours_matrix(block).ravel() for block in blocks]
        rest = reference[cut:]
        return np.concatenate([*parts, self.twin.ours(rest) if len(rest) else rest])
