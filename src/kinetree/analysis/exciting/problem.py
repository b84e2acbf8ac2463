"""The problem that an exciting motion solves: criterion and limits with exact slopes.

Free numbers of the Fourier series go in.  Slopes come back by reverse mode: those of the criterion
by the columns W, handed through the regressor to q, qd, qdd at every time and from there, linearly,
to the free numbers; those of efforts and points likewise (theory/identification, eqs. 15 to 17).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.exciting.criteria import Criterion
from kinetree.analysis.exciting.fourier import Fourier
from kinetree.analysis.exciting.limits import Bounds, Plane, soft_largest
from kinetree.analysis.identifying.columns import ParameterColumns
from kinetree.analysis.observing.program import OUT, derive_outputs
from kinetree.arrays import Array
from kinetree.pipeline import derive
from kinetree.program import Program
from kinetree.program.differentiate import reverse

if TYPE_CHECKING:
    from kinetree.model import Mechanism

MOTION = ("q", "qd", "qdd")
PlannedMotion = tuple[Array, Array, Array]
LARGE = 1e6
"""Size of a motion [rad or m] beyond which no value is asked for."""


@dataclass(frozen=True)
class ExcitingTask:
    """What is asked.

    Attributes:
        columns: of the parameters that are to be told.
        series: the form of the motion.
        moving: numbers of the coordinates that move; those of their velocities are the same.
        still: coordinates of the others.
        bounds: of positions, speeds, accelerations, efforts.
        planes: that points keep away from.
        weights: of the equations, 1/σ.
        fixed: values of user states and time that efforts of the model may use.
    """

    columns: ParameterColumns
    series: Fourier
    moving: tuple[tuple[int, int], ...]
    still: Array
    bounds: tuple[Bounds, ...]
    planes: tuple[Plane, ...]
    weights: Array
    fixed: dict[str, Any] = field(default_factory=dict)

    @property
    def model(self) -> Mechanism:
        """The mechanism."""
        return self.columns.model

    @property
    def size(self) -> int:
        """Number of free numbers."""
        return len(self.moving) * self.series.size

    def motion(self, z: Array, time: Array) -> PlannedMotion:
        """q, qd, qdd at times [s]."""
        return self.spread(z, self.series.tables(time))

    def spread(self, z: Array, tables: PlannedMotion) -> PlannedMotion:
        """q, qd, qdd of the whole model from tables of the series."""
        rows = z.reshape(len(self.moving), -1)
        count = len(tables[0])
        q, model = np.tile(self.still, (count, 1)), self.model
        qd, qdd = np.zeros((2, count, model.nv))
        for row, (at, v) in zip(rows, self.moving, strict=True):
            q[:, at], qd[:, v], qdd[:, v] = (table @ row for table in tables)
        return q, qd, qdd

    def pull(self, bars: PlannedMotion, tables: PlannedMotion) -> Array:
        """Slopes by the free numbers, from those by q, qd, qdd at every time."""
        at, v = (list(row) for row in zip(*self.moving, strict=True))
        parts = zip(bars, (at, v, v), tables, strict=True)
        rows = np.array([bar[:, k].T @ table for bar, k, table in parts]).sum(axis=0)
        return np.asarray(rows).ravel()

    # --- programs --------------------------------------------------------------------------------

    @cached_property
    def efforts(self) -> Program:
        """Inverse dynamics of the model as it is."""
        return derive(self.model, "inverse")

    @cached_property
    def points(self) -> Program:
        """Positions of the points that keep away from planes."""
        names = [f"{plane.point}.position" for plane in self.planes]
        return derive_outputs(self.model, list(dict.fromkeys(names)), "clearance").program

    @cached_property
    def back(self) -> dict[str, Any]:
        """Compiled reverses: of the regressor, of efforts, of points."""
        rows = {"Y": self.columns.program, "tau": self.efforts}
        rows |= {OUT: self.points} if self.planes else {}
        return {
            of: reverse(row, of, [name for name in MOTION if row.takes(name)], only=True).compile()
            for of, row in rows.items()
            if any(row.takes(name) for name in MOTION)
        }

    @cached_property
    def _functions(self) -> dict[str, Any]:
        rows = [self.efforts, *([self.points] if self.planes else [])]
        return {row.name: row.compile() for row in rows}

    def call(self, program: Program, motion: PlannedMotion) -> Any:
        """A Program at every time."""
        given = {**dict(zip(MOTION, motion, strict=True)), **self.fixed}
        return self._functions[program.name](**program.pick_inputs(given))

    def reverse(self, of: str, motion: PlannedMotion, bar: Array) -> PlannedMotion:
        """Slopes by q, qd, qdd from those by an output."""
        if of not in self.back:  # nothing of it moves
            return 0 * motion[0], 0 * motion[1], 0 * motion[2]
        function = self.back[of]
        given: dict[str, Any] = {**dict(zip(MOTION, motion, strict=True)), **self.fixed}
        given[f"{of}_bar"] = bar
        names = {port.name for port in function.inputs if not port.parameter}
        found = function(check=False, **{k: v for k, v in given.items() if k in names})
        q, qd, qdd = (found.get(f"{k}_bar", 0 * x) for k, x in zip(MOTION, motion, strict=True))
        return q, qd, qdd


class ExcitingProblem:
    """Value, limits and slopes at free numbers, for times that cover one period.

    Attributes:
        task: what is asked.
        tables: of the series at the times.
        margin: by which limits are drawn in, as a part of their ranges.
    """

    def __init__(self, task: ExcitingTask, times: Array, margin: float) -> None:
        self.task, self.margin = task, margin
        self.tables = task.series.tables(times)
        self._last: tuple[bytes, Any] = (b"", None)

    # --- the criterion ---------------------------------------------------------------------------

    def value(self, z: Array, criterion: Criterion) -> tuple[float, Array]:
        """The criterion and its slopes by the free numbers."""
        task = self.task
        motion = task.spread(z, self.tables)
        if not np.isfinite(z).all() or np.abs(motion[0]).max() > LARGE:
            return np.inf, np.zeros_like(z)
        W = self.columns(motion)
        flat = W.reshape(-1, W.shape[2])
        found, slopes = criterion(flat.T @ flat)
        bar = 2 * W @ slopes * task.weights[:, None]  # dA = Wᵀ dW + dWᵀ W  (eq. 16)
        return found, task.pull(self._through_columns(motion, bar), self.tables)

    def columns(self, motion: PlannedMotion) -> Array:
        """Columns of the base parameters, weighted: time × equation × parameter."""
        made = self.task.columns
        return made.table(*motion)[:, :, made.base[0]] * self.task.weights[:, None]

    def _through_columns(self, motion: PlannedMotion, bar: Array) -> PlannedMotion:
        """Slopes by q, qd, qdd from those by the columns of base parameters (eq. 17)."""
        made = self.task.columns
        kept = made.base[0]
        count, bodies = len(bar), len(made.places)
        whole = np.zeros((count, *made.program.output("Y").shape))
        own = [(k, made.places[n]) for k, n in enumerate(kept) if n < bodies]
        rows = made.row_numbers
        whole[np.ix_(range(count), rows, [at for _, at in own])] = bar[:, :, [k for k, _ in own]]
        q, qd, qdd = self.task.reverse("Y", motion, whole)
        rates = [qd.copy(), qdd.copy()]
        for k, n in enumerate(kept):
            if n >= bodies:
                kind, v, slopes = made.joint_slopes(n, motion[1])
                rates[kind][:, v] += bar[:, rows.index(v), k] * slopes
        return q, rates[0], rates[1]

    # --- limits ----------------------------------------------------------------------------------

    def limits(self, z: Array) -> tuple[Array, Array]:
        """How far limits are held (≥ 0 where they are), and the slopes, one row each."""
        key = z.tobytes()
        if self._last[0] != key:
            self._last = (key, self._limits(z))
        found: tuple[Array, Array] = self._last[1]
        return found

    def _limits(self, z: Array) -> tuple[Array, Array]:
        motion = self.task.spread(z, self.tables)
        values: list[Array] = []
        slopes: list[Array] = []
        for bounds in self.task.bounds:
            found, rows = self._of_bounds(bounds, motion)
            values.append(found)
            slopes += rows
        for plane in self.task.planes:
            g, row = self._of_plane(plane, motion)
            values.append(g)
            slopes.append(row)
        if not values:
            return np.zeros(0), np.zeros((0, len(z)))
        return -np.concatenate(values), -np.array(slopes).reshape(-1, len(z))

    def _of_bounds(self, bounds: Bounds, motion: PlannedMotion) -> tuple[Array, list[Array]]:
        """KS of every coordinate with a bound, and its slopes."""
        task = self.task
        values = self.quantity(bounds.kind, motion)
        found, weights = soft_largest(bounds.overruns(values), self.margin)
        bar = (weights[:, 1] - weights[:, 0]) / bounds.size
        used = np.isfinite(bounds.low) | np.isfinite(bounds.high)
        rows = []
        for k in np.flatnonzero(used):
            one = np.zeros_like(bar)
            one[:, k] = bar[:, k]
            rows.append(task.pull(self._of_quantity(bounds.kind, motion, one), self.tables))
        return found[used], rows

    def quantity(self, kind: str, motion: PlannedMotion) -> Array:
        """Values of what is bounded, of the coordinates that move."""
        task = self.task
        at, v = (list(row) for row in zip(*task.moving, strict=True))
        if kind == "effort":
            return np.asarray(task.call(task.efforts, motion)["tau"])[:, v]
        number = ("position", "speed", "acceleration").index(kind)
        return motion[number][:, at if number == 0 else v]

    def _of_quantity(self, kind: str, motion: PlannedMotion, bar: Array) -> PlannedMotion:
        """Slopes by q, qd, qdd from those by what is bounded."""
        at, v = (list(row) for row in zip(*self.task.moving, strict=True))
        if kind == "effort":
            whole = np.zeros_like(motion[1])
            whole[:, v] = bar
            return self.task.reverse("tau", motion, whole)
        bars = [np.zeros_like(part) for part in motion]
        number = ("position", "speed", "acceleration").index(kind)
        bars[number][:, at if number == 0 else v] = bar
        return bars[0], bars[1], bars[2]

    def _of_plane(self, plane: Plane, motion: PlannedMotion) -> tuple[Array, Array]:
        """KS of the distance of a point from a plane [m], and its slopes."""
        task = self.task
        r, here = self._positions(plane, motion)
        found, weights = soft_largest((plane.distance - r @ plane.normal)[:, None], self.margin)
        bar = np.zeros((len(r), task.points.output(OUT).shape[0]))
        bar[:, here] = -weights * plane.normal
        return found, task.pull(task.reverse(OUT, motion, bar), self.tables)

    # --- as it is --------------------------------------------------------------------------------

    def overruns(self, z: Array) -> dict[str, float]:
        """By how much the limits are passed at most, by name; negative where they are held."""
        motion = self.task.spread(z, self.tables)
        found: dict[str, float] = {}
        for bounds in self.task.bounds:
            most = bounds.overruns(self.quantity(bounds.kind, motion)).max(axis=(0, 1))
            rows = zip(bounds.names, most.tolist(), strict=True)
            found |= {f"{bounds.kind} of '{name}'": x for name, x in rows if np.isfinite(x)}
        for plane in self.task.planes:
            r, _ = self._positions(plane, motion)
            name = f"clearance of '{plane.point}'"
            most = float((plane.distance - r @ plane.normal).max())
            found[name] = max(most, found.get(name, -np.inf))
        return found

    def _positions(self, plane: Plane, motion: PlannedMotion) -> tuple[Array, list[int]]:
        """Positions of the point of a plane, and where they stand among the outputs."""
        program = self.task.points
        labels = [name.rpartition(".")[0] for name in program.output(OUT).labels]
        here = [k for k, name in enumerate(labels) if name == f"{plane.point}.position"]
        found = np.asarray(self.task.call(program, motion)[OUT])
        return np.broadcast_to(found, (len(motion[0]), len(labels)))[:, here], here

    def condition(self, z: Array) -> float:
        """Condition number of the weighted columns."""
        W = self.columns(self.task.spread(z, self.tables))
        return float(np.linalg.cond(W.reshape(-1, W.shape[2])))
