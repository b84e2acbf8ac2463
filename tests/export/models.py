"""Models that exports are tested with."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import brentq

import kinetree as kt
from kinetree.functions import maximum, minimum, previous, select, sin, switch, table

MODELS = Path(__file__).resolve().parents[2] / "examples" / "models"
STOP = kt.Table.monotone((-1.0, 0.0, 0.5, 1.0), (-4.0, 0.0, 1.0, 6.0), "stop")


def example(name: str) -> kt.Model:
    """One of the example models."""
    return kt.load(MODELS / f"{name}.yaml")


def push(q: Any, qd: Any, t: Any, x: Any) -> Any:
    """An effort with a branch, a table, a user state and the time."""
    angle = q["swing"]
    hit = select(angle - 0.2, -8.0 * (angle - 0.2), 0.0)
    return hit - 0.3 * qd["swing"] - table(angle, STOP) + x["lag"] * sin(2.0 * t)


def rich() -> kt.Model:
    """A tree with a quaternion, a branch, a table, a user state, the time and a wrench."""
    model = kt.Model("rich", gravity=(0, 0, -9.81))
    arm = model.body("arm", mass=1.2, com=(0.1, 0, -0.3), inertia=(0.11, 0.12, 0.05))
    ball = model.body("ball", mass=0.8, com=(0.02, 0.01, -0.2), inertia=(0.05, 0.04, 0.03))
    model.revolute("swing", model.ground, arm, axis="y", initial=0.6)
    model.spherical("wrist", arm.point("end", (0, 0, -0.6)), ball)
    model.state("lag", 0.2, lambda q, x: 3.0 * (q["swing"] - x["lag"]))
    model.joint_law("spring", "swing", push)
    model.wrench("gust", ball.point("side", (0.1, 0, 0)))
    return model


def ball() -> kt.Model:
    """A ball that falls from 1 m and bounces."""
    model = kt.Model("ball", gravity=(0, 0, -9.81))
    model.prismatic("z", model.ground, model.body("ball", mass=1.0), axis="z", initial=1.0)
    bounce = {"qd_z": lambda qd: -0.8 * qd["z"]}
    model.event("bounce", lambda q: q["z"], bounce, direction="falling")
    return model


def thermostat() -> kt.Model:
    """A heater that a relay with hysteresis switches between 19 and 21."""
    model = kt.Model("room", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("unused", mass=1.0), axis="x")
    model.mode("on", 1.0)
    model.state("T", 18.0, lambda x: 3.0 * x["on"] - 0.1 * (x["T"] - 10.0))
    model.event("warm", lambda x: x["T"] - 21.0, {"on": 0.0})
    model.event("cold", lambda x: x["T"] - 19.0, {"on": 1.0}, direction="falling")
    return model


def servo() -> kt.Model:
    """A sledge whose controller holds its force between ticks; its aim moves at three times."""
    model = kt.Model("servo", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("sledge", mass=2.0), axis="x")
    force = model.mode("force", unit="N")
    model.mode("aim", 1.0)
    model.joint_law("motor", "x", force)
    hold = {"force": lambda q, qd, x: 40.0 * (x["aim"] - q["x"]) - 9.0 * qd["x"]}
    model.event("sample", then=hold, every=0.05)
    model.event("move", then={"aim": lambda x: 0.5 * x["aim"]}, at=(0.31, 0.5, 0.77))
    return model


PERIOD = 0.05
"""Of the fast clock of the cascade [s]."""


def cascade() -> kt.Model:
    """A servo: a slow clock moves its aim, a fast one holds its force, with integral action."""
    model = kt.Model("cascade", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("sledge", mass=2.0), axis="x")
    fast = model.clock("fast", PERIOD)
    slow = model.clock("slow", of=fast, ratio=4)
    model.sample("aim", slow, lambda x: previous(x["aim"]) + 0.25)
    model.sample("e", fast, lambda q, x: x["aim"] - q["x"])
    model.sample("i", fast, lambda x: previous(x["i"]) + PERIOD * x["e"])
    pull = model.sample("force", fast, lambda qd, x: 40 * x["e"] + 4 * x["i"] - 9 * qd["x"])
    model.joint_law("motor", "x", pull)
    return model


def hopper() -> kt.Model:
    """A block that is pushed by 4 N below half a metre and pushed back by 40 N above."""
    model = kt.Model("hopper", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("block", mass=2.0), axis="x")
    model.joint_law("law", "x", lambda q: switch(q["x"] - 0.5, -40.0, 4.0))
    return model


STIFFNESS, LIMIT = 1e4, 100.0
"""Of the plastic spring [N/m, N]."""
SWING, TURN = 0.01, 3.0
"""Growth of its motion s = SWING t sin(TURN t) [m/s], [rad/s]."""


def plastic(*, named: bool = False) -> kt.Model:
    """A slider that is driven in growing swings and draws at an elastic-plastic spring."""
    model = kt.Model("plastic", gravity=(0, 0, 0))
    model.prismatic("s", model.ground, model.body("end", mass=1.0), axis="x")
    model.drive("s", lambda t: SWING * t * sin(TURN * t))
    limit = model.parameter("limit", LIMIT, "N") if named else LIMIT
    model.plastic_spring("spring", "s", STIFFNESS, limit)
    return model


TURNS = (0.25, 0.75, 1.25, 1.75)
"""Times at which the slider of the memory turns [s]."""


def remembering(*, ticking: bool = True, limit: float = LIMIT) -> kt.Model:
    """The same with a memory of the set, which changes at accepted steps; these end at turns."""
    model = kt.Model("remembering", gravity=(0, 0, 0))
    model.prismatic("s", model.ground, model.body("end", mass=1.0), axis="x")
    model.drive("s", lambda t: 3 * LIMIT / STIFFNESS * sin(2 * np.pi * t))
    most = model.parameter("limit", limit, "N")

    def force(q: Any, x: Any) -> Any:
        return maximum(-most, minimum(most, STIFFNESS * (q["s"] - x["set"])))

    model.memory("set", 0.0, lambda q, x: q["s"] - force(q, x) / STIFFNESS, "m")
    model.joint_law("spring", "s", lambda q, x: -force(q, x))
    if ticking:
        model.event("turn", at=TURNS)
    return model


def remembered_force(times: Any, limit: float = LIMIT) -> Any:
    """Force of its spring [N]: straight from turn to turn, clipped at its limit."""
    places = 3 * LIMIT * np.sin(2 * np.pi * np.asarray(times))
    found, force, last = np.zeros(len(times)), 0.0, 0.0
    for begin, end, place in zip(
        (0.0, *TURNS), (*TURNS, np.inf), 3 * LIMIT * np.array([1, -1, 1, -1, 1]), strict=True
    ):
        inside = (times >= begin) & (times < end)
        found[inside] = np.clip(force + places[inside] - last, -limit, limit)
        force, last = np.clip(force + place - last, -limit, limit), place
    return found


def plastic_force(s: Any, rest: Any, limit: float = LIMIT) -> Any:
    """Force of the spring [N] at the coordinate and the set [m]."""
    return np.clip(STIFFNESS * (s - rest), -limit, limit)


def polyline(times: Any, limit: float = LIMIT) -> Any:
    """Force of the spring [N] over time: straight from turn to turn, clipped at its limit."""

    def place(t: Any) -> Any:
        return SWING * t * np.sin(TURN * t)

    def rate(t: float) -> float:
        return float(SWING * (np.sin(TURN * t) + TURN * t * np.cos(TURN * t)))

    grid = np.linspace(1e-3, 10.0, 500)
    turns = [0.0] + [
        brentq(rate, a, b, xtol=1e-15, rtol=1e-14)
        for a, b in pairwise(grid)
        if rate(a) * rate(b) < 0
    ]
    force, found = 0.0, np.zeros(len(times))
    for begin, end in pairwise([*turns, np.inf]):
        inside = (times >= begin) & (times < end)
        found[inside] = np.clip(
            force + STIFFNESS * (place(times[inside]) - place(begin)), -limit, limit
        )
        if np.isfinite(end):
            force = np.clip(force + STIFFNESS * (place(end) - place(begin)), -limit, limit)
    return found
