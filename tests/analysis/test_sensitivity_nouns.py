"""All that may vary and all that may be measured, on one closed mechanism, against differences."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from approx import CLOSED, LONG_RUN, assert_close

FINE = {"rtol": 1e-12, "atol": 1e-13}
T = 0.3


@cache
def machine() -> kt.Model:
    """Crank, rod of a given length and slider, with a spring, a law, a state and a wrench."""
    model = kt.Model("machine", gravity=(0, -9.81, 0))
    tip, reach = model.parameter("tip", 1.0, "m"), model.parameter("reach", 2.0, "m")
    crank = model.body("crank", mass=1.0, com=(tip / 2, 0, 0), inertia=(0.01, 0.08, 0.08))
    slide = model.body("slide", mass=model.parameter("load", 5.0))
    flap = model.body("flap", mass=0.5, com=(0.2, 0, 0), inertia=(0.01, 0.01, 0.02))
    model.revolute("turn", model.ground, crank, axis="z", initial=0.6)
    model.prismatic("way", model.ground, slide, axis="x", initial=2.6)
    model.revolute("swing", slide.point("hinge", (0, 0.1, 0)), flap, axis="z", initial=0.3)
    model.close_rod("rod", crank.point("end", (tip, 0, 0)), slide.point("pin", (0, 0, 0)), reach)
    wall = model.ground.point("wall", (4.0, 0.5, 0))
    model.spring("strut", wall, slide.points["hinge"], stiffness=40.0, length=1.0, damping=2.0)
    drag = model.parameter("drag", 0.3)
    model.joint_law("air", "swing", lambda qd: -drag * qd["swing"] * (1 + qd["swing"] ** 2))
    model.state("filtered", rate=lambda q, x: (q["swing"] - x["filtered"]) / 0.2, initial=0.1)
    model.wrench("push", slide)
    model.output("seen", point="crank.end", relative_to="flap", frame="flap")
    model.output("pull", point="flap", quantity="acceleration", frame="crank")
    return model


MEASURES = {
    "position": kt.final("crank.end.position.y"), "velocity": kt.final("crank.end.velocity.y"),
    "acceleration": kt.final("flap.acceleration.x"),
    "turning": kt.final("crank.angular_velocity.z"),
    "in a frame": kt.final("seen.x"), "acceleration in a frame": kt.final("pull.y"),
    "coordinate": kt.final("q_way"), "rate": kt.final("qd_way"), "second": kt.final("qdd_swing"),
    "state": kt.final("x_filtered"), "force": kt.final("strut.force"),
    "power": kt.integral("strut.power"), "stored": kt.final("strut.energy"),
    "multiplier": kt.final("rod.reaction.fx"), "joint": kt.rms("turn.reaction.fy"),
    "kinetic": kt.final("energy.kinetic"), "potential": kt.final("energy.potential"),
    "total": kt.final("energy.total"), "law": kt.mean_square("air.force"),
    "at": kt.at_time("flap.orientation.yaw", 0.17), "peak": kt.peak("-qd_way"),
    "misfit": kt.misfit("q_swing", [0.1, 0.2], [0.2, 0.1]),
    "both": kt.function_of("a*b + 1", a=kt.rms("qdd_way"), b=kt.final("t*strut.length")),
}  # fmt: skip
VALUES: dict[str, tuple[str, Any, float]] = {
    "load": ("parameters", "load", 5.0), "tip": ("parameters", "tip", 1.0),
    "reach": ("parameters", "reach", 2.0), "drag": ("parameters", "drag", 0.3),
    "strut.stiffness": ("parameters", "strut.stiffness", 40.0),
    "ground.wall_y": ("parameters", "ground.wall_y", 0.5),
    "flap.com_y": ("parameters", "flap.com_y", 0.0),
    "flap.inertia_zz": ("parameters", "flap.inertia_zz", 0.02),
    "gravity_x": ("parameters", "gravity_x", 0.0),
    "q0.turn": ("q", "turn", 0.6), "qd0.swing": ("qd", "swing", 1.0),
    "x0.filtered": ("x", "filtered", 0.1), "tau.turn": ("tau", "turn", 2.0),
    "push.fx": ("wrenches", "push", 0.0), "duration": ("duration", "", T),
}  # fmt: skip
"""Variable -> the option of the run that gives it, its name there, its value."""
STILL = (0.0,) * len(VALUES)
STEPS = {"integrator": "trapezoidal", "step": 0.01, "tolerance": 1e-12}


def gradients(method: str, change: Any = STILL, **options: Any) -> Any:
    """What is measured, with all values changed by a little."""
    run: dict[str, Any] = {"qd": {"turn": 2.0}}
    for (option, label, value), by in zip(VALUES.values(), change, strict=True):
        now = value + by
        if option == "duration":
            run[option] = now
        else:
            entry = [0.0, 0.0, 0.0, now, 0.0, 0.0] if option == "wrenches" else now
            run.setdefault(option, {})[label] = entry
    return kt.sensitivity(
        machine(), measures=MEASURES, by=[*VALUES], method=method, **run, **options
    )


@cache
def direct() -> Any:
    return gradients("direct", **FINE)


@pytest.mark.parametrize("seed", [1, 2])
def test_every_measure_by_every_value(seed: int) -> None:
    """Along random directions in which each value has its share."""
    sizes = np.array([max(0.02, abs(value)) for _, _, value in VALUES.values()])
    way = sizes * np.random.default_rng(seed).uniform(0.5, 1.5, len(sizes))
    h = 2e-6
    high, low = (gradients("direct", step * way, **FINE).value for step in (h, -h))
    change = (high - low) / (2 * h)
    shares = direct().gradient.values * way
    for measure, share, slope in zip(MEASURES, shares, change.values, strict=True):
        assert_close(share.sum(), slope, LONG_RUN, measure, float(np.abs(share).max()))
    idle = np.abs(shares).max(axis=0) == 0.0
    assert not idle.any(), [name for name, row in zip(VALUES, idle, strict=True) if row]


def test_every_measure_by_the_adjoint_method() -> None:
    found = gradients("adjoint", **FINE)
    for measure in MEASURES:
        one, two = (row.gradient.sel(measure=measure) for row in (direct(), found))
        assert_close(two, one, CLOSED, measure)


def test_every_measure_in_equal_steps() -> None:
    names = [name for name in VALUES if name != "duration"]
    one, two = (
        gradients(method, formulation="hybrid", **STEPS).sel(parameter=names)
        for method in ("direct", "adjoint")
    )
    for measure in MEASURES:
        rows = (row.gradient.sel(measure=measure) for row in (two, one))
        assert_close(*rows, CLOSED, measure)
