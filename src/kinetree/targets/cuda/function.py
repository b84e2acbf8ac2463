"""A Program on the GPU: called with arrays that live there, and giving such arrays back."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.errors import ShapeError, UnsupportedError, unknown
from kinetree.targets.cuda import driver, nvrtc
from kinetree.targets.cuda.source import CudaSource, Tuning, source
from kinetree.targets.native.compile.kernels import Kernels
from kinetree.targets.native.function import Function
from kinetree.targets.native.ports import Port
from kinetree.targets.tape.lowering import Lowered
from kinetree.targets.tape.tape import Tape

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kinetree.program.program import Program

ROUNDING = ("--prec-div=false", "--prec-sqrt=false")
"""Options for float: division and root to 2 ulp, without branches for extreme numbers."""
CUPY = "install CuPy, such as pip install cupy-cuda13x, on a machine with an NVIDIA GPU"
THREADS = 64
"""Systems per block of the kernel that evaluates parameters."""


@dataclass(slots=True)
class CudaFunction:
    """Batch kernels of a Program, one thread per system.

    Arrays have leading batch axes, as with native functions.  In memory all systems' first
    components stand together, then all second components, and so on: results are views of such
    memory, and inputs that have this order (results, or `x = cupy.empty((n, batch)).T`) are read in
    place; others are copied into it.

    Attributes:
        program: what is evaluated.
        dtype: "float" or "double".
        tuning: what changes speed and not meaning.
        arch: architecture to compile for, such as sm_90.
    """

    program: Program
    dtype: str
    tuning: Tuning
    arch: str
    _made: dict[str, Any] = field(default_factory=dict)

    def source(self, parameters: str = "shared") -> CudaSource:
        """The generated file; parameters are `shared` by the batch or `each` system's own."""
        if parameters not in self._made:
            self._made[parameters] = source(
                self.program, dtype=self.dtype, parameters=parameters, tuning=self.tuning
            )
        found: CudaSource = self._made[parameters]
        return found

    def machine_code(self, parameters: str = "shared") -> nvrtc.Compiled:
        """Its machine code."""
        key = f"code {parameters}"
        if key not in self._made:
            page = self.source(parameters)
            options = ROUNDING if page.kind.suffix else ()
            self._made[key] = nvrtc.compile_text(
                page.text, page.name, arch=self.arch, options=options
            )
        found: nvrtc.Compiled = self._made[key]
        return found

    def constants(self, p: Mapping[str, Any] | None = None) -> NDArray[Any]:
        """The preamble's results for one set of parameters, as the kernel takes them."""
        page = self.source()
        if not page.constants:
            return np.empty(0, np.float32 if page.kind.suffix else np.float64)
        if "preamble" not in self._made:
            self._made["preamble"] = preamble(page)
        values = self._made["preamble"](**(p or {}))["constants"]
        return np.ascontiguousarray(values, np.float32 if page.kind.suffix else np.float64)

    def __call__(
        self, *, parameters: Mapping[str, float] | None = None, **arrays: Any
    ) -> dict[str, Any]:
        """Evaluate a batch on the current CuPy device and stream.

        Args:
            parameters: single parameters by name, for all systems, in place of their defaults.
            arrays: the inputs by name: CuPy arrays, anything with DLPack, or arrays of the host,
                which are copied.  Parameter inputs with batch axes differ from system to system.

        Returns:
            The outputs by name, as CuPy arrays with the batch's leading axes.
        """
        cupy = _cupy()
        ports = self.source().inputs
        for name in arrays:
            if name not in {port.name for port in ports}:
                raise unknown("input", name, [p.name for p in ports], self.program.name)
        dtype = cupy.float32 if self.source().kind.suffix else cupy.float64
        given = {p.name: _array(cupy, p, arrays, dtype) for p in ports if not p.parameter}
        return _Call(self, cupy, dtype, given).run(arrays, parameters or {})

    def kernel(self, parameters: str, name: str) -> driver.CudaKernel:
        """A kernel, loaded."""
        key = f"module {parameters}"
        if key not in self._made:
            self._made[key] = driver.Module(self.machine_code(parameters).image)
        module: driver.Module = self._made[key]
        return module.kernel(name)


def preamble(page: CudaSource) -> Function:
    """The native function of the parameters: one output `constants`."""
    tape = page.lowered.preamble
    ports = tuple(replace(p, parameter=False) for p in page.inputs if p.parameter)
    out = Port("constants", (page.constants,), 0, page.constants)
    sizes = tuple(p.size for p in ports)
    kernels = Kernels(Lowered(tape, Tape((0, 0))), sizes, (page.constants,), ())
    return Function(f"{page.name}_preamble", ports, (out,), kernels)


