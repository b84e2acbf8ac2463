"""Machines whose parts touch now and then: a Geneva drive and a row of dominoes."""

from __future__ import annotations

from itertools import pairwise
from math import asin, atan2, cos, hypot, pi, sin, sqrt, tan
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from tests.approx import READ_OFF

import kinetree as kt

Array = np.ndarray
CENTRES, PIN, LOCK, PLAY = 0.1, 0.008, 0.05, 1e-5
"""Of a Geneva drive of four slots: distance of axes, radii of pin and locking disc, play [m]."""
ARM = CENTRES * sin(pi / 4)
"""Radius of the crank and of the wheel [m]."""


def turned(x: float, y: float, angle: float) -> tuple[float, float]:
    return (cos(angle) * x - sin(angle) * y, sin(angle) * x + cos(angle) * y)


def slotted_wheel() -> dict[str, Any]:
    """Four slots with round ends, and between them hollow arcs about the crank."""
    half, hollow = PIN + PLAY, LOCK + PLAY
    x = (CENTRES**2 + ARM**2 - hollow**2) / (2 * CENTRES)  # where the hollow arc meets the rim
    tip = atan2(sqrt(ARM**2 - x**2), x)
    held = 2 * atan2(ARM * sin(tip), CENTRES - x)  # angle of the hollow arc
    rim = tan((pi / 4 - asin(half / ARM) - tip) / 4)
    ground, mouth = CENTRES - ARM - PLAY, sqrt(ARM**2 - half**2)
    rows: list[Any] = []
    for k in range(4):
        lock, slot = k * pi / 2, k * pi / 2 + pi / 4
        rows += [
            (*turned(ARM, 0, lock - tip), -tan(held / 4)),
            (*turned(ARM, 0, lock + tip), rim),
            turned(mouth, -half, slot),
            (*turned(ground, -half, slot), -1.0),
            turned(ground, half, slot),
            (*turned(mouth, half, slot), rim),
        ]
    return {"chain": rows, "closed": True}


def locking_disc() -> dict[str, Any]:
    """What is left of the rim of the disc where it does not make room for the wheel."""
    half = pi - np.radians(47)
    return {"chain": [(*turned(LOCK, 0, pi - half), tan(half / 2)), turned(LOCK, 0, pi + half)]}


def test_a_geneva_drive_turns_its_wheel_as_the_closed_form_says_and_holds_it() -> None:
    """tan φ = a sin θ/(c - a cos θ) while the pin is in a slot, within its play; then it rests."""
    model = kt.Model("geneva", gravity=(0, 0, 0))
    crank = model.body("crank", mass=0.1, inertia=(1e-4,) * 3)
    wheel = model.body("wheel", mass=0.2, inertia=(1e-4,) * 3)
    model.revolute("turn", model.ground, crank, axis="z")
    model.revolute("index", model.ground.point("axis", (CENTRES, 0, 0)), wheel, axis="z")
    law = {"law": "linear", "stiffness": 1e6, "damping": 200.0}
    pin, disc = {"circle": (ARM, 0.0), "radius": PIN}, locking_disc()
    model.plane_contact("pin", crank, wheel, pin, slotted_wheel(), **law)
    rows = slotted_wheel()["chain"]
    for k in (1, 2):  # of the hollow arcs those that it meets on its way
        held = {"chain": [rows[6 * k], rows[6 * k + 1][:2]]}
        model.plane_contact(f"lock{k}", crank, wheel, disc, held, thickness=0.003, **law)
    model.drive("turn", lambda t: 2 * pi * t - 1.0)
    run = kt.simulate(model, 0.45, q={"index": pi}, step=0.005, method="cvode_bdf")
    theta, phi = run.q.values.T
    inside = np.abs(theta) < pi / 4
    assert inside.sum() > 40
    x, y = CENTRES - ARM * np.cos(theta), -ARM * np.sin(theta)
    wanted = np.where(inside, 3 * pi / 4 + np.arctan2(y, x), np.where(theta < 0, pi, pi / 2))
    off = np.abs(phi - wanted)
    assert (off[inside] * np.hypot(x, y)[inside]).max() < 1.1 * PLAY
    resting = theta > pi / 4 + 0.1
    assert resting.sum() > 10
    lever = CENTRES * LOCK / hypot(CENTRES, LOCK)
    assert off[resting].max() < 2 * PLAY / lever
    assert off[theta < -pi / 4].max() == 0, "it rests until the pin comes"


