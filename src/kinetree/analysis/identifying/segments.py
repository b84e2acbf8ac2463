"""Motion of a machine that recorded efforts drive, in segments side by side, with tangents.

A segment begins with a state of its own, so that errors of efforts and of the model do not add up
over the whole recording.  Tangents by parameters and by start values go along (the direct method,
eq. 19); every segment and direction is a run of its own, eight in the lanes of one loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.identifying.tangents import tangents, unit_rows
from kinetree.arrays import Array, Integers
from kinetree.integrate.loops.driven_steps import drive_lanes
from kinetree.pipeline import derive
from kinetree.program import Output
from kinetree.program.differentiate import along
from kinetree.program.passes import condense
from kinetree.program.state_form import consistent, coordinate_rates, state_parts
from kinetree.targets.native.function import Function, cores
from kinetree.targets.native.lanes.packing import LANES

if TYPE_CHECKING:
    from kinetree.analysis.identifying.closed_motion import ClosedMotion
    from kinetree.model import Mechanism
    from kinetree.program import Program

TangentState = tuple[Array, Array, Array, Array]
"""q and its rates, and their changes along the directions."""
GIVEN = ("tau", "t")
"""Inputs of the rates beside the state: what drives it."""


@dataclass(frozen=True, eq=False)
class Segments:
    """Segments of recordings, all of one length.

    Attributes:
        model: the mechanism, with the unknown parameters open.
        names: of these.
        starts: time at the beginning of each [s].
        length: of a segment [s].
        steps: of a segment.
        locked: numbers of coordinates that stand still, which are those of their velocities.
        seen: numbers of the coordinates that were recorded.
        loops: the mechanism in independent coordinates; none of a tree.
        tau: efforts at the ends and middles of steps: segment × 2 steps + 1 × velocity.
    """

    model: Mechanism
    names: tuple[str, ...]
    starts: Array
    length: float
    steps: int
    locked: tuple[int, ...]
    seen: tuple[int, ...]
    loops: ClosedMotion | None
    tau: Array

    @property
    def h(self) -> float:
        """Of a step [s]."""
        return self.length / self.steps

    @property
    def free(self) -> list[int]:
        """Numbers of the coordinates whose start is told by what was recorded of them."""
        if self.loops is not None:
            return self.loops.free
        return [k for k in range(self.model.nq) if k not in self.locked]

    @cached_property
    def forward(self) -> Program:
        """qdd by q, qd and tau; what is locked keeps its velocity, whatever effort that takes."""
        if self.loops is not None:
            return self.loops.forward
        if not self.locked:
            return derive(self.model, "forward")
        names = self.model.velocities
        known = {v: "qdd" if k in self.locked else "tau" for k, v in enumerate(names)}
        made = derive(self.model, "mixed", known=known)
        given = (replace(row, name="tau") if row.name == "gamma" else row for row in made.inputs)
        return replace(made, inputs=tuple(given), outputs=(made.output("qdd"),))

    @cached_property
    def active(self) -> list[int]:
        """Numbers of the unknown parameters on which the motion depends."""
        known = self.forward.input("p").labels
        return [k for k, name in enumerate(self.names) if name in known]

    @cached_property
    def function(self) -> Function:
        """Rates of the state, and of its changes along a direction; efforts stand behind both."""
        program = self.forward
        labels = [self.names[k] for k in self.active]
        parts = [row.name for row in state_parts(program)]
        rates, by = [f"{name}_rate" for name in parts], dict.fromkeys(parts)
        made = along(_with_rates(program), rates, {**by, **({"p": labels} if labels else {})})
        rows = {row.name: row for row in made.inputs}
        outputs = tuple(made.output(f"{name}{end}") for end in ("", "_dot") for name in rates)
        names = [f"{name}{end}" for end in ("", "_dot") for name in parts]
        names += [name for name in GIVEN if name in rows]
        inputs = (*(rows.pop(name) for name in names), *rows.values())
        found: Function = condense(replace(made, inputs=inputs, outputs=outputs)).compile()
        return found

    # --- the state at the start of every segment: q, qd, and user states where there are some -----

    @property
    def moving(self) -> list[int]:
        """Numbers of the velocities that are free at the start."""
        if self.loops is not None:
            return self.loops.free
        joints = self.model.leaders
        still = {
            name
            for j in joints
            for name in j.velocities
            if {self.model.coordinates.index(c) for c in j.coordinates} & {*self.locked}
        }
        return [k for k, name in enumerate(self.model.velocities) if name not in still]

    def tangents(self, q: Array) -> Array:
        """N of der(q) = N(q) qd: … × coordinate × velocity."""
        return tangents(self.forward.input("q"), q, self.model.nv)

    def start(self, q: Array, rates: Array, known: Sequence[int]) -> Array:
        """States from coordinates and rates of some of them, segment × component."""
        q = unit_rows(self.model, q)
        N = self.tangents(q)[:, known][:, :, self.moving]
        qd = np.zeros((len(q), self.model.nv))
        qd[:, self.moving] = np.einsum("kvi,ki->kv", np.linalg.pinv(N), rates)
        x = [float(state.initial) for state in self.model.states.values()]
        return np.concatenate([q, qd, np.tile(x, (len(q), 1))], axis=1)

    def ways(self, y: Array) -> Array:
        """Directions in which states may change: segment × direction × component."""
        n, m, size = self.model.nq, self.model.nv, y.shape[1]
        count = len(self.moving)
        found = np.zeros((len(y), 2 * count + size - n - m, size))
        found[:, :count, :n] = np.swapaxes(self.tangents(y[:, :n])[:, :, self.moving], 1, 2)
        found[:, range(count, 2 * count), [n + k for k in self.moving]] = 1.0
        found[:, range(2 * count, found.shape[1]), range(n + m, size)] = 1.0
        return found

    def move(self, y: Array, along_ways: Array) -> Array:
        """States that have gone along their directions, segment × direction."""
        moved = y + np.einsum("kw,kwi->ki", along_ways, self.ways(y))
        q, rest = np.split(moved, [self.model.nq], axis=1)
        return np.concatenate([unit_rows(self.model, q), rest], axis=1)

    def run(self, values: Array, y: Array, changes: Array) -> TangentState:
        """The motion at the ends of all steps, with tangents.

        Args:
            values: of the unknown parameters.
            y: states at the start of every segment.
            changes: of the unknown parameters, one row per direction; behind them go directions of
                the start values.

        Returns:
            q and its rates, segment × step × component; their changes with directions behind
            segments.
        """
        (count, size), own = y.shape, len(changes)
        ways = self.ways(y)
        used = own + ways.shape[1]
        segment, way = (k.ravel() for k in np.indices((count, used)))
        first = np.zeros((len(way), 2 * size))
        first[:, :size] = y[segment]
        still = np.zeros((count, own, size))
        first[:, size:] = np.concatenate([still, ways], axis=1).reshape(-1, size)
        free = np.zeros((ways.shape[1], len(self.active)))
        moved = np.vstack([changes[:, self.active], free])[way]
        if self.loops is not None:
            first = self._close(values, first, segment, moved)
        states = self._drive(values, first, segment, moved).reshape(count, used, -1, 2 * size)
        return self._seen_rates(states[:, 0, :, :size], states[..., size:])

    def _seen_rates(self, whole: Array, changed: Array) -> TangentState:
        """q and der(q) = N(q) qd, and their changes; N is linear in quaternions."""
        n, m = self.model.nq, self.model.nv
        q, qd, dq, dqd = (
            whole[..., :n],
            whole[..., n : n + m],
            changed[..., :n],
            changed[..., n : n + m],
        )
        if not self.forward.input("q").tangent:
            return q, qd, dq, dqd
        N, zero = self.tangents(q), self.tangents(np.zeros(n))
        dN = self.tangents(dq) - zero
        rates = np.einsum("...iv,...v->...i", N, qd)
        drates = np.einsum("kwtiv,ktv->kwti", dN, qd) + np.einsum("ktiv,kwtv->kwti", N, dqd)
        return q, rates, dq, drates

    @cached_property
    def _closing(self) -> Function:
        """What closes the loops at the start, with tangents."""
        assert self.loops is not None
        return self.loops.closing([self.names[k] for k in self.active])

    def _close(self, values: Array, first: Array, segment: Integers, moved: Array) -> Array:
        """States with tangents at the start that obey the loops."""
        assert self.loops is not None
        parts = {"p_dot": moved} if moved.shape[1] else {}
        times = self.starts[segment]
        return self.loops.start(self._closing, first, times, parts, self._own(values))

    def _own(self, values: Array) -> dict[str, float]:
        """Values of the unknown parameters on which the motion depends, by name."""
        given = dict(zip(self.names, values.tolist(), strict=True))
        return {name: given[name] for name in (self.names[k] for k in self.active)}

    def _drive(self, values: Array, first: Array, segment: Integers, moved: Array) -> Array:
        """States with tangents at the ends of all steps: run × step × component.

        Args:
            values: of the unknown parameters.
            first: states with tangents at the start, one row per run.
            segment: of every run.
            moved: changes of the parameters, one row per run.
        """
        function, count = self.function.with_values(self._own(values)), len(first)
        states = np.empty((count, self.steps + 1, first.shape[1]))
        u = self._efforts(any(port.name == "t" for port in function.inputs))

        def drive(block: int) -> None:
            lanes = np.minimum(np.arange(block, block + LANES), count - 1)
            rest = {"p_dot": moved[lanes].T} if moved.shape[1] else {}
            found = drive_lanes(
                function, first[lanes].T, np.moveaxis(u[segment[lanes]], 0, -1), rest, self.h
            )
            states[block : block + LANES] = np.moveaxis(found, -1, 0)[: count - block]

        with ThreadPoolExecutor(cores()) as pool:
            list(pool.map(drive, range(0, count, LANES)))
        return states

    def _efforts(self, timed: bool) -> Array:
        """Efforts of every segment at the ends and middles of steps; the time there where asked."""
        if not timed:
            return self.tau
        times = self.starts[:, None] + 0.5 * self.h * np.arange(self.tau.shape[1])
        return np.concatenate([self.tau, times[..., None]], axis=2)


def _with_rates(forward: Program) -> Program:
    """Forward dynamics whose outputs are the rates of all parts of the state."""
    nodes = {
        "q": coordinate_rates(forward, *consistent(forward)),
        "qd": forward.output("qdd").nodes,
    }
    if forward.gives("xd"):
        nodes["x"] = forward.output("xd").nodes
    rates = tuple(Output(f"{name}_rate", (len(row),), tuple(row), forward.input(name).labels)
                  for name, row in nodes.items())  # fmt: skip
    return replace(forward, outputs=rates)


def hermite(h: float, steps: int, times: Array) -> tuple[Any, Array, Array]:
    """Places between steps, and weights of values and slopes there.

    Args:
        h: length of a step [s].
        steps: how many.
        times: from the first step on [s].

    Returns:
        Number of the step before; weights of (q, q after, qd, qd after), of q and of its rate.
    """
    at = np.clip((times / h).astype(int), 0, steps - 1)
    s = times / h - at
    values = np.array([
        2 * s**3 - 3 * s**2 + 1, 3 * s**2 - 2 * s**3, h * (s**3 - 2 * s**2 + s), h * (s**3 - s**2),
    ])  # fmt: skip
    rates = np.array([
        (6 * s**2 - 6 * s) / h, (6 * s - 6 * s**2) / h, 3 * s**2 - 4 * s + 1, 3 * s**2 - 2 * s,
    ])  # fmt: skip
    return at, values, rates