@dataclass
class _Call:
    """One evaluation of a batch."""

    function: CudaFunction
    cupy: Any
    dtype: Any
    given: dict[str, Any]

    def run(self, arrays: Mapping[str, Any], parameters: Mapping[str, float]) -> dict[str, Any]:
        page = self.function.source()
        own = {p.name: arrays[p.name] for p in page.inputs if p.parameter and p.name in arrays}
        each = any(np.ndim(own[p.name]) > len(p.shape) for p in page.inputs if p.name in own)
        if each:
            for port in (p for p in page.inputs if p.parameter):
                self.given[port.name] = _array(self.cupy, port, arrays, self.dtype)
        page = self.function.source("each" if each else "shared")
        results = [self.cupy.empty((port.size, self.count), self.dtype) for port in page.outputs]
        if self.count:
            constants = self._each(page) if each else self._shared_constants(page, own, parameters)
            inputs = [self._rows(port) for port in page.inputs if not port.parameter]
            pointers = [a.data.ptr for a in (*inputs, *results)]
            pointers[len(inputs) : len(inputs)] = constants
            self._launch(page, page.name, page.tuning.block, pointers)
        return {p.name: self._result(p, y) for p, y in zip(page.outputs, results, strict=True)}

    @cached_property
    def batch(self) -> tuple[int, ...]:
        """Leading axes that all inputs broadcast to."""
        ports = {port.name: port for port in self.function.source().inputs}
        leads = [a.shape[: a.ndim - len(ports[name].shape)] for name, a in self.given.items()]
        try:
            return tuple(np.broadcast_shapes(*leads))
        except ValueError:
            raise ShapeError(
                f"the inputs have batches {', '.join(str(lead) for lead in leads)}",
                element=f"function '{self.function.program.name}'",
                cure="give every input the same leading axes, or none",
            ) from None

    @property
    def count(self) -> int:
        """Systems of the batch."""
        return prod(self.batch)

    def _rows(self, port: Port) -> Any:
        """An input with one row per component."""
        spread = self.cupy.broadcast_to(self.given[port.name], (*self.batch, *port.shape))
        return self.cupy.ascontiguousarray(spread.reshape(self.count, port.size).T)

    def _result(self, port: Port, rows: Any) -> Any:
        """Rows as an array with leading batch axes, without a copy."""
        axes = rows.reshape(*port.shape, *self.batch)
        k = len(port.shape)
        return axes.transpose(*range(k, axes.ndim), *range(k)) if axes.ndim else axes

    def _shared_constants(
        self, page: CudaSource, own: Mapping[str, Any], parameters: Mapping[str, float]
    ) -> list[Any]:
        """Constants that all systems share: a structure, or an address where it is too large."""
        if not page.constants:
            return []
        values = self.function.constants(_parameter_inputs(page, own, parameters))
        if page.passing == "pointer":
            self.held = self.cupy.asarray(values)
            return [self.held.data.ptr]
        return [(ctypes.c_byte * values.nbytes).from_buffer_copy(values.tobytes())]

    def _each(self, page: CudaSource) -> list[Any]:
        """Constants of every system, evaluated on the device."""
        if not page.constants:
            return []
        self.held = self.cupy.empty((page.constants, self.count), self.dtype)
        inputs = [self._rows(port) for port in page.inputs if port.parameter]
        pointers = [a.data.ptr for a in (*inputs, self.held)]
        self._launch(page, f"{page.name}_preamble", THREADS, pointers)
        return [self.held.data.ptr]

    def _launch(self, page: CudaSource, name: str, block: int, arguments: list[Any]) -> None:
        which = "each" if page.passing == "each" else "shared"
        kernel = self.function.kernel(which, name)
        stream = self.cupy.cuda.get_current_stream().ptr
        kernel.launch(self.count, block, arguments, stream)


def _cupy() -> Any:
    try:
        import cupy  # noqa: PLC0415  only where kernels run
    except ImportError:
        raise UnsupportedError("CUDA kernels run on CuPy arrays", cure=CUPY) from None
    if driver.library() is None:
        raise UnsupportedError("no CUDA driver with a GPU is present", cure=CUPY)
    cupy.cuda.Device().use()
    return cupy


def _array(cupy: Any, port: Port, arrays: Mapping[str, Any], dtype: Any) -> Any:
    """An input on the device; leading axes are a batch."""
    value = arrays.get(port.name, port.default_array if port.default is not None else None)
    if value is None:
        raise ShapeError(
            "it was not given and has no default",
            element=f"input '{port.name}'",
            cure=f"pass {port.name}=…",
        )
    if hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray | cupy.ndarray):
        value = cupy.from_dlpack(value)
    array = cupy.asarray(value).astype(dtype, copy=False)
    lead = array.ndim - len(port.shape)
    if lead < 0 or array.shape[lead:] != port.shape:
        raise ShapeError(
            f"expected shape {port.shape} behind batch axes, got {array.shape}",
            element=f"input '{port.name}'",
            cure="leading axes may be added for a batch, the last ones must match",
        )
    return array


def _parameter_inputs(
    page: CudaSource, own: Mapping[str, Any], parameters: Mapping[str, float]
) -> dict[str, Any]:
    """Parameter inputs of the host, with single components replaced by name."""
    found = {
        name: np.array(value.get() if hasattr(value, "get") else value, dtype=float)
        for name, value in own.items()
    }
    for name, value in parameters.items():
        port = next((p for p in page.inputs if p.parameter and name in p.labels), None)
        if port is None:
            labels = [label for p in page.inputs if p.parameter for label in p.labels]
            raise unknown("parameter", name, labels, page.name)
        array = found.setdefault(port.name, port.default_array)
        array.reshape(-1)[port.labels.index(name)] = value
    return found
