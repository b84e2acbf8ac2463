"""Rows of measures, plans, sensitivities, optimisation and sweeps."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.options.rows import QUIET, TOLD, Made, Refused, Row, Unseen

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


def swept(place: Any, count: int) -> Any:
    """A folder with a sweep."""
    kt.sweep(damped(), 0.1, plan(count), MEASURED, into=place / f"sweep{count}")
    return place / f"sweep{count}"


def swings(size: float = 1.0) -> dict[str, Any]:
    """A recording of the pendulum."""
    t = np.linspace(0, 4, 401)
    q = size * np.sin(2 * t)[:, None] + 0.3 * np.cos(5 * t)[:, None]
    return {"time": t, "q": q, "tau": kt.inverse(damped(), {"time": t, "q": q}).tau.values}


MEASURES = {
    name: (Row(getattr(kt, name), lambda _: ONE, OTHER, {"of": "word number whole function"}),)
    for name in ("final", "integral", "mean_square", "rms", "peak")
}
NUMBERED = {
    name: (
        Row(
            getattr(kt, name),
            lambda _: {"number": 1},
            {"number": 2, "like": {"swing": 1.0}},
            {"like": "named"},
        ),
    )
    for name in ("frequency", "damping", "growth")
}
STUDIES: dict[str, tuple[Row, ...]] = {
    **MEASURES,
    **NUMBERED,
    "at_time": (
        Row(kt.at_time, lambda _: {**ONE, "t": 0.1}, {**OTHER, "t": 0.2},
            {"of": "word number whole function", "t": "number whole"}),
    ),
    "severity": (
        Row(kt.severity, lambda _: ONE, {**OTHER, "standard": "1998", "step": 1e-3, "limit": 9.81},
            {"of": "word number whole function"}),
    ),
    "at_event": (
        Row(kt.at_event, lambda _: {**ONE, "event": "low"}, {**OTHER, "event": "high", "number": 1},
            {"of": "word number whole function", "event": "word", "number": "whole"}),
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
    "function_of": (Row(kt.function_of, lambda _: {"of": "a", "a": kt.final("q_swing")},
                        {"of": "a**2"}, {"of": "word"}),),
    "measure": (Row(kt.measure, lambda _: {"text": "final(q_swing)"}, {"text": "rms(qd_swing)"}, {},
                    {"text": "measure"}),),
    "grid": (Row(kt.grid, lambda _: {"over": VALUES}, {"over": {"damping": [0.3]}}),),
    "own_plan": (
        Row(kt.own_plan, lambda _: {"names": ["damping"], "count": 3, "rows": lambda k: [0.1 * k]},
            {"names": ["swing"], "count": 4, "rows": lambda k: [0.2]},
            {"names": "names", "rows": "function"}, {"rows": "plan"}),
    ),
    "summarise": (
        Row(kt.summarise,
            lambda _: {"many": kt.sweep(damped(), 0.1, plan(9), MEASURED)},
            {"many": Made(lambda _: kt.sweep(damped(), 0.2, plan(9), MEASURED)),
             "quantiles": [0.1, 0.9]}),
    ),
    "load_sweep": (
        Row(kt.load_sweep, lambda place: {"folder": swept(place, 3)},
            {"folder": Made(lambda place: swept(place, 4))}),
    ),
    "run_list": (Row(kt.run_list, lambda _: {"over": VALUES}, {"over": {"damping": [0.3]}}),),
    **{
        name: (
            Row(getattr(kt, name), lambda _: {"over": BOUNDS, "count": 4},
                {"over": {"damping": (0.2, 0.3)}, "count": 8, "seed": 3}, {"seed": "whole"}),
        )
        for name in ("sobol", "latin_hypercube", "saltelli")
    },
    "sweep": (
        Row(
            kt.sweep,
            lambda _: {"model": damped(), "duration": 0.2, "plan": plan(), "measures": MEASURED},
            {
                "model": Made(lambda _: heavier()), "duration": 0.3,
                "plan": Made(lambda _: plan(4)), "measures": {"end": kt.final("qd_swing")},
                "study": Refused("nowhere"),
                "into": Unseen("folder", "it is on the disk"),
                "part": Unseen(2, "parts give the same rows"),
                "store": Unseen("zarr", "without a folder there is none"),
                "threads": Unseen(1, "threads give the same rows"),
                "device": Refused("gpu"), "workers": Refused("nowhere"),
                "progress": Unseen(lambda done, whole: None, "it is called"),
            },
            {"progress": "function none", "into": "none word", "part": "none", "threads": "none",
             "workers": "none"}, {"measures": "measure"},
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
                "begin": "equilibrium", "locked": Refused(["swing"]),
                "q": {"swing": 0.4}, "qd": {"swing": 1.0}, "t0": 1.0, "rtol": 1e-4, "atol": 1e-4,
                "step": 0.05, "tau": {"swing": 1.0}, "parameters": {"damping": 0.3},
                "max_step": 0.01, **QUIET,
            },
            {"t0": "number whole", "max_step": "infinite", **TOLD}, {"measures": "measure"},
            partial=True,
        ),
    ),
    "identify": (
        Row(
            kt.identify, lambda _: {"model": damped(), "data": swings(), "friction": ["coulomb"]},
            {
                "model": Made(lambda _: heavier()), "data": Made(lambda _: swings(0.8)),
                "friction": ["viscous"], "method": "consistent", "rotors": True, "smooth": 0.5,
                "cutoff": 6.0, "held_out": 0.1, "units": {"q": "deg"},
                "bodies": Unseen(["rod"], "there is one"), "segment": Refused(0.5),
                **QUIET, "coefficients": Refused(["damping"]), "sensors": Refused(["gain"]),
            },
            {"cutoff": "none", "units": "none", "bodies": "none", "rotors": "truth", **TOLD},
            {"data": "file"}, partial=True,
        ),
    ),
    "excite": (
        Row(
            kt.excite,
            lambda _: {"model": damped(), "duration": 4.0, "harmonics": 3, "speed": 2.0,
                       "starts": 1, "step": 0.2},
            {
                "model": Made(lambda _: heavier()), "duration": 3.0, "harmonics": 4,
                "criterion": "determinant", "bodies": Unseen(["rod"], "there is one"),
                "friction": ["viscous"],
                "rotors": Unseen(True, "rod and rotor have one column"), "smooth": 0.5,
                "measured": "wrench", "position": 0.4, "speed": 1.0, "acceleration": 2.0,
                "effort": 1.0,
                "clearance": {"rod": ((1, 0, 0), -3.0)}, "rest": False, "step": 0.1,
                "starts": 2, "seed": 3,
                "deviations": {"swing": 0.1}, **QUIET,
            },
            {"harmonics": "whole", "bodies": "none", "rotors": "truth", "rest": "truth", **TOLD,
             "position": "infinite none", "acceleration": "infinite none",
             "effort": "infinite none"}, {}, partial=True,
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
