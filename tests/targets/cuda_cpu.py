"""Generated CUDA C as C++ on the CPU, one thread after another: what a kernel means, without a GPU.

Only the order of threads and the hardware's rounding differ from a GPU.
"""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from kinetree.program import Program
from kinetree.targets.cuda.source import CudaSource, Tuning, source

HEADER = Path(__file__).with_name("cuda_on_cpu.h")
FLAGS = ["-std=c++17", "-O0", "-shared", "-fPIC", "-Wno-unknown-pragmas", "-x", "c++"]
BLOCK = 4


def built(page: CudaSource, folder: Path, gxx: str) -> ctypes.CDLL:
    path = folder / f"{page.name}.cu"
    path.write_text(page.text)
    library = folder / f"{page.name}.so"
    subprocess.run([gxx, *FLAGS, "-include", HEADER, path, "-o", library], check=True)
    return ctypes.CDLL(str(library))


def launched(library: ctypes.CDLL, name: str, count: int, arguments: list[Any]) -> None:
    """All threads of a grid, more than there are systems."""
    passed = [ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else a for a in arguments]
    for block in range(-(-count // BLOCK)):
        for thread in range(BLOCK):
            library.kt_place(block, thread, BLOCK)
            library[name](ctypes.c_uint(count), *passed)


def structure(values: Any) -> ctypes.Structure:
    """Numbers by value."""
    kind = ctypes.c_float if values.dtype == np.float32 else ctypes.c_double

    class Constants(ctypes.Structure):
        _fields_ = (("value", kind * len(values)),)

    return Constants((kind * len(values))(*values.tolist()))


class HostArray(np.ndarray[Any, Any]):
    """An array of the host with the address where CuPy has it."""

    @property
    def data(self) -> Any:  # type: ignore[override]
        return SimpleNamespace(ptr=self.ctypes.data)

    def get(self) -> Any:
        return np.asarray(self)


def hosted(function: Any) -> Any:
    """A function of NumPy that gives such arrays."""
    return lambda *given, **options: np.asarray(function(*given, **options)).view(HostArray)


HOST_CUPY = SimpleNamespace(
    ndarray=HostArray, float32=np.float32, float64=np.float64,
    cuda=SimpleNamespace(get_current_stream=lambda: SimpleNamespace(ptr=0)),
    **{name: hosted(getattr(np, name)) for name in
       ("empty", "asarray", "ascontiguousarray", "broadcast_to", "from_dlpack")},
)  # fmt: skip
"""As much of CuPy as calls of kernels need, with arrays of the host."""


class HostKernel:
    """A kernel of the driver that runs on the CPU."""

    def __init__(self, page: CudaSource, name: str, folder: Path, gxx: str) -> None:
        self.page, self.name = page, name
        (folder / page.passing).mkdir(exist_ok=True)
        self.library = built(page, folder / page.passing, gxx)

    def launch(self, count: int, block: int, arguments: list[Any], stream: int) -> None:
        assert block >= 32
        assert stream == 0
        dtype = np.float32 if self.page.kind.suffix else np.float64
        passed = [
            ctypes.c_void_p(a) if isinstance(a, int) else structure(np.frombuffer(a, dtype))
            for a in arguments
        ]
        launched(self.library, self.name, count, passed)


class OnCpu:
    """A kernel to call with arrays of a batch."""

    def __init__(
        self, program: Program, folder: Path, gxx: str, dtype: str = "double",
        parameters: str = "shared", tuning: Tuning | None = None,
    ) -> None:  # fmt: skip
        self.page = source(
            program, dtype=dtype, parameters=parameters, tuning=tuning, complete=True
        )
        self.dtype = np.float32 if dtype == "float" else np.float64
        self.library = built(self.page, folder, gxx)

    def __call__(self, **arrays: Any) -> dict[str, Any]:
        """Evaluate; every variable input has one leading axis."""
        page = self.page
        variables = [p for p in page.inputs if not p.parameter]
        count = len(arrays[variables[0].name]) if variables else 1
        rows = [self._rows(p, arrays, count) for p in variables]
        outs = [np.full((max(p.size, 1), count), np.nan, self.dtype) for p in page.outputs]
        constants = self._constants(arrays, count) if page.constants else []
        launched(self.library, page.name, count, [*rows, *constants, *outs])
        return {
            p.name: y[: p.size].T.reshape(count, *p.shape)
            for p, y in zip(page.outputs, outs, strict=True)
        }

    def _rows(self, port: Any, arrays: Any, count: int) -> Any:
        """One row per component."""
        given = arrays[port.name] if port.name in arrays else port.default_array  # noqa: SIM401  there may be no default
        whole = np.broadcast_to(given, (count, *port.shape)).reshape(count, port.size)
        return np.ascontiguousarray(whole.T, self.dtype)

    def _constants(self, arrays: Any, count: int) -> list[Any]:
        page = self.page
        each = count if page.passing == "each" else 1
        found = np.zeros((page.constants, each), self.dtype)
        parameters = [self._rows(p, arrays, each) for p in page.inputs if p.parameter]
        launched(self.library, f"{page.name}_preamble", each, [*parameters, found])
        return [structure(found[:, 0]) if page.passing == "value" else found]
