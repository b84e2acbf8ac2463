"""Derivatives of runs along a direction by a complex step: of the same steps, of the exact motion.

What varies is moved by i h times a direction: imaginary parts over h are derivatives in which
nothing is subtracted, through any chain of Programs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import solve_ivp

import kinetree as kt
from kinetree.formalism.natural import chart
from kinetree.formalism.natural.relative import relative_program
from kinetree.integrate.start.start_program import start_program
from kinetree.program.state_form import rates
from kinetree.steppers import step_program

if TYPE_CHECKING:
    from numpy.typing import NDArray

TINY = 1e-30
START = {"u": "q0", "ud": "qd0", "x": "x0"}
"""Input of the start -> what begins the names of its values."""
Rows = dict[str, Any]


@dataclass(frozen=True)
class Moved:
    """A model whose parameters and start move along a direction.

    Attributes:
        model: what varies open.
        direction: change of what varies, by the names that `kt.sensitivity` takes.
        given: start values by the same names.
    """

    model: kt.Model
    direction: Mapping[str, float]
    given: Mapping[str, float]

    def begin(self) -> tuple[Rows, Rows]:
        """The consistent start, and parameters by name."""
        names = {*self.direction, *self.given}
        free = [name.removeprefix("q0.") for name in names if name.startswith("q0.")]
        start = start_program(self.model, independent=free if self.model.closures else ())
        rows = {row: self._input(start, row) for row in (*START, "p") if start.takes(row)}
        known = {f"{START[k]}.{x}" for k in START if k in rows for x in start.input(k).labels}
        assert known >= {name for name in names if "0." in name}
        found = start.evaluate(**rows, **({"t": 0.0} if start.takes("t") else {}))
        found["x"] = rows.get("x", np.zeros(0))
        labels = start.input("p").labels if "p" in rows else ()
        return found, dict(zip(labels, rows.get("p", ()), strict=True))

    def _input(self, start: kt.Program, row: str) -> Any:
        port = start.input(row)
        values = np.array(port.default, dtype=complex)
        for k, label in enumerate(port.labels):
            name = f"{START[row]}.{label}" if row in START else label
            values[k] = self.given.get(name, values[k])
            values[k] += 1j * TINY * self.direction.get(name, 0.0)
        return values


def along_steps(moved: Moved, length: float, count: int, **options: Any) -> NDArray[np.float64]:
    """Changes of q, qd and x at the end of some equal steps; options are those of the step."""
    state, p = moved.begin()
    step = step_program(moved.model, **options)
    near = state["q"].real
    natural = chart(moved.model) if step.info["formulation"] == "global" else None
    if natural is not None:
        found = _call(natural.there, state, p)
        state |= {name.removeprefix("natural_"): value for name, value in found.items()}
    state |= {"a": state["qdd"], "y": state.get("xd", np.zeros(0))}
    if step.takes("lam"):  # iterations begin there, the end of a step does not depend on it
        state["lam"] = np.zeros(len(step.input("lam").symbols))
    ends: Rows = {}
    for k in range(count):
        found = _call(step, {**state, "t": k * length, "h": length}, p)
        state = {name.removesuffix("_next"): value for name, value in found.items()}
        ends = state
        if natural is not None:
            back = relative_program(natural)
            read = {**state, "near": near, "t": (k + 1) * length}
            read.setdefault("lam", np.zeros(len(natural.found.labels)))
            ends = {**state, **_call(back, read, p)}
            near = ends["q"].real
    return _imaginary(ends)


def along_motion(moved: Moved, duration: float) -> NDArray[np.float64]:
    """Changes of q, qd and x at the end of the exact motion, by DOP853 of SciPy."""
    state, p = moved.begin()
    forward = rates(kt.derive(moved.model, "forward"))
    tau = np.zeros(len(state["qd"]))

    def slopes(t: float, y: Any) -> Any:
        return _call(forward, {"t": t, "y": y, "tau": tau}, p)["yd"]

    start = np.concatenate([state["q"], state["qd"], state["x"]]).astype(complex)
    path = solve_ivp(slopes, (0, duration), start, "DOP853", rtol=1e-12, atol=1e-14)
    found: NDArray[np.float64] = path.y[:, -1].imag / TINY
    return found


def _call(program: kt.Program, values: Rows, p: Rows) -> Rows:
    """A Program at what it takes of some values."""
    names = [row.name for row in program.inputs]
    given = {name: value for name, value in values.items() if name in names}
    if "p" in names:
        given["p"] = np.array([p[label] for label in program.input("p").labels])
    return dict(program.evaluate(**given))


def _imaginary(ends: Rows) -> NDArray[np.float64]:
    parts = [np.atleast_1d(ends.get(name, np.zeros(0))) for name in ("q", "qd", "x")]
    return np.concatenate(parts).imag / TINY
