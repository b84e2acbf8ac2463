"""A damped arm from its recorded motion: kinetree's output error beside MuJoCo's `sysid`.

Both get the same noisy coordinates and efforts, the same start and the same first values of two
dampings and a mass.  `mujoco.sysid` differentiates by finite differences; where its extra packages
are not installed, the least squares of MuJoCo that it calls are called themselves.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import kinetree as kt

TRUE = {"c1": 0.4, "c2": 0.15, "lower.mass": 1.2}
FIRST = {"c1": 0.2, "c2": 0.3, "lower.mass": 2.0}
STEP, DURATION, NOISE = 0.002, 4.0, 1e-3
XML = """<mujoco><option timestep="0.002" integrator="RK4"/><worldbody><body>
<inertial pos=".2 0 0" mass="2" diaginertia=".01 .03 .03"/><joint axis="0 1 0" damping="{c1}"/>
<body pos=".4 0 0"><inertial pos=".15 0 0" mass="{mass}" diaginertia=".005 .015 .015"/>
<joint axis="0 1 0" damping="{c2}"/></body></body></worldbody></mujoco>"""


def arm(values: dict[str, float]) -> kt.Model:
    """Two links that swing about y, with viscous friction."""
    model = kt.Model("arm")
    upper = model.body("upper", 2.0, (0.2, 0, 0), (0.01, 0.03, 0.03))
    lower = model.body("lower", values["lower.mass"], (0.15, 0, 0), (0.005, 0.015, 0.015))
    model.revolute("shoulder", model.ground, upper, axis="y")
    model.revolute("elbow", upper.point("elbow", (0.4, 0, 0)), lower, axis="y")
    for joint, name in (("shoulder", "c1"), ("elbow", "c2")):
        c = model.parameter(name, values[name])
        model.joint_law(f"rub_{joint}", joint, lambda qd, joint=joint, c=c: -c * qd[joint])
    return model


def efforts(t: Any) -> Any:
    """Efforts that excite the arm, over time [N.m]."""
    return np.stack([6 * np.sin(2.1 * t) - 4, 2 * np.cos(3.3 * t)], axis=-1)


def recording() -> dict[str, Any]:
    """Times, coordinates with errors, efforts."""
    model, f = arm(TRUE), kt.functions
    model.joint_law("push1", "shoulder", lambda t: 6 * f.sin(2.1 * t) - 4)
    model.joint_law("push2", "elbow", lambda t: 2 * f.cos(3.3 * t))
    run = kt.simulate(model, DURATION, step=STEP, rtol=1e-11, atol=1e-12, progress=False)
    t, q = run.time.values, run.q.values
    noise = np.random.default_rng(0).normal(scale=NOISE, size=q.shape)
    return {"time": t, "q": q + noise, "tau": efforts(t)}


def by_mujoco(data: dict[str, Any]) -> tuple[Any, int, str]:
    """Values, number of runs, and by what they were found."""
    import mujoco
    from mujoco import minimize, sysid

    ctrl, runs = efforts(data["time"][:-1] + STEP / 2), 0

    def residual(x: Any) -> Any:
        nonlocal runs
        rows = np.atleast_2d(np.asarray(x, dtype=float).T)
        runs += len(rows)
        found = np.array([one(*row) for row in rows]).T
        return found if np.ndim(x) == 2 else found[:, 0]

    def one(c1: float, c2: float, mass: float) -> Any:
        model = mujoco.MjModel.from_xml_string(XML.format(c1=c1, c2=c2, mass=mass))
        state, q = mujoco.MjData(model), [np.zeros(2)]
        for effort in ctrl:
            state.qfrc_applied[:] = effort
            mujoco.mj_step(model, state)
            q.append(state.qpos.copy())
        return (np.array(q) - data["q"]).ravel()

    first, ends = np.array(list(FIRST.values())), (np.full(3, 0.01), np.full(3, 5.0))
    if not hasattr(sysid, "optimize"):
        x = minimize.least_squares(first, residual, ends, verbose=0)[0]
        return np.ravel(x), runs, "mujoco.minimize"
    wanted = sysid.ParameterDict()
    for name, value in FIRST.items():
        wanted.add(sysid.Parameter(name, nominal=value, min_value=0.01, max_value=5.0))
    fit = sysid.optimize(wanted, lambda x, _: ([residual(x)], None, None), verbose=False)[1]
    return np.ravel(fit.x), runs, "mujoco.sysid"


def compare() -> list[list[Any]]:
    """Rows: values beside each other, runs, processor times."""
    data, rows = recording(), []
    began = time.process_time()
    fit = kt.identify(
        arm(FIRST), data, "output_error", bodies=[], friction=(), coefficients=list(TRUE),
        segment=DURATION, held_out=0.0, prior=1e-6,
    )  # fmt: skip
    own = time.process_time() - began
    began = time.process_time()
    theirs, runs, name = by_mujoco(data)
    rest = time.process_time() - began
    for key, value in zip(TRUE, theirs, strict=True):
        rows.append([f"arm, {key}: kinetree (true {TRUE[key]:g})", fit.parameters[key], None])
        apart = abs(fit.parameters[key] - value) / fit.deviations[key]
        rows.append([f"arm, {key}: {name} less kinetree, in deviations", float(apart), None])
    rows.append(["arm, kinetree: rounds with tangents", float(fit.data.attrs["rounds"]), None])
    rows.append([f"arm, {name}: runs", float(runs), None])
    rows.append(["arm, kinetree: processor time [s]", own, None])
    rows.append([f"arm, {name}: processor time [s]", rest, None])
    return rows


if __name__ == "__main__":
    for row in compare():
        print(*row[:2])
