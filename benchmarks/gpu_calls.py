"""Calls of kernels with CuPy arrays on a GPU, checked against the reference.

    python3 benchmarks/gpu_calls.py

Needs NumPy, CuPy and NVRTC alone: the packages of kinetree that kernels do not use are not loaded,
and LLVM, which evaluates parameters on the host, is replaced by the kernel that does so.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
LIMITS = {"double": 1e-11, "float": 1e-5}


def bare() -> None:
    """Packages by their folders alone, without what their first files load."""
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
    for name in ("kinetree", "kinetree.targets"):
        package = ModuleType(name)
        package.__path__ = [str(ROOT / "src" / name.replace(".", "/"))]
        sys.modules[name] = package
    for name in ("llvmlite", "llvmlite.binding"):
        sys.modules[name] = MagicMock()


def prepared(function: Any, cupy: Any) -> Any:
    """The function with its parameters evaluated on the device."""
    page = function.source("each")
    dtype = np.float32 if page.kind.suffix else np.float64

    def preamble(**given: Any) -> dict[str, Any]:
        ports = [port for port in page.inputs if port.parameter]
        rows = [cupy.asarray(given.get(p.name, p.default_array), dtype).ravel() for p in ports]
        out = cupy.empty(page.constants, dtype)
        kernel = function.kernel("each", f"{page.name}_preamble")
        kernel.launch(1, 64, [a.data.ptr for a in (*rows, out)])
        return {"constants": out.get()}

    function._made["preamble"] = preamble
    return function


def checks(program: Any, dtype: str, cupy: Any) -> float:
    """Largest error of calls with shared and own parameters, of host and device arrays."""
    from kinetree.targets.cuda import CudaFunction, Tuning
    from kinetree.targets.cuda import driver as cuda

    function = prepared(CudaFunction(program, dtype, Tuning(), cuda.Device().arch), cupy)
    rng = np.random.default_rng(0)
    worst = 0.0
    for own in ((), (50, 3)):
        given = {
            row.name: rng.uniform(0.2, 0.5, ((50, 3) if not row.parameter else own) + row.shape)
            .astype(np.float32).astype(float) for row in program.inputs
        }  # fmt: skip
        for place in (np.asarray, cupy.asarray):
            found = function(**{name: place(value) for name, value in given.items()})
            for name, value in program.evaluate(**given).items():
                error = np.abs(found[name].get() - value).max() / max(np.abs(value).max(), 1e-30)
                worst = max(worst, float(error))
    return worst


def main() -> None:
    """Print one line per Program and precision."""
    bare()
    import cupy

    from targets import corpus, newtons

    programs = [corpus.with_preamble(), newtons.sequence(), newtons.early()]
    for program in (*programs, corpus.SYSTEMS["system_12_24"]):
        for dtype, limit in LIMITS.items():
            error = checks(program, dtype, cupy)
            print(
                f"{program.name:16s} {dtype:7s} {error:.1e} {'right' if error < limit else 'WRONG'}"
            )


if __name__ == "__main__":
    main()
