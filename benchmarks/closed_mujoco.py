"""MuJoCo's side of the closed loops: joints of the tree, equality constraints between sites."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import mujoco
import numpy as np

Outcome = tuple[float, float, int, float]
ROUNDS = 3
HEAD = """<mujoco><compiler angle="radian"/>
<option integrator="RK4" timestep="{h}" gravity="0 -9.81 0" tolerance="1e-15" iterations="100"
 solver="Newton" cone="elliptic"><flag contact="disable"/></option>
<default><equality solref="{ref} 1" solimp="0.99999 0.99999 0.001"/></default><worldbody>"""
"""Constraints as stiff as the step allows: a time constant of two steps, nearly full impedance."""


def bar(length: float, mass: float) -> str:
    """Mass and end of a uniform bar along x; only its moment about z matters here."""
    moment = mass * length**2 / 12
    return (
        f'<inertial pos="{length / 2} 0 0" mass="{mass}" diaginertia="{moment} {moment} {moment}"/>'
    )


def slider_crank(h: float) -> tuple[str, Any, Any]:
    """Text, initial qpos and qvel."""
    text = (
        HEAD.format(h=h, ref=2 * h)
        + f'<body name="crank"><joint type="hinge" axis="0 0 1"/>{bar(1, 1)}'
        f'<body name="rod" pos="1 0 0"><joint type="hinge" axis="0 0 1"/>{bar(2, 2)}'
        '<site name="end" pos="2 0 0"/></body></body>'
        '<body name="slider"><joint type="slide" axis="1 0 0"/><inertial pos="0 0 0" mass="5"'
        ' diaginertia="1 1 1"/><site name="pin"/></body></worldbody>'
        '<equality><connect site1="end" site2="pin"/></equality></mujoco>'
    )
    alpha = math.asin(math.sin(1.0) / 2)
    return text, [1.0, -alpha - 1.0, math.cos(1.0) + 2 * math.cos(alpha)], [0.0, 0.0, 0.0]


def four_bars(n: int, h: float) -> tuple[str, Any, Any]:
    """Text, initial qpos and qvel: uprights and the bars on them, depth first."""
    parts, q, qd = [HEAD.format(h=h, ref=2 * h)], [], []
    for i in range(n + 1):
        parts.append(
            f'<body pos="{i} 0 0"><joint type="hinge" axis="0 0 1"/>{bar(1, 1)}'
            f'<site name="top{i}" pos="1 0 0"/>'
        )
        q, qd = [*q, math.pi / 2], [*qd, -1.0]
        if i < n:
            parts.append(
                f'<body pos="1 0 0"><joint type="hinge" axis="0 0 1"/>{bar(1, 1)}'
                f'<site name="end{i}" pos="1 0 0"/></body>'
            )
            q, qd = [*q, -math.pi / 2], [*qd, 1.0]
        parts.append("</body>")
    pins = [f'<connect site1="end{i}" site2="top{i + 1}"/>' for i in range(n)]
    return "".join([*parts, "</worldbody><equality>", *pins, "</equality></mujoco>"]), q, qd


def once(mechanism: str, until: float, h: float) -> Outcome:
    """(angle at the end, gap, steps, seconds)."""
    n = int(mechanism.rpartition("_")[2]) if mechanism != "slider_crank" else 0
    text, q, qd = four_bars(n, h) if n else slider_crank(h)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    steps, seconds = round(until / h), []
    for _ in range(ROUNDS):
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = q, qd
        begin = time.process_time()
        mujoco.mj_step(model, data, nstep=steps)
        seconds.append(time.process_time() - begin)
        if seconds[-1] > 1:
            break
    mujoco.mj_forward(model, data)
    pairs = zip(model.eq_obj1id, model.eq_obj2id, strict=True)
    gap = max(np.abs(data.site_xpos[a] - data.site_xpos[b]).max() for a, b in pairs)
    return float(data.qpos[0]), float(gap), steps, min(seconds)


def settings(mechanism: str, until: float) -> dict[str, Callable[[], Outcome]]:
    """Steps from coarse to fine."""
    finest = 10 if mechanism == "four_bar_40" else 13
    steps = [until / round(until * 25 * 2**k) for k in range(finest)]
    return {f"RK4, {1e6 * h:.0f} us": partial(once, mechanism, until, h) for h in steps}
