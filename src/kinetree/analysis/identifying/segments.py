"""Motion of a machine that recorded efforts drive, in segments side by side, with tangents.

A segment begins with a state of its own, so that errors of efforts and of the model do not add up
over the whole recording.  Tangents by parameters and by start values go along (the direct method,
eq. 19); every segment and direction is a run of its own, eight in the lanes of one loop.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array, Integers
from kinetree.integrate.loops.driven_steps import drive_lanes
from kinetree.pipeline import derive
from kinetree.program.differentiate import along
from kinetree.program.passes import condense
from kinetree.targets.native.function import Function, cores
from kinetree.targets.native.lanes.packing import LANES

if TYPE_CHECKING:
    from kinetree.analysis.identifying.closed_motion import ClosedMotion
    from kinetree.model import Mechanism
    from kinetree.program import Program

TangentState = tuple[Array, Array, Array, Array]
"""q, qd, and their changes along the directions."""
SPEEDS = ("qd", "qd_dot")
STATE = ("q", "qd", "q_dot", "qd_dot")
GIVEN = ("tau", "t")
"""Inputs of the rates: those that are rates themselves, the state, what drives it."""


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
        """Numbers of the coordinates that move by themselves."""
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
        """Rates of q and qd, and of their changes along a direction; efforts behind these four."""
        program = self.forward
        labels = [self.names[k] for k in self.active]
        by = {"q": None, "qd": None, **({"p": labels} if labels else {})}
        speeds = [] if self.loops is None else ["qd_closed"]
        made = along(program, ["qdd", *speeds], by)
        rows = {row.name: row for row in made.inputs}
        own = [made.output(f"{name}{end}").nodes for name in speeds for end in ("", "_dot")]
        fast = [
            replace(made.output("qdd"), name=f"{n}_rate", nodes=nodes)
            for n, nodes in zip(SPEEDS, own or [rows[n].symbols for n in SPEEDS], strict=True)
        ]
        outputs = (fast[0], made.output("qdd"), fast[1], made.output("qdd_dot"))
        names = [name for name in (*STATE, *GIVEN) if name in rows]
        inputs = (*(rows.pop(name) for name in names), *rows.values())
        found: Function = condense(replace(made, inputs=inputs, outputs=outputs)).compile()
        return found

    def run(self, values: Array, q: Array, qd: Array, changes: Array) -> TangentState:
        """The motion at the ends of all steps, with tangents.

        Args:
            values: of the unknown parameters.
            q: coordinates at the start of every segment.
            qd: velocities there.
            changes: of the unknown parameters, one row per direction; behind them go directions of
                the start values of what moves, q first.

        Returns:
            q and qd, segment × step × component; their changes with directions behind segments.
        """
        (count, n), own = q.shape, len(changes)
        starts = np.eye(2 * n)[[*self.free, *(n + k for k in self.free)]]
        used = own + len(starts)
        segment, way = (k.ravel() for k in np.indices((count, used)))
        first = np.zeros((len(way), 4 * n))
        first[:, : 2 * n] = np.hstack([q, qd])[segment]
        first[:, 2 * n :] = np.vstack([np.zeros((own, 2 * n)), starts])[way]
        moved = np.vstack([changes[:, self.active], np.zeros((len(starts), len(self.active)))])[way]
        if self.loops is not None:
            first = self._close(values, first, segment, moved)
        states = self._drive(values, first, segment, moved).reshape(count, used, -1, 4 * n)
        changed = states[..., 2 * n :]
        whole = states[:, 0]
        return whole[..., :n], whole[..., n : 2 * n], changed[..., :n], changed[..., n:]

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
