"""Motion of a machine that recorded efforts drive, in segments side by side, with tangents.

A segment begins with a state of its own, so that errors of efforts and of the model do not add up
over the whole recording.  All segments go through the same steps of the Runge-Kutta method at once;
tangents by parameters and by start values go along (the direct method, eq. 19).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.pipeline import derive
from kinetree.program.differentiate import along
from kinetree.targets.native.lanes.packing import LANES

if TYPE_CHECKING:
    from kinetree.model import Mechanism

TangentState = tuple[Array, Array, Array, Array]
"""q, qd, and their changes along the directions."""


@dataclass(frozen=True, eq=False)
class Segments:
    """Segments of recordings, all of one length.

    Attributes:
        model: the mechanism, with the unknown parameters open.
        names: of these.
        starts: time at the beginning of each [s].
        length: of a segment [s].
        steps: of a segment.
        tau: efforts at the ends and middles of steps: segment × 2 steps + 1 × velocity.
    """

    model: Mechanism
    names: tuple[str, ...]
    starts: Array
    length: float
    steps: int
    tau: Array

    @property
    def h(self) -> float:
        """Of a step [s]."""
        return self.length / self.steps

    @cached_property
    def active(self) -> list[int]:
        """Numbers of the unknown parameters on which the motion depends."""
        known = derive(self.model, "forward").input("p").labels
        return [k for k, name in enumerate(self.names) if name in known]

    @cached_property
    def function(self) -> Any:
        """qdd, and its change along a direction."""
        program = derive(self.model, "forward")
        labels = [self.names[k] for k in self.active]
        by = {"q": None, "qd": None, **({"p": labels} if labels else {})}
        return along(program, ["qdd"], by).compile()

    def run(self, values: Array, q: Array, qd: Array, changes: Array) -> TangentState:
        """The motion at the ends of all steps, with tangents.

        Args:
            values: of the unknown parameters.
            q: coordinates at the start of every segment.
            qd: velocities there.
            changes: of the unknown parameters, one row per direction; behind them go directions of
                the start values, q first.

        Returns:
            q and qd, segment × step × component; their changes with directions behind segments.
        """
        count, n = q.shape
        used = len(changes) + 2 * n
        wide = max(used, LANES)  # one call for all of them, where fewer are made one by one
        dq, dqd = np.zeros((2, count, wide, n))
        dq[:, len(changes) : len(changes) + n] = np.eye(n)
        dqd[:, len(changes) + n : used] = np.eye(n)
        moved = np.zeros((wide, len(self.active)))
        moved[: len(changes)] = changes[:, self.active]
        given = dict(zip(self.names, values.tolist(), strict=True))
        function = self.function.with_values(
            {self.names[k]: given[self.names[k]] for k in self.active}
        )
        state: TangentState = (q[:, None], qd[:, None], dq, dqd)
        rows = [state]
        for k in range(self.steps):
            state = self._step(function, state, k, moved)
            rows.append(state)
        parts = [np.stack(part, axis=-2) for part in zip(*rows, strict=True)]
        return parts[0][:, 0], parts[1][:, 0], parts[2][:, :used], parts[3][:, :used]

    def _step(self, function: Any, state: TangentState, k: int, moved: Array) -> TangentState:
        """One step of the classical Runge-Kutta method."""
        h, known = self.h, {port.name for port in function.inputs}

        def rates(state: TangentState, half: int) -> TangentState:
            q, qd, dq, dqd = state
            given: dict[str, Any] = {
                "q": q, "qd": qd, "tau": self.tau[:, None, 2 * k + half], "q_dot": dq,
                "qd_dot": dqd, "t": (self.starts + (k + half / 2) * h)[:, None],
            }  # fmt: skip
            if moved.shape[1]:
                given["p_dot"] = moved
            found = function(check=False, **{a: x for a, x in given.items() if a in known})
            return qd, found["qdd"][:, :1], dqd, found["qdd_dot"]

        a = rates(state, 0)
        b = rates(_add(state, a, h / 2), 1)
        c = rates(_add(state, b, h / 2), 1)
        d = rates(_add(state, c, h), 2)
        total = tuple(w + 2 * x + 2 * y + z for w, x, y, z in zip(a, b, c, d, strict=True))
        return _add(state, total, h / 6)  # type: ignore[arg-type]


def _add(state: TangentState, rates: TangentState, h: float) -> TangentState:
    q, qd, dq, dqd = (y + h * f for y, f in zip(state, rates, strict=True))
    return q, qd, dq, dqd


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
