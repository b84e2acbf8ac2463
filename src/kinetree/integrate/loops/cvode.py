"""Integration by SUNDIALS' CVODE with native derivatives, Jacobian and events.

Refs: Hindmarsh2005
"""

from __future__ import annotations

import numpy as np

from kinetree.arrays import Array
from kinetree.integrate.loops.adapters import CALLBACKS, LOOP, adapters_text
from kinetree.integrate.loops.layout import FAILED, NOT_FINITE, TOO_SMALL
from kinetree.integrate.loops.slices import CALL, Slices
from kinetree.integrate.problem import Native, Problem, Settings, SparseColumns
from kinetree.integrate.sundials.library import SundialsLibrary, require_library
from kinetree.integrate.sundials.session import Session, Setup, meaning
from kinetree.targets.native.compile import jit
from kinetree.targets.native.function import address

NO_VALUE = frozenset({-8, -9, -10, -11})
"""CVODE's answers where the derivative has no value."""
STALLED = -3
"""The answer a run that does not get ahead would deserve: the error test fails."""
NO_STEP = frozenset({STALLED, -4})
"""CVODE's answers where no step is small enough."""
NEAR = 1e-3
"""Share of the time reached within which a derivative without value explains a failure."""


@jit.one_library
def adapters() -> jit.Library:
    """The compiled loop and callbacks; one for all problems."""
    return jit.stored_text(adapters_text(), (LOOP, *CALLBACKS.values()))


class Cvode(Slices):
    """A run by CVODE, Adams or backward differentiation formulas of variable order."""

    def __init__(self, family: str, problem: Problem, native: Native, settings: Settings) -> None:
        library = require_library()
        super().__init__(problem, native, settings)
        linked = adapters().addresses
        self._call = CALL(linked[LOOP])
        self._user = np.array([address(self.state), address(self.table)], dtype=np.int64)
        self._found = np.zeros(max(self.layout.events, 1), dtype=np.int32)
        self._record_start()
        self._memories = np.array(problem.memories, dtype=np.int64)
        self._enter({"memories": address(self._memories), "memory_count": len(self._memories)})
        self.state[self.layout.vector("y_new")] = self.y
        self.state[self.layout.event_vector("g_old")] = self.known_sides()
        senses = tuple(row.direction for row in problem.watches[: self.layout.events])
        setup = Setup(
            family, self.t, self["end"], self._callbacks(), address(self._user), senses,
            settings.max_step, None if native.columns is None else native.columns.rows.size,
        )  # fmt: skip
        self.session = Session(setup, self.y, self.state[self.layout.vector("work")])
        self._enter({
            "cvode": self.session.memory, "cvode_y": self.session.y,
            "cvode_work": self.session.work, "cvode_step": library.address("CVode"),
            "cvode_stop": library.address("CVodeSetStopTime"),
            "cvode_between": library.address("CVodeGetDky"),
            "cvode_roots": library.address("CVodeGetRootInfo"),
            "vector_data": library.address("N_VGetArrayPointer"),
            "matrix_data": library.address("SUNDenseMatrix_Data"),
            "roots_found": address(self._found),
        })  # fmt: skip
        if native.columns is not None:
            self._enter_columns(library, native.columns)

    def _enter_columns(self, library: SundialsLibrary, columns: SparseColumns) -> None:
        """Where the entries of a sparse Jacobian stand, in integers of the library's width."""
        rows, starts = (a.astype(library.index) for a in (columns.rows, columns.starts))
        self._held += [rows, starts]
        self._enter({
            "sparse_count": rows.size, "sparse_rows": rows.ctypes.data,
            "sparse_starts": starts.ctypes.data, "sparse_row_bytes": rows.nbytes,
            "sparse_start_bytes": starts.nbytes,
            "matrix_data": library.address("SUNSparseMatrix_Data"),
            "matrix_rows": library.address("SUNSparseMatrix_IndexValues"),
            "matrix_starts": library.address("SUNSparseMatrix_IndexPointers"),
        })  # fmt: skip

    def _callbacks(self) -> dict[str, int]:
        linked, needs = adapters().addresses, {"weights": "rates", "roots": "event"}
        needs["columns"] = "jacobian"
        own = len(self._memories) > 0  # the loop keeps what is projected
        return {
            name: linked[entry]
            for name, entry in CALLBACKS.items()
            if needs.get(name, name) in self.kernels and not (own and name == "project")
        }

    def _slice(self, budget: int) -> int:
        status = int(self._call(address(self.state), address(self.table), budget))
        return self._failure(status) if status in {FAILED, TOO_SMALL} else status

    def _failure(self, status: int) -> int:
        """Why CVODE gave up."""
        answer = int(self["flag"]) if status == FAILED else STALLED
        near = abs(self["bad_t"] - self.t) <= NEAR * max(abs(self.t), abs(self["end"] - self["t0"]))
        if self["bad_index"] >= 0 and (answer in NO_VALUE or (answer in NO_STEP and near)):
            return NOT_FINITE
        return TOO_SMALL if answer in NO_STEP else FAILED

    def _counts(self) -> tuple[int, int, int]:
        count = self.session.count
        jacobians = count("NumJacEvals") if self["steps"] else 0
        return count("NumSteps"), int(self["evaluations"]), jacobians

    def _message(self) -> str:
        return meaning(int(self["flag"])) if self["flag"] < 0 else ""

    def _fault(self) -> tuple[float, Array]:
        return self["bad_t"], self.state[self.layout.vector("stage")].copy()
