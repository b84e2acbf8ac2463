"""The Limousine of the examples: in balance at rest, and symmetric from side to side."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.approx import CLOSED, FOUR_DIGITS, LONG_RUN, ROUNDING
from tests.reference import robotran
from tests.reference.iltis import ROOT, Statics

import kinetree as kt

SPINS = tuple(f"spin_{c}" for c in ("FR", "FL", "RL", "RR"))
BARS = ("R2_FR_bar", "R2_FL_bar", "R2_RR_bar", "R2_RL_bar")
INDEPENDENT = ("x", "y", "z", "yaw", "roll", "pitch", *SPINS, *BARS)


@cache
def model() -> kt.Model:
    return kt.load(ROOT / "examples" / "models" / "limousine.yaml")


@cache
def forward() -> Any:
    chosen = kt.partition(model(), independent=INDEPENDENT)
    return kt.derive(model(), "forward", partition=chosen).compile()


def test_data_are_those_of_the_source() -> None:
    """Masses, number of coordinates and equations."""
    source = robotran.model("limousine_63", wrenches=False, cuts=True)
    ours = model()
    assert [b.mass for b in ours.bodies.values()] == [b.mass for b in source.bodies.values()]
    assert [b.com for b in ours.bodies.values()] == [b.com for b in source.bodies.values()]
    assert ours.nv == source.nv == 63
    assert [c.kind for c in ours.closures.values()] == [c.kind for c in source.closures.values()]
    q = np.random.default_rng(1).uniform(-0.3, 0.3, 63)
    h = [
        kt.derive(m, "constraints").compile()(q=q, qd=0 * q, **t)["h"]
        for m, t in ((ours, {"t": 0.0}), (source, {}))
    ]
    assert h[0] == pytest.approx(h[1], abs=ROUNDING)


def test_starts_in_balance() -> None:
    """No generalised force is left; the tyres carry the weight."""
    still = Statics(model(), INDEPENDENT)
    q = model().initial()
    closed, _ = still.closed(q)
    assert closed == pytest.approx(q, abs=CLOSED)
    assert still.forces(q)[0] == pytest.approx(np.zeros(14), abs=FOUR_DIGITS)


def mirrored(q: dict[str, float]) -> dict[str, float]:
    """Independent coordinates or their rates as seen in the plane of symmetry."""
    swap = {"spin_FR": "spin_FL", "spin_FL": "spin_FR", "spin_RL": "spin_RR", "spin_RR": "spin_RL"}
    flipped = {name: -value if name in ("y", "yaw", "roll") else value for name, value in q.items()}
    out = {swap.get(name, name): value for name, value in flipped.items()}
    for axle in ("F", "R"):  # the left arm of a bar turns against the right one
        right, left = q[f"R2_{axle}R_bar"], q[f"R2_{axle}L_bar"]
        out |= {f"R2_{axle}R_bar": right + left, f"R2_{axle}L_bar": -left}
    return out


def accelerations(q: dict[str, float], qd: dict[str, float]) -> dict[str, float]:
    names = list(model().coordinates)
    start, rate = model().initial(), np.zeros(63)
    for name in INDEPENDENT:
        start[names.index(name)], rate[names.index(name)] = q[name], qd[name]
    qdd = forward()(q=start, qd=rate, tau=np.zeros(63), t=0.0)["qdd"]
    return {name: float(qdd[names.index(name)]) for name in INDEPENDENT}


def test_left_is_the_mirror_image_of_right() -> None:
    random = np.random.default_rng(3)
    at_rest = dict(zip(model().coordinates, model().initial(), strict=True))
    q = {name: at_rest[name] + random.uniform(-0.01, 0.01) for name in INDEPENDENT}
    qd = {name: random.uniform(-0.1, 0.1) for name in INDEPENDENT}
    qd |= {"x": 20.0} | {spin: random.uniform(57, 59) for spin in SPINS}
    one = accelerations(q, qd)
    other = accelerations(mirrored(q), mirrored(qd))
    size = max(abs(x) for x in one.values())
    for name, value in mirrored(one).items():
        assert other[name] == pytest.approx(value, abs=LONG_RUN * size), name
