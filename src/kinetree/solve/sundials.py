"""CVODE of SUNDIALS with native rates and Jacobian: cvode_adams, cvode_bdf.

Refs: Hindmarsh2005
"""

from __future__ import annotations

from kinetree.solve.native_loop import Run, named
from kinetree.solve.sundials_library import library, python_package

NAMES = ("cvode_adams", "cvode_bdf")


def available() -> bool:
    """Whether a package that carries the library is installed."""
    return library() is not None or python_package()


METHODS: dict[str, Run] = {name: named(name) for name in NAMES}
"""Method by name."""
