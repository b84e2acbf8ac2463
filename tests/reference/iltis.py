"""The Iltis of the examples, its variants, and the numbers published for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.interpolate
from ruamel.yaml import YAML
from tests.approx import LONG_RUN, ULP

import kinetree as kt
from kinetree.formats.build import build
from kinetree.formats.schema import validate

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "iltis"
CORNERS = ("FL", "FR", "RR", "RL")
INDEPENDENT = ("x", "y", "z", "pitch", "roll", "yaw", *(f"R1_{c}" for c in CORNERS))
COLUMNS = (
    "x_m", "y_m", "z_m", "pitch_rad", "roll_rad", "yaw_rad", *(f"R1_{c}_rad" for c in CORNERS),
)  # fmt: skip
Change = Callable[[dict[str, Any]], None]


@cache
def published() -> Any:
    """Data and reference values of the benchmark."""
    return YAML(typ="safe").load(DATA / "iltis.yaml")


def history(name: str) -> dict[str, np.ndarray]:
    """Columns of one of ROBOTRAN's own results."""
    rows = np.genfromtxt(DATA / f"robotran_{name}.csv", delimiter=",", names=True)
    assert rows.dtype.names is not None
    return {column: rows[column] for column in rows.dtype.names}


def model(change: Change | None = None) -> kt.Model:
    """The model of the examples, its document changed before it is built."""
    document = YAML(typ="safe").load(ROOT / "examples" / "models" / "iltis.yaml")
    if change is not None:
        change(document)
    return build(validate(document))


def on_springs(document: dict[str, Any]) -> None:
    """Wheels that carry by vertical forces through their centres: no lateral force, no camber."""
    for name in (f"{corner}_tyre" for corner in CORNERS):
        tyre = document["forces"][name]
        document["forces"][name] = {
            "kind": "contact_sphere",
            "first": tyre["first"],
            "second": "ground",
            "radius": tyre["radius"],
            "stiffness": tyre["stiffness"],
            "exponent": 1,
        }


@dataclass(frozen=True)
class Rest:
    """A state of rest.

    Attributes:
        q: coordinates by name.
        effort: what holds each driven coordinate [N or N.m].
        residual: largest generalised force that is left [N or N.m].
    """

    q: dict[str, float]
    effort: dict[str, float]
    residual: float


class Statics:
    """Equilibrium by plain numbers: c of the tree, h and J of the loops, nothing else."""

    def __init__(self, model: kt.Model, independent: tuple[str, ...] = INDEPENDENT) -> None:
        self.model, self.independent = model, independent
        names = list(model.coordinates)
        self.tree = kt.derive(model, "mass_bias").compile()
        self.loops = kt.derive(model, "constraints").compile()
        self.driven = [k for k, name in enumerate(names) if name in model.drives]
        self.free = [names.index(name) for name in independent]
        self.bound = [k for k in range(len(names)) if k not in (*self.driven, *self.free)]

    def closed(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q with its loops closed, and J there."""
        q = q.copy()
        for _ in range(20):
            loop = self._call(self.loops, q)
            if np.abs(loop["h"]).max() < ULP:
                break
            q[self.bound] -= np.linalg.solve(loop["J"][:, self.bound], loop["h"])
        return q, loop["J"]

    def forces(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Generalised forces along the independent coordinates, and on all coordinates."""
        q, J = self.closed(q)
        c = self._call(self.tree, q)["c"]
        lam = np.linalg.solve(J[:, self.bound].T, c[self.bound])
        total = c - J.T @ lam  # M qdd + c = tau + Jᵀ lam
        return total[self.free], total

    def rest(self, moving: tuple[str, ...]) -> Rest:
        """Newton's method with central differences, from the model's initial values."""
        names = list(self.model.coordinates)
        q = self.model.initial()
        at = [names.index(name) for name in moving]
        rows = [self.independent.index(name) for name in moving]
        for _ in range(10):
            f = self.forces(q)[0][rows]
            if np.abs(f).max() < LONG_RUN:
                break
            q[at] -= np.linalg.solve(self._slope(q, at, rows), f)
        q, _ = self.closed(q)
        left, total = self.forces(q)
        effort = {names[k]: float(total[k]) for k in self.driven}
        return Rest(dict(zip(names, q, strict=True)), effort, float(np.abs(left).max()))

    def _slope(self, q: np.ndarray, at: list[int], rows: list[int], step: float = 1e-6) -> Any:
        columns = []
        for k in at:
            up, down = q.copy(), q.copy()
            up[k] += step
            down[k] -= step
            columns.append((self.forces(up)[0][rows] - self.forces(down)[0][rows]) / (2 * step))
        return np.array(columns).T

    def _call(self, function: Any, q: np.ndarray) -> Any:
        given = {"q": q, "qd": 0 * q, "t": 0.0}
        return function(
            **{k: v for k, v in given.items() if k in {p.name for p in function.inputs}}
        )


def run(times: np.ndarray, speed: float, **parameters: float) -> np.ndarray:
    """Independent coordinates at those times, from rest but for the speed.

    The run is made as a user makes it (examples/18_iltis.py): nothing but the speed is given, the
    rest of the start follows.  Between outputs, 2 ms apart, cubics through q and qd are taken.
    """
    step = 2e-3
    given = {"speed": speed, **parameters}
    made = kt.simulate(
        vehicle(), step * np.ceil(times[-1] / step), qd={"x": speed}, parameters=given, step=step
    )
    q, qd = made.q.sel(coordinate=list(INDEPENDENT)), made.qd.sel(velocity=list(INDEPENDENT))
    between = scipy.interpolate.CubicHermiteSpline(made.time.values, q.values, qd.values)
    return np.array(between(times))


@cache
def vehicle() -> kt.Model:
    """The vehicle on its tyres."""
    return model()
