"""The C functions of SUNDIALS' CVODE, found inside Python packages that carry the libraries.

Neither package promises these symbols, so each one is looked up before use, and a release other
than 7 is refused.  Sizes are passed as 64-bit integers; with 32-bit indices the callee takes the
lower half.  Vectors and matrices are reached through access functions only, since their layout
depends on the width of an index.

Refs: Hindmarsh2005
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.errors import UnsupportedError

PTR, REAL, INT, LONG = ctypes.c_void_p, ctypes.c_double, ctypes.c_int, ctypes.c_long
INDEX = ctypes.c_int64
VERSION = "SUNDIALSGetVersionNumber"
RELEASE = 7
"""Main release whose signatures these are."""

SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    VERSION: (INT, (PTR, PTR, PTR, PTR, INT)),
    "SUNContext_Create": (INT, (INT, PTR)),
    "SUNContext_Free": (INT, (PTR,)),
    "SUNContext_ClearErrHandlers": (INT, (PTR,)),
    "N_VMake_Serial": (PTR, (INDEX, PTR, PTR)),
    "N_VDestroy": (None, (PTR,)),
    "N_VGetArrayPointer": (PTR, (PTR,)),
    "SUNDenseMatrix": (PTR, (INDEX, INDEX, PTR)),
    "SUNDenseMatrix_Data": (PTR, (PTR,)),
    "SUNMatDestroy": (None, (PTR,)),
    "SUNLinSol_Dense": (PTR, (PTR, PTR, PTR)),
    "SUNLinSolFree": (INT, (PTR,)),
    "CVodeCreate": (PTR, (INT, PTR)),
    "CVodeFree": (None, (PTR,)),
    "CVodeInit": (INT, (PTR, PTR, REAL, PTR)),
    "CVodeSetUserData": (INT, (PTR, PTR)),
    "CVodeWFtolerances": (INT, (PTR, PTR)),
    "CVodeSetLinearSolver": (INT, (PTR, PTR, PTR)),
    "CVodeSetJacFn": (INT, (PTR, PTR)),
    "CVodeSetMaxStep": (INT, (PTR, REAL)),
    "CVodeSetStopTime": (INT, (PTR, REAL)),
    "CVodeSetMaxConvFails": (INT, (PTR, INT)),
    "CVodeSetMaxErrTestFails": (INT, (PTR, INT)),
    "CVodeSetMaxHnilWarns": (INT, (PTR, INT)),
    "CVodeRootInit": (INT, (PTR, INT, PTR)),
    "CVodeSetRootDirection": (INT, (PTR, PTR)),
    "CVodeSetNoInactiveRootWarn": (INT, (PTR,)),
    "CVodeSetProjFn": (INT, (PTR, PTR)),
    "CVodeSetProjErrEst": (INT, (PTR, INT)),
    "CVode": (INT, (PTR, REAL, PTR, PTR, INT)),
    "CVodeGetDky": (INT, (PTR, REAL, INT, PTR)),
    "CVodeGetRootInfo": (INT, (PTR, PTR)),
    "CVodeGetNumSteps": (INT, (PTR, PTR)),
    "CVodeGetNumRhsEvals": (INT, (PTR, PTR)),
    "CVodeGetNumJacEvals": (INT, (PTR, PTR)),
}
"""Function -> (result, arguments)."""
SPARSE: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "SUNSparseMatrix": (PTR, (INDEX, INDEX, INDEX, INT, PTR)),
    "SUNSparseMatrix_Data": (PTR, (PTR,)),
    "SUNSparseMatrix_IndexValues": (PTR, (PTR,)),
    "SUNSparseMatrix_IndexPointers": (PTR, (PTR,)),
    "SUNLinSol_SuperLUMT": (PTR, (PTR, PTR, INT, PTR)),
}
"""The same of sparse matrices, which a package may lack."""


@dataclass(frozen=True)
class SundialsLibrary:
    """The functions found: callable by name, and their addresses for native code.

    Attributes:
        package: the Python package that carries them.
        calls: function by name.
        index: type of whole numbers in sparse matrices.
    """

    package: str
    calls: Mapping[str, Any]
    index: Any = np.int32

    def require_sparse(self, size: int) -> None:
        """Refuse a sparse matrix where there is no factorisation of one."""
        if "SUNLinSol_SuperLUMT" not in self.calls:
            raise UnsupportedError(
                f"{self.package} has no sparse factorisation, which {size} states need",
                element="method 'cvode_bdf'",
                cure="install scikit-sundae, or take method='BDF'",
            )

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function."""
        return self.calls[name](*arguments)

    def address(self, name: str) -> int:
        """Where a function starts."""
        found = ctypes.cast(self.calls[name], ctypes.c_void_p).value
        assert found is not None
        return found


