"""Closed mechanisms moved by recorded efforts: independent coordinates that were recorded.

A state is that of all coordinates.  Its rates obey the loops, and those of tangents are the slopes
of that solution, so that it stays on the loops as exactly as its steps are.  Start values are
unknown of the independent coordinates alone; the others follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.assembly import Partition, Wish, consistent_coordinates, partition_at
from kinetree.assembly.loops import loops
from kinetree.errors import KinetreeError, ModelError, PartitionError, UnsupportedError
from kinetree.pipeline import derive
from kinetree.program.differentiate import along
from kinetree.program.restrict import restrict

if TYPE_CHECKING:
    from kinetree.analysis.identifying.data.recordings import RecordedMotion
    from kinetree.model import Mechanism
    from kinetree.program import Program
    from kinetree.targets.native.function import Function

CLOSED = ("q_closed", "qd_closed")


@dataclass(frozen=True, eq=False)
class ClosedMotion:
    """A closed mechanism in independent coordinates that were recorded.

    Attributes:
        model: the mechanism, with the unknown parameters open.
        partition: its independent and dependent coordinates.
    """

    model: Mechanism
    partition: Partition

    @classmethod
    def of(cls, model: Mechanism, recorded: Sequence[str], one: RecordedMotion) -> ClosedMotion:
        """The motion of a model of which some coordinates were recorded.

        Args:
            model: the mechanism.
            recorded: names of these coordinates.
            one: a recording, where they are at first.
        """
        system = loops(model)
        first = {name: one.q[0, list(model.coordinates).index(name)] for name in recorded}
        q = consistent_coordinates(system, Wish(first, t=float(one.time[0]))).tolist()
        kept: list[str] = []
        for name in recorded:
            try:
                partition_at(system, q, [*kept, name], float(one.time[0]))
            except PartitionError:
                continue  # it follows from those before
            kept.append(name)
        found = partition_at(system, q, kept or None, float(one.time[0]))
        _refuse(model, found, kept)
        return cls(model, found)

    @property
    def free(self) -> list[int]:
        """Numbers of the independent coordinates."""
        return list(self.partition.u)

    @cached_property
    def forward(self) -> Program:
        """qdd, and q and qd that obey the loops."""
        return derive(self.model, "forward", partition=self.partition)

    def closing(self, names: Sequence[str]) -> Function:
        """q and qd that obey the loops, and their changes with those of parameters, compiled."""
        by = {"q": None, "qd": None, **({"p": names} if names else {})}
        wanted = [f"{name}{end}" for end in ("", "_dot") for name in CLOSED]
        found: Function = restrict(along(self.forward, CLOSED, by), wanted).compile(tier="quick")
        return found

    def rows(self, one: RecordedMotion) -> Array:
        """All coordinates of a recording; those that follow stay in the branch of its first row."""
        function, model = self.closing(()), self.model
        given = {name: one.q[0, list(model.coordinates).index(name)] for name in one.given}
        wish = Wish(given, independent=self.partition.independent, t=float(one.time[0]))
        q = consistent_coordinates(loops(model), wish)
        found = []
        for t, recorded in zip(one.time, one.q, strict=True):
            q = np.array(q)
            q[self.free] = recorded[self.free]
            known = {"q": q, "qd": np.zeros(model.nv), "t": np.array(t)}
            names = {port.name for port in function.inputs}
            inputs: dict[str, Any] = {name: x for name, x in known.items() if name in names}
            q = function(check=False, **inputs)["q_closed"]
            if not np.isfinite(q).all():
                raise _open(one.name, float(t))
            found.append(q)
        return np.array(found)

    def start(
        self, function: Function, states: Array, t: Array, parts: dict[str, Any], own: Any
    ) -> Array:
        """States with tangents that obey the loops, one row each.

        Args:
            function: of `closing`.
            states: q, qd and their changes along a direction, one row each.
            t: times [s].
            parts: changes of the parameters.
            own: values of the unknown parameters.
        """
        n = self.model.nv
        names = ("q", "qd", "q_dot", "qd_dot")
        given = dict(zip(names, np.split(states, 4, axis=1), strict=True)) | {"t": t, **parts}
        known = {port.name for port in function.inputs}
        inputs = {name: value for name, value in given.items() if name in known}
        found = function.with_values(own)(check=False, **inputs)
        rows = [found[f"{name}{end}"] for end in ("", "_dot") for name in CLOSED]
        return np.concatenate([np.reshape(row, (-1, n)) for row in rows], axis=1)


def _refuse(model: Mechanism, found: Partition, kept: Sequence[str]) -> None:
    """Refuse coordinates that move freely and were not recorded, and rolling."""
    unseen = [name for name in found.independent if name not in kept]
    if unseen:
        raise ModelError(
            f"'{unseen[0]}' does not follow from what was recorded",
            element="data",
            cure=f"record 'q.{unseen[0]}', too, or what it follows from",
        )
    if found.rate_dependent:
        raise UnsupportedError(
            "it moves no mechanism that rolls",
            element="method 'output_error'",
            cure="take another method, or kt.optimise with kt.misfit",
        )


def _open(name: str, t: float) -> KinetreeError:
    return ModelError(
        f"the loops do not close at the coordinates of t = {t:.6g} s",
        element=name,
        cure="look at the units of q, and at the lengths of the model",
    )
