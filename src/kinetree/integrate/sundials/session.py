"""One integration by CVODE: the objects of the library, made and given back.

Callbacks are addresses of native functions with CVODE's own signatures; nothing of Python runs
while it integrates.

Refs: Hindmarsh2005
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import UnsupportedError
from kinetree.integrate.sundials.library import SundialsLibrary, require_library

FAMILIES = {"adams": 1, "bdf": 2}
"""Multistep method -> CVODE's number of it."""
COLUMNS, THREADS = 0, 1
"""The library's number of matrices in columns; threads of a factorisation."""
PATIENCE = 40
"""Reductions of a step before it is given up; a derivative that is not a number takes many."""
MEANINGS = {
    -1: "too much work", -2: "the tolerances are beyond the precision of the numbers",
    -3: "the error test fails again and again", -4: "the corrector does not converge",
    -5: "the linear solver cannot be set up", -6: "the linear system cannot be solved",
    -7: "the linear system is singular", -8: "the derivative failed",
    -9: "the derivative has no value at the start", -10: "the derivative has no value",
    -11: "the derivative has no value", -12: "the events have no value",
    -27: "the end is too near the start",
}  # fmt: skip
"""What CVODE's answers mean; others are told by their number."""


@dataclass(frozen=True)
class Setup:
    """What a session is made of.

    Attributes:
        family: adams or bdf.
        t: start [s].
        end: time beyond which it never goes [s].
        callbacks: addresses by name: rates, weights, and where wanted jacobian, roots, project.
        user: address that every callback receives.
        senses: per root function +1 rising, -1 falling, 0 both.
        max_step: longest step [s]; infinity leaves the choice to CVODE.
        entries: of a sparse Jacobian; none where it is full.
    """

    family: str
    t: float
    end: float
    callbacks: Mapping[str, int]
    user: int
    senses: tuple[int, ...] = ()
    max_step: float = float("inf")
    entries: int | None = None


@dataclass
class _Held:
    """Objects of the library, given back in reverse order of making."""

    library: SundialsLibrary
    objects: list[tuple[str, int]] = field(default_factory=list)

    def keep(self, free: str, address: int | None) -> int:
        if not address:
            raise UnsupportedError("SUNDIALS could not make an object", element="memory")
        self.objects.append((free, address))
        return address

    def release(self) -> None:
        while self.objects:
            free, address = self.objects.pop()
            # these two want the address of the pointer that they clear
            by_reference = free in {"CVodeFree", "SUNContext_Free"}
            holder = ctypes.c_void_p(address)
            self.library.call(free, ctypes.addressof(holder) if by_reference else address)


class Session:
    """A CVODE integration over vectors that belong to the caller.

    Attributes:
        memory: CVODE's own.
        y, work: its vectors over the caller's arrays: state, and results between steps.
        library: the functions.
    """

    def __init__(self, setup: Setup, y: Array, work: Array) -> None:
        self.library = require_library()
        self.setup = setup
        self._held = _Held(self.library)
        self._kept = (y, work, np.array(setup.senses, dtype=np.int32))
        weakref.finalize(self, self._held.release)
        self.context = self._make_context()
        self.y, self.work = (self._vector(array) for array in (y, work))
        created = self.library.call("CVodeCreate", FAMILIES[setup.family], self.context)
        self.memory = self._held.keep("CVodeFree", created)
        self._configure(y.size)

    def count(self, name: str) -> int:
        """A counter: NumSteps, NumRhsEvals, NumErrTestFails, NumStepSolveFails, NumJacEvals."""
        value = ctypes.c_long()
        self._do(f"CVodeGet{name}", ctypes.addressof(value))
        return value.value

    def _configure(self, size: int) -> None:
        setup, calls = self.setup, self.setup.callbacks
        self._do("CVodeInit", calls["rates"], setup.t, self.y)
        self._do("CVodeSetUserData", setup.user)
        self._do("CVodeWFtolerances", calls["weights"])
        self._linear(size)
        self._do("CVodeSetStopTime", setup.end)
        self._do("CVodeSetMaxConvFails", PATIENCE)
        self._do("CVodeSetMaxErrTestFails", PATIENCE)
        self._do("CVodeSetMaxHnilWarns", -1)
        if np.isfinite(setup.max_step):
            self._do("CVodeSetMaxStep", setup.max_step)
        if setup.senses:
            self._do("CVodeRootInit", len(setup.senses), calls["roots"])
            self._do("CVodeSetRootDirection", self._kept[2].ctypes.data)
            self._do("CVodeSetNoInactiveRootWarn")
        if "project" in calls and setup.family == "bdf":  # CVODE projects with BDF alone
            self._do("CVodeSetProjFn", calls["project"])
            self._do("CVodeSetProjErrEst", 0)

    def _linear(self, size: int) -> None:
        """Newton's iteration, with a full matrix from native code or by differences, or sparse."""
        call, entries = self.library.call, self.setup.entries
        if entries is not None:
            self.library.require_sparse(size)
            matrix = call("SUNSparseMatrix", size, size, entries, COLUMNS, self.context)
            self._held.keep("SUNMatDestroy", matrix)
            solver = call("SUNLinSol_SuperLUMT", self.y, matrix, THREADS, self.context)
            self._held.keep("SUNLinSolFree", solver)
            self._do("CVodeSetLinearSolver", solver, matrix)
            self._do("CVodeSetJacFn", self.setup.callbacks["columns"])
            return
        matrix = call("SUNDenseMatrix", size, size, self.context)
        self._held.keep("SUNMatDestroy", matrix)
        solver = call("SUNLinSol_Dense", self.y, matrix, self.context)
        self._held.keep("SUNLinSolFree", solver)
        self._do("CVodeSetLinearSolver", solver, matrix)
        if "jacobian" in self.setup.callbacks:
            self._do("CVodeSetJacFn", self.setup.callbacks["jacobian"])

    def _make_context(self) -> int:
        holder = ctypes.c_void_p()
        self.library.call("SUNContext_Create", 0, ctypes.addressof(holder))
        context = self._held.keep("SUNContext_Free", holder.value)
        # answers are read from return values, nothing is printed
        self.library.call("SUNContext_ClearErrHandlers", context)
        return context

    def _vector(self, array: Array) -> int:
        made = self.library.call("N_VMake_Serial", array.size, array.ctypes.data, self.context)
        return self._held.keep("N_VDestroy", made)

    def _do(self, name: str, *arguments: Any) -> None:
        """Call a function of the memory; an answer below zero is an error."""
        answer = self.library.call(name, self.memory, *arguments)
        if answer < 0:
            raise UnsupportedError(f"{name} answers {answer}", element="library SUNDIALS")


def meaning(answer: int) -> str:
    """What an answer of CVODE says, in words."""
    return MEANINGS.get(answer, f"CVODE answers {answer}")
