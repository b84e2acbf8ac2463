"""Arms that the tests identify, their motions, and what is recorded of them."""

from __future__ import annotations

from typing import Any

import numpy as np

import kinetree as kt

Recorded = dict[str, Any]


def arm(
    masses: tuple[float, ...] = (3.0, 2.0, 1.0), *, rubs: bool = False, rotor: float = 0.0
) -> kt.Model:
    """Three links on a turning base; zeros among their inertias."""
    model, before = kt.Model("arm"), None
    for k, mass in enumerate(masses):
        inertia = (0.02 + 0.01 * k, 0.05, 0.05, 0.001, 0.0, 0.002)
        body = model.body(f"b{k}", mass, (0.15, 0.02 * k, 0.03), inertia)
        place = (0.0, 0.0, 0.3) if k == 1 else (0.4, 0.0, 0.0)
        base = model.ground if before is None else before.point("tip", place)
        model.revolute(f"j{k}", base, body, axis="zyy"[k], armature=rotor)
        if rubs:
            model.joint_friction(f"f{k}", f"j{k}", coulomb=0.5, viscous=0.3, smooth=0.02)
        before = body
    return model


def motion(rows: int = 1001, *, seed: int = 0, joints: int = 3, duration: float = 10.0) -> Recorded:
    """Four harmonics in every joint, exact in q, qd, qdd."""
    random, w = np.random.default_rng(seed), 2 * np.pi / duration
    t = np.linspace(0, duration, rows)
    q, qd, qdd = np.zeros((3, rows, joints))
    for h in range(1, 5):
        a, b = random.normal(size=(2, joints)) * 1.2 / h
        c, s = np.cos(w * h * t)[:, None], np.sin(w * h * t)[:, None]
        q += a * s - b * c
        qd += w * h * (a * c + b * s)
        qdd += (w * h) ** 2 * (b * c - a * s)
    return {"time": t, "q": q, "qd": qd, "qdd": qdd}


def recorded(model: kt.Model, moved: Recorded) -> Recorded:
    """The motion with the efforts that it takes."""
    return {**moved, "tau": kt.inverse(model, moved).tau.values}
