"""What equal steps have made of contacts: how deep they went, and the energy that they made.

Equal steps do not end where bodies meet and part, so that an elastic contact gives back more or
less than it has taken.  From one row to the next the forces do the work F̄·v̄ h, by means of both
ends, where the contact stores ΔU and loses L̄ h: what it gave too much is

    ΔE = Σ (F̄·v̄ + L̄) h + ΔU
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.outputs import observer
from kinetree.arrays import Array
from kinetree.model import FORCES, Mechanism

if TYPE_CHECKING:
    import xarray

    Look = Callable[[xarray.Dataset], xarray.Dataset]
TOLD = ("depth", "stored", "loss")
PAIRS = (("force", "rate"), ("torque", "angular_rate"))
PARTS = "xyz"


def telling(model: Mechanism, look: Look) -> Look:
    """`look` that adds to a run what its contacts did, as attributes; of a batch nothing."""
    names = [
        force.name
        for force in model.forces.values()
        if set(TOLD) <= {row.name for row in FORCES[force.kind].outputs}
    ]
    if not names:
        return look
    vectors = [f"{name}.{part}" for pair in PAIRS for name in pair for part in PARTS]
    wanted = [f"{name}.{told}" for name in names for told in (*TOLD, *vectors)]
    see = observer(model, wanted)

    def tell(run: xarray.Dataset) -> xarray.Dataset:
        found = look(run)
        return found if run["q"].ndim > 2 else found.assign_attrs(_facts(see(run), names))

    return tell


def _facts(run: xarray.Dataset, names: list[str]) -> dict[str, float | str]:
    """Attributes: the largest depth [m], where and when, and the energy made [J]."""
    depths = np.stack([run[f"{name}.depth"].values for name in names])
    which, when = np.unravel_index(np.argmax(depths), depths.shape)
    return {
        "contact_depth": float(depths[which, when]),
        "contact_deepest": f"{names[which]} at t = {run['time'].values[when]:.6g} s",
        "contact_energy": sum(_energy(run, name) for name in names),
    }


def _energy(run: xarray.Dataset, name: str) -> float:
    """Energy that the steps made in one contact [J]."""
    h = np.diff(run["time"].values)
    stored, loss = (run[f"{name}.{told}"].values for told in ("stored", "loss"))
    work = [
        _mean(run[f"{name}.{push}.{part}"].values) * _mean(run[f"{name}.{way}.{part}"].values)
        for push, way in PAIRS
        for part in PARTS
    ]
    return float(((sum(work) + _mean(loss)) * h).sum() + stored[-1] - stored[0])


def _mean(values: Array) -> Array:
    return (values[1:] + values[:-1]) / 2
