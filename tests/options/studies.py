"""Rows of measures, plans, sensitivities, optimisation and sweeps."""

from __future__ import annotations

from typing import Any

from tests.options.rows import Made, Refused, Row, Unseen

import kinetree as kt

ONE = {"of": "q_swing"}
OTHER = {"of": "qd_swing**2"}
BOUNDS = {"damping": (0.1, 0.5)}
VALUES = {"damping": [0.1, 0.2]}
MEASURED = {"end": kt.final("q_swing")}


def damped() -> kt.Model:
    """A pendulum with a damper whose coefficient is a parameter."""
    model = kt.Model("pendulum")
    body = model.body("rod", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    c = model.parameter("damping", 0.2)
    model.revolute("swing", model.ground, body, axis="y", initial=0.3)
    model.joint_law("damper", "swing", lambda qd: -c * qd["swing"])
    return model


def heavier() -> kt.Model:
    model = damped()
    model.gravity = (0, 0, -5.0)
    return model


def plan(count: int = 3) -> Any:
    return kt.sobol(BOUNDS, count, seed=1)


MEASURES = {
    name: (Row(getattr(kt, name), lambda _: ONE, OTHER, {"of": "word number whole function"}),)
    for name in ("final", "integral", "mean_square", "rms", "peak")
}
NUMBERED = {
    name: (Row(getattr(kt, name), lambda _: {"number": 1}, {"number": 2}),)
    for name in ("frequency", "damping", "growth")
}
STUDIES: dict[str, tuple[Row, ...]] = {
    **MEASURES,
    **NUMBERED,
    "at_time": (
        Row(kt.at_time, lambda _: {**ONE, "t": 0.1}, {**OTHER, "t": 0.2},
            {"of": "word number whole function", "t": "number whole"}),
    ),
    "event_time": (
        Row(kt.event_time, lambda _: {"event": "low"}, {"event": "high", "number": 1},
            {"event": "word", "number": "whole"}),
    ),
    "misfit": (
        Row(kt.misfit, lambda _: {**ONE, "t": [0.1, 0.2], "data": [1.0, 2.0]},
            {**OTHER, "t": [0.1, 0.3], "data": [1.0, 3.0], "weights": 2.0},
            {"of": "word number whole function"}),
    ),
    "grid": (Row(kt.grid, lambda _: {"over": VALUES}, {"over": {"damping": [0.3]}}),),
    "run_list": (Row(kt.run_list, lambda _: {"over": VALUES}, {"over": {"damping": [0.3]}}),),
    **{
        name: (
            Row(getattr(kt, name), lambda _: {"over": BOUNDS, "count": 4},
                {"over": {"damping": (0.2, 0.3)}, "count": 8, "seed": 3}, {"seed": "whole"}),
        )
        for name in ("sobol", "latin_hypercube")
    },
    "sweep": (
        Row(
            kt.sweep,
            lambda _: {"model": damped(), "duration": 0.2, "plan": plan(), "measures": MEASURED},
            {
                "model": Made(lambda _: heavier()), "duration": 0.3,
                "plan": Made(lambda _: plan(4)), "measures": {"end": kt.final("qd_swing")},
                "into": Unseen("folder", "it is on the disk"),
                "part": Unseen(2, "parts give the same rows"),
                "progress": Unseen(lambda done, whole: None, "it is called"),
            },
            {"progress": "function none", "into": "none word"}, {"measures": "measure"},
        ),
    ),
    "sensitivity": (
        Row(
            kt.sensitivity,
            lambda _: {"model": damped(), "duration": 0.2, "measures": MEASURED,
                       "by": ["damping"]},
            {
                "model": Made(lambda _: heavier()), "duration": 0.3,
                "measures": {"end": kt.final("qd_swing")}, "by": ["q0.swing"],
                "at": Refused("equilibrium"), "method": Unseen("direct", "it is the usual one"),
                "order": 2, "integrator": "rk4",
                "q": {"swing": 0.4}, "qd": {"swing": 1.0}, "t0": 1.0, "rtol": 1e-4, "atol": 1e-4,
                "step": 0.05, "tau": {"swing": 1.0}, "parameters": {"damping": 0.3},
                "max_step": 0.01,
            },
            {"t0": "number whole", "max_step": "infinite"}, {"measures": "measure"}, partial=True,
        ),
    ),
    "optimise": (
        Row(
            kt.optimise,
            lambda _: {"model": damped(), "duration": 0.2, "objective": kt.final("q_swing"),
                       "over": BOUNDS},
            {
                "model": Made(lambda _: heavier()), "duration": 0.3,
                "objective": kt.final("qd_swing"), "over": {"damping": (0.2, 0.4)},
                "method": "L-BFGS-B", "start": {"damping": 0.11},
            },
            {}, {"over": "by"}, partial=True,
        ),
    ),
}  # fmt: skip