@cache
def library() -> SundialsLibrary | None:
    """The first package that has all functions, or None."""
    for package, paths in _candidates():
        calls = _calls(paths)
        if calls is not None and _release(package, calls) == RELEASE:
            return SundialsLibrary(package, calls, _index_type(calls))
    return None


def available() -> bool:
    """Whether a package that carries the library is installed."""
    return library() is not None


def require_library() -> SundialsLibrary:
    """The library, or the error that names the package to install."""
    found = library()
    if found is None:
        raise UnsupportedError(
            "the library SUNDIALS is not installed",
            element="methods 'cvode_bdf' and 'cvode_adams'",
            cure="install the package scikit-sundae, or kinetree[sundials]",
        )
    return found


def _candidates() -> Iterator[tuple[str, list[Path]]]:
    """Files that may carry the functions, by package."""
    origin = _origin("sundials4py")
    if origin is not None:
        inside = origin.parent.glob("*.so") if origin.suffix == ".py" else [origin]
        yield "sundials4py", sorted(inside)
    origin = _origin("sksundae")
    if origin is not None:
        folder = origin.parent
        beside = (folder.parent / "scikit_sundae.libs", folder / ".dylibs")
        files = [path for place in beside for path in place.glob("*sundials_*")]
        # the dependencies of a library are found beside it; those without come first
        order = (
            "core", "nvecserial", "sunmatrixdense", "sunlinsoldense", "_cvode", "sunmatrixsparse",
            "superlumt",
        )  # fmt: skip
        yield "scikit-sundae", [path for part in order for path in files if part in path.name]


def _origin(package: str) -> Path | None:
    """The first file of a package, found without importing it."""
    spec = importlib.util.find_spec(package)
    return None if spec is None or spec.origin is None else Path(spec.origin)


def _calls(paths: list[Path]) -> dict[str, Any] | None:
    """All functions with their signatures, or None where one is missing."""
    opened = []
    for path in paths:
        try:
            opened.append(ctypes.CDLL(str(path)))
        except OSError:
            continue
    calls = {}
    for name, (result, arguments) in (SIGNATURES | SPARSE).items():
        found = next((getattr(lib, name) for lib in opened if hasattr(lib, name)), None)
        if found is None:
            if name == VERSION or name in SPARSE:
                continue
            return None
        calls[name] = ctypes.CFUNCTYPE(result, *arguments)(ctypes.cast(found, PTR).value or 0)
    return calls


def _index_type(calls: Mapping[str, Any]) -> Any:
    """The type of whole numbers in sparse matrices; a matrix of 5 rows and 3 columns tells.

    What is in it begins with these two numbers.
    """
    if any(name not in calls for name in SPARSE):
        return np.int32
    holder = ctypes.c_void_p()
    calls["SUNContext_Create"](0, ctypes.addressof(holder))
    matrix = calls["SUNSparseMatrix"](5, 3, 4, 0, holder.value)
    content = ctypes.cast(matrix, ctypes.POINTER(ctypes.c_void_p))[0]
    second = ctypes.cast(content, ctypes.POINTER(ctypes.c_int32))[1]
    calls["SUNMatDestroy"](matrix)
    calls["SUNContext_Free"](ctypes.addressof(holder))
    return np.int32 if second == 3 else np.int64


def _release(package: str, calls: Mapping[str, Any]) -> int:
    """The main release of the library; sundials4py hides the question and bears the same number."""
    if VERSION not in calls:
        return int(version(package).partition(".")[0])
    numbers = [ctypes.c_int() for _ in range(3)]
    label = ctypes.create_string_buffer(32)
    places = [ctypes.addressof(number) for number in numbers]
    calls[VERSION](*places, ctypes.addressof(label), 32)
    return numbers[0].value
