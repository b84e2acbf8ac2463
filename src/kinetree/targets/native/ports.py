"""What goes into a native function and what comes out, checked with sentences that help."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import ShapeError
from kinetree.program.locks import Locks, refuse_locked
from kinetree.program.program import Input, Output
from kinetree.targets.native.compile.input_tests import FAR

if TYPE_CHECKING:
    from kinetree.program.program import Program

DOUBLE = np.dtype(np.float64)


@dataclass(frozen=True, slots=True)
class Port:
    """A named array.

    Attributes:
        name: keyword under which it is given or found.
        shape: shape of one evaluation.
        start, stop: where its components stand among all variables, parameters or results.
        default: values where none are given, or None where they must be.
        parameter: whether it is constant over many evaluations.
        labels: names of the components.
        quaternions: numbers of the components at which unit quaternions w, x, y, z begin.
        locks: (number of a component, angle) of gimbal locks.
    """

    name: str
    shape: tuple[int, ...]
    start: int
    stop: int
    default: tuple[float, ...] | None = None
    parameter: bool = False
    labels: tuple[str, ...] = ()
    quaternions: tuple[int, ...] = ()
    locks: Locks = ()

    @property
    def size(self) -> int:
        """Number of components."""
        return self.stop - self.start

    @property
    def default_array(self) -> Array:
        """The default as an array."""
        return np.array(self.default, dtype=np.float64).reshape(self.shape)

    def rows(self, array: Any) -> Array:
        """Arrays of the port's shape as rows, which may be empty; leading axes stay."""
        array = np.asarray(array)
        found: Array = array.reshape(*array.shape[: array.ndim - len(self.shape)], self.size)
        return found

    def array(self, value: Any) -> Array:
        """The value as an array of doubles whose last axes have the port's shape."""
        array = self.real(value)
        lead = array.ndim - len(self.shape)
        if lead < 0 or array.shape[lead:] != self.shape:
            raise ShapeError(
                f"expected shape {_shape(self.shape)}, got {array.shape}",
                element=f"input '{self.name}'",
                cure="leading axes may be added for a batch, the last ones must match",
            )
        return array

    def real(self, value: Any) -> Array:
        """The value as an array of doubles of any shape."""
        try:
            array = np.asarray(value)
            if array.dtype.kind not in "fiub":
                raise TypeError
            double = np.asarray(array, dtype=np.float64)
            return double if double.dtype is DOUBLE else double.astype(DOUBLE)
        except (TypeError, ValueError):
            raise ShapeError(
                "it must be an array of real numbers",
                element=f"input '{self.name}'",
                cure=f"give {self.size} numbers of shape {self.shape}",
            ) from None

    def refuse(self, array: Array) -> None:
        """Say what is wrong with values of an input: the first thing, in one sentence."""
        self.refuse_infinite(array)
        self._refuse_lengths(array)
        element, otherwise = f"input '{self.name}'", ", or pass check=False"
        refuse_locked(self.locks, self.labels, array, element, otherwise)

    def refuse_infinite(self, array: Array) -> None:
        """Name the first component that is infinite or not a number."""
        finite = np.isfinite(array)
        if finite.all():
            return
        where = tuple(int(i) for i in np.argwhere(~finite)[0])
        lead = array.ndim - len(self.shape)
        flat = int(np.ravel_multi_index(where[lead:], self.shape)) if self.shape else 0
        label = f" ('{self.labels[flat]}')" if flat < len(self.labels) else ""
        sample = f" of sample {list(where[:lead])}" if lead else ""
        component = f"component {list(where[lead:])}{label}" if self.shape else "its value"
        raise ShapeError(
            f"{component}{sample} is {array[where]}",
            element=f"input '{self.name}'",
            cure="give finite numbers, or pass check=False to let it through",
        )

    def _refuse_lengths(self, array: Array) -> None:
        """Name the first quaternion that is far from unit length."""
        for first in self.quaternions:
            sizes = np.linalg.norm(array[..., first : first + 4], axis=-1)
            far = np.abs(sizes**2 - 1) > FAR
            if far.any():
                where = tuple(int(i) for i in np.argwhere(far)[0])
                name = f"'{self.labels[first]}'" + (f" of sample {list(where)}" if where else "")
                raise ShapeError(
                    f"the quaternion that begins with {name} has length {sizes[where]:g}",
                    element=f"input '{self.name}'",
                    cure="give w, x, y, z with w² + x² + y² + z² = 1, or pass check=False",
                )


def _shape(shape: tuple[int, ...]) -> str:
    inner = ", ".join(str(n) for n in shape)
    return f"(..., {inner})" if shape else "(...)"


def in_ports(inputs: Iterable[Input]) -> tuple[Port, ...]:
    """Ports of inputs; variables and parameters are numbered apart."""
    ports: list[Port] = []
    ends = {False: 0, True: 0}
    for row in inputs:
        start = ends[row.parameter]
        ends[row.parameter] = stop = start + prod(row.shape)
        default = None if row.default is None else tuple(float(v) for v in row.default)
        ports.append(
            Port(
                row.name,
                row.shape,
                start,
                stop,
                default,
                row.parameter,
                tuple(row.labels),
                row.quaternions,
                row.locks,
            )
        )
    return tuple(ports)


def out_ports(outputs: Iterable[Output]) -> tuple[Port, ...]:
    """Ports of outputs."""
    ports: list[Port] = []
    start = 0
    for row in outputs:
        stop = start + prod(row.shape)
        ports.append(Port(row.name, row.shape, start, stop, labels=tuple(row.labels)))
        start = stop
    return tuple(ports)


@dataclass(frozen=True)
class Interface:
    """What a Program takes and gives, without its Nodes.

    Attributes:
        name: the Program's.
        inputs: what goes in, in order.
        outputs: what comes out, in order.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]

    @classmethod
    def of(cls, program: Program) -> Interface:
        """That of a Program."""
        return cls(program.name, in_ports(program.inputs), out_ports(program.outputs))

    def outputs_without(self, names: Collection[str]) -> tuple[Port, ...]:
        """The outputs but some of them, where these do not come out."""
        found: list[Port] = []
        for port in self.outputs:
            if port.name not in names:
                start = found[-1].stop if found else 0
                found.append(replace(port, start=start, stop=start + port.size))
        return tuple(found)


def common_batch(ports: Iterable[Port], arrays: Iterable[Array]) -> tuple[int, ...]:
    """The leading axes that all arrays broadcast to."""
    batch: tuple[int, ...] = ()
    sized = ""
    for port, array in zip(ports, arrays, strict=True):
        lead = array.shape[: array.ndim - len(port.shape)]
        if lead in (batch, ()):
            continue
        try:
            joined = np.broadcast_shapes(batch, lead)
        except ValueError:
            raise ShapeError(
                f"its batch {lead} does not fit the batch {batch} of {sized}",
                element=f"input '{port.name}'",
                cure="give every input the same leading axes, or none",
            ) from None
        if joined != batch:
            sized = f"input '{port.name}'"
        batch = joined
    return batch
