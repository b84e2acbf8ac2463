"""Function: a Program as native code, called with arrays.

One evaluation takes the quick way: buffers that belong to the calling thread, one native call,
fresh results.  Anything with leading axes goes eight samples at a time through the batch kernel, on
several threads when there is enough to do; ctypes lets other Python threads run meanwhile.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arguments import check_arguments, check_positive
from kinetree.arrays import Array
from kinetree.errors import ShapeError, unknown
from kinetree.targets.native.compile.kernels import BODY, CHECKED, PREAMBLE, BatchKernel, Kernels
from kinetree.targets.native.lanes.packing import LANES
from kinetree.targets.native.ports import Port, common_batch
from kinetree.targets.native.quick_call import quick_call

if TYPE_CHECKING:
    from numpy.typing import NDArray


POINTERS = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
SINGLE = ctypes.CFUNCTYPE(None, *POINTERS)
CHECKED_CALL = ctypes.CFUNCTYPE(ctypes.c_bool, *POINTERS)
BATCH = ctypes.CFUNCTYPE(
    ctypes.c_bool, *POINTERS, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p
)  # fmt: skip
BY_ONE = LANES
"""Samples below which a batch is evaluated one by one."""
PER_THREAD = 4_000_000
"""Operations that are worth a thread of their own: a few hundred microseconds."""
REMEMBERED = 16
"""Parameter sets whose preamble results are kept."""


def address(array: NDArray[Any]) -> int:
    """Where the data of an array is."""
    where: int = array.__array_interface__["data"][0]
    return where


class Function:
    """A compiled Program.

    Attributes:
        name: the Program's.
        inputs: what goes in, in order.
        outputs: what comes out, in order.
        kernels: the code behind it.
        sizes: numbers of doubles: x (variables), p (parameters), c (preamble results), y (results).
    """

    def __init__(
        self, name: str, inputs: tuple[Port, ...], outputs: tuple[Port, ...], kernels: Kernels
    ) -> None:
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.kernels = kernels
        self._prepare()

    def _prepare(self) -> None:
        self._variables = tuple(p for p in self.inputs if not p.parameter)
        self._parameters = tuple(p for p in self.inputs if p.parameter)
        self._known = frozenset(p.name for p in self.inputs)
        self._count = len(self._variables)
        self.sizes = {
            "x": sum(p.size for p in self._variables),
            "p": sum(p.size for p in self._parameters),
            "c": self.kernels.constants,
            "y": sum(p.size for p in self.outputs),
        }
        self._constants: OrderedDict[bytes, Array] = OrderedDict()
        self._defaults = {p.name: p.default_array for p in self.inputs if p.default is not None}
        self._local = threading.local()
        self._library = self.kernels.single()
        call = CHECKED_CALL(self._library.addresses[CHECKED])
        self._quick = quick_call(self._variables, self.outputs, call)
        self._default = self._default_constants()

    def with_values(self, parameters: Mapping[str, float]) -> Function:
        """The same code with other default values of parameters, by name."""
        if not parameters:
            return self
        ports = tuple(_port_with_values(port, parameters) for port in self.inputs)
        return Function(self.name, ports, self.outputs, self.kernels)

    def __reduce__(self) -> tuple[Any, ...]:
        return Function, (self.name, self.inputs, self.outputs, self.kernels)

    def __repr__(self) -> str:
        ins = ", ".join(f"{p.name}{list(p.shape)}" for p in self.inputs)
        outs = ", ".join(f"{p.name}{list(p.shape)}" for p in self.outputs)
        return f"<native function {self.name}({ins}) -> {outs}>"

    @property
    def address(self) -> int:
        """Address of `void f(const double* x, const double* c, double* y)`.

        x are all variable inputs in order, c the preamble's results, y all outputs in order.  It
        stays valid as long as this Function lives.
        """
        return self._library.addresses[BODY]

    def preamble_values(self, p: Any = None) -> Array:
        """The preamble's results for a parameter vector (all parameter inputs, concatenated)."""
        if p is None:
            if self._default is None:
                missing = next(q for q in self._parameters if q.default is None)
                raise _not_given(missing)
            return self._default[0]
        values = np.ascontiguousarray(p, dtype=np.float64).reshape(-1)
        if values.size != self.sizes["p"]:
            raise ShapeError(
                f"expected {self.sizes['p']} parameters, got {values.size}",
                element=f"function '{self.name}'",
            )
        key = values.tobytes()
        found = self._constants.get(key)
        if found is None:
            found = np.zeros(self.sizes["c"])
            SINGLE(self._library.addresses[PREAMBLE])(address(values), 0, address(found))
            found.flags.writeable = False
            self._constants[key] = found
        try:
            self._constants.move_to_end(key)
            if len(self._constants) > REMEMBERED:
                self._constants.popitem(last=False)
        except KeyError:
            pass  # another thread has dropped it meanwhile
        return found

    def _default_constants(self) -> tuple[Array, int] | None:
        if any(p.default is None for p in self._parameters):
            return None
        found = self._preamble_of(self._defaults)
        return found, address(found)

    def __call__(
        self,
        *,
        parameters: Mapping[str, Any] | None = None,
        check: bool = True,
        threads: int | None = None,
        **arrays: Any,
    ) -> dict[str, Array]:
        """Evaluate; leading axes of the inputs are a batch and broadcast against each other.

        Args:
            parameters: single parameters by name, in place of their defaults.
            check: refuse inputs that are infinite or not a number, quaternions that are not of
                unit length (by more than 1e-3), and, where accelerations are asked for, angles
                at a gimbal lock of their joint (within 1e-9 rad; see `Input.locks`).  Without it
                whatever comes in is worked with: not a number gives not a number, a longer
                quaternion numbers of no meaning, gimbal lock accelerations that are infinite or
                have no meaning, and need not be large.  Neither looks at the results.
            threads: how many threads share a batch; by default as many as it is worth.
            arrays: the inputs by name.

        Returns:
            The outputs by name, with the batch's leading axes.
        """
        default = self._default
        usual = parameters is None and threads is None and (check is True or check is False)
        if usual and default is not None and len(arrays) == self._count:
            local = self._local.__dict__
            if not local:
                self._buffers(local)
            found = self._quick(arrays, local, default[1], check)
            if found is not None:
                return found
        if not usual:  # to look at what is usual would take a tenth of a short call
            asked = {"parameters": parameters, "check": check, "threads": threads}
            check_arguments(Function.__call__, asked)
        return self._general(arrays, parameters, check, threads)

    def each(self, **arrays: Any) -> dict[str, Array]:
        """Outputs of single evaluations, unchecked: one per row of those inputs that have rows.

        They are what single calls give, to the last bit, and no code for batches is made.
        """
        rows = {port.name: self._argument(port, arrays) for port in self.inputs}
        (count,) = common_batch(self.inputs, rows.values()) or (1,)
        x, y = np.empty((count, self.sizes["x"])), np.empty((count, self.sizes["y"]))
        for p in (p for p in self._variables if p.size):
            x[:, p.start : p.stop] = rows[p.name].reshape(-1, p.size)
        constants = self._preamble_of(rows)
        body, (at, c, to) = SINGLE(self.address), (address(part) for part in (x, constants, y))
        for k in range(count):
            body(at + k * x.strides[0], c, to + k * y.strides[0])
        parts = ((p, np.ascontiguousarray(y[:, p.start : p.stop])) for p in self.outputs)
        return {p.name: part.reshape(count, *p.shape) for p, part in parts}

    def _buffers(self, local: dict[str, Any]) -> None:
        """Places for one evaluation, one set per thread."""
        sizes = self.sizes
        x, y = np.zeros(sizes["x"]), np.zeros(sizes["y"])
        local["views"] = tuple(x[p.start : p.stop].reshape(p.shape) for p in self._variables)
        local["x"], local["y"], local["at"] = x, y, (address(x), address(y))

    def _general(
        self,
        given: dict[str, Any],
        parameters: Mapping[str, Any] | None,
        check: bool,
        threads: int | None,
    ) -> dict[str, Array]:
        if threads is not None:
            check_positive("a positive number", threads=threads)
        for name in given:
            if name not in self._known:
                raise unknown("input", name, [p.name for p in self.inputs], self.name)
        if parameters:
            given = {**given, **self._named_parameters(given, parameters)}
        arrays = [self._argument(port, given) for port in self.inputs]
        batch = common_batch(self.inputs, arrays)
        rows = dict(zip((p.name for p in self.inputs), arrays, strict=True))
        if check:
            for port in self._parameters:
                if port.name in given:
                    port.refuse_infinite(rows[port.name])
        if not batch:
            return self._one(rows, check)
        if prod(batch) < BY_ONE:
            return self._one_by_one(rows, batch, check)
        return self._many(rows, batch, check, threads)

    def _argument(self, port: Port, given: Mapping[str, Any]) -> Array:
        if port.name in given:
            return port.array(given[port.name])
        if port.name not in self._defaults:
            raise _not_given(port)
        return self._defaults[port.name]

    def _one(self, rows: Mapping[str, Array], check: bool) -> dict[str, Array]:
        local = self._local.__dict__
        if not local:
            self._buffers(local)
        constants = self._preamble_of(rows)
        found = self._quick(rows, local, address(constants), check)
        assert found is not None
        return found

    def _preamble_of(self, rows: Mapping[str, Array]) -> Array:
        """The preamble's results for one value of each parameter input."""
        values = [rows[p.name].reshape(-1) for p in self._parameters]
        if len(values) == 1:
            return self.preamble_values(values[0])
        return self.preamble_values(np.concatenate([*values, np.empty(0)]))

    def _named_parameters(
        self, given: Mapping[str, Any], parameters: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Parameter inputs with single components replaced by name."""
        changed: dict[str, Any] = {}
        for name, value in parameters.items():
            port = next((p for p in self._parameters if name in p.labels), None)
            if port is None:
                labels = [label for p in self._parameters for label in p.labels]
                raise unknown("parameter", name, labels, self.name)
            if port.name not in changed:
                changed[port.name] = self._argument(port, given)
            array = changed[port.name]
            flat = array.reshape((*array.shape[: array.ndim - len(port.shape)], port.size))
            component = replace(port, name=name).real(value)
            lead = np.broadcast_shapes(flat.shape[:-1], component.shape)
            flat = np.array(np.broadcast_to(flat, (*lead, port.size)))
            flat[..., port.labels.index(name)] = component
            changed[port.name] = flat.reshape((*lead, *port.shape))
        return changed

    def _one_by_one(
        self, rows: Mapping[str, Array], batch: tuple[int, ...], check: bool
    ) -> dict[str, Array]:
        spread = {p.name: np.broadcast_to(rows[p.name], (*batch, *p.shape)) for p in self.inputs}
        found = [
            self._one({name: row[index] for name, row in spread.items()}, check)
            for index in np.ndindex(*batch)
        ]
        return {
            p.name: np.array([row[p.name] for row in found]).reshape((*batch, *p.shape))
            for p in self.outputs
        }

    def _many(
        self, rows: Mapping[str, Array], batch: tuple[int, ...], check: bool, threads: int | None
    ) -> dict[str, Array]:
        count = prod(batch)
        shared = all(rows[p.name].ndim == len(p.shape) for p in self._parameters)
        inputs = [_flat(rows[p.name], p, batch) for p in self._variables]
        results = [np.empty((count, p.size)) for p in self.outputs]
        if shared:
            constants = self._preamble_of(rows)
        else:
            constants = np.empty((count, self.sizes["c"]))
            parameters = [_flat(rows[p.name], p, batch) for p in self._parameters]
            _run(self.kernels.preamble_batch(), parameters, 0, [constants], 1)
            inputs.append(constants)
        kernel = self.kernels.batch(constant_lanes=not shared)
        if threads is None:
            work = count * self.kernels.work
            threads = max(1, min(cores(), work // PER_THREAD))
        bad = _run(kernel, inputs, address(constants), results, threads)
        if bad and check:
            for port in self._variables:
                port.refuse(rows[port.name])
        return {
            p.name: y.reshape((*batch, *p.shape))
            for p, y in zip(self.outputs, results, strict=True)
        }


def _port_with_values(port: Port, parameters: Mapping[str, float]) -> Port:
    """A port of parameters with some of its defaults replaced by name."""
    if not port.parameter or port.default is None:
        return port
    pairs = zip(port.labels, port.default, strict=True)
    return replace(port, default=tuple(float(parameters.get(name, old)) for name, old in pairs))


def _not_given(port: Port) -> ShapeError:
    return ShapeError(
        "it was not given and has no default",
        element=f"input '{port.name}'",
        cure=f"pass {port.name}=…",
    )


def _flat(array: Array, port: Port, batch: tuple[int, ...]) -> Array:
    """One row per sample, or one single row where all samples share it."""
    if array.ndim == len(port.shape):
        return np.ascontiguousarray(array).reshape(1, port.size)
    if array.ndim != len(batch) + len(port.shape) or array.shape[: len(batch)] != batch:
        array = np.broadcast_to(array, (*batch, *port.shape))
    return np.ascontiguousarray(array).reshape(prod(batch), port.size)


def cores() -> int:
    """How many threads may run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _run(
    kernel: BatchKernel, inputs: list[Array], constants: int, results: list[Array], threads: int
) -> bool:
    """Run a batch kernel over all samples; whether an input was not finite."""
    count = len(results[0]) if results else 0
    table = np.array(
        [(address(a), a.shape[1] if len(a) > 1 else 0) for a in inputs], dtype=np.int64
    )
    targets = np.array([address(a) for a in results], dtype=np.int64)
    call = BATCH(kernel.address)
    threads = max(1, min(threads, count // LANES))
    flags = [False] * threads
    cuts = [*(count * t // threads // LANES * LANES for t in range(threads)), count]

    def part(number: int) -> None:
        work = np.empty(kernel.work + 8)
        start = -(-address(work) // 64) * 64
        flags[number] = call(
            address(table), constants, address(targets), cuts[number], cuts[number + 1], start
        )

    helpers = [threading.Thread(target=part, args=(n,)) for n in range(1, threads)]
    for helper in helpers:
        helper.start()
    part(0)
    for helper in helpers:
        helper.join()
    return any(flags)