TALL, THICK, GAP, G, PUSH, COUNT = 0.048, 0.0085, 0.016, 9.81, 4.0, 7
"""Of a row of dominoes: sizes and distance [m], speed of the first [rad/s], their number."""
EVERY = THICK + GAP


def arrivals() -> Array:
    """Times at which the head of the wave reaches each next domino [s].

    Dominoes that have met lean on each other without losses and fall as one train of one freedom;
    the next is met plastically by all of them at once (J. M. J. van Leeuwen, The domino effect,
    American Journal of Physics 78, 2010, 721, without friction), written down anew here:

        h sin(θ₁ - θ) = p cos θ - d        of the corner of one on the face of the next
        s⁺ = Σ J ω/Σ J²,    J = dθ/ds      of the head after an impact
    """

    def train(s: float, behind: int) -> tuple[Array, Array]:
        angles, slopes = [s], [1.0]
        for _ in range(behind):
            u = (EVERY * cos(angles[-1]) - THICK) / TALL
            slopes.append(slopes[-1] * (1 - EVERY * sin(angles[-1]) / (TALL * sqrt(1 - u * u))))
            angles.append(angles[-1] + asin(u))
        return np.array(angles), np.array(slopes)

    def height(s: float, behind: int) -> float:  # potential energy by m g
        a = train(s, behind)[0]
        return float(np.sum(TALL * np.cos(a) + THICK * np.sin(a)) / 2)

    def speed(s: float) -> float:
        return sqrt(
            2 * (energy - G * height(s, behind)) / (inertia * (train(s, behind)[1] ** 2).sum())
        )

    inertia, met, t = (TALL**2 + THICK**2) / 3, asin(GAP / TALL), 0.0
    energy, found = inertia * PUSH**2 / 2 + G * height(0.0, 0), []
    for behind in range(COUNT - 1):
        t += quad(lambda s: 1 / speed(s), 0.0, met, epsabs=1e-10)[0]
        found.append(t)
        before = speed(met) * train(met, behind)[1]
        J = train(0.0, behind + 1)[1]
        after = float(J[1:] @ before / (J @ J))
        energy = inertia * (J @ J) * after**2 / 2 + G * height(0.0, behind + 1)
    return np.array(found)


def test_a_row_of_dominoes_falls_as_fast_as_trains_that_meet_plastically() -> None:
    model = kt.Model("dominoes", gravity=(0, -G, 0))
    law = {"law": "linear", "stiffness": 2e5, "damping": 40.0}
    mass, floor, face = 0.01, {"chain": [(1, 0), (-1, 0)]}, {"chain": [(-THICK, 0.06), (-THICK, 0)]}
    inertia = mass * (TALL**2 + THICK**2) / 12
    row = [model.body(f"d{k}", mass=mass, com=(-THICK / 2, TALL / 2, 0), inertia=(inertia,) * 3)
           for k in range(COUNT)]  # fmt: skip
    for k, domino in enumerate(row):
        edge = model.ground.point(f"edge{k}", (k * EVERY, 0, 0))
        model.revolute(f"a{k}", edge, domino, axis=(0, 0, -1))
        foot = {"point": (-THICK, 0)}
        model.plane_contact(f"foot{k}", domino, model.ground, foot, floor, **law)
    for k, (one, other) in enumerate(pairwise(row), 1):
        model.plane_contact(f"hit{k}", one, other, {"point": (0, TALL)}, face, **law)
    wanted = arrivals()
    hits = {f"first{k}": f"hit{k}.gap" for k in range(1, COUNT)}
    run = kt.simulate(model, 1.02 * wanted[-1], qd={"a0": PUSH}, method="cvode_bdf", events=hits)
    names, times = run["event_name"].values, run["event_time"].values
    found = np.array([times[names == name][0] for name in hits])
    assert found == pytest.approx(wanted, rel=READ_OFF)
    assert np.diff(found) == pytest.approx(np.diff(wanted), rel=READ_OFF)
