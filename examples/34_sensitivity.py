"""Derivatives of runs: the oscillator of SYMBS, and its figure 3.

The error of dψ/dc by the direct method, by the reverse of the steps (discrete adjoint) and by the
adjoint equations on dense output (continuous adjoint) goes down with the tolerance of the
integration to rounding; differences of runs stop far above it (Kurz2008 sec. 4).
"""

import sys
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import kinetree as kt

model = kt.Model("oscillator", gravity=(0, 0, 0))
body = model.body("body", mass=model.parameter("m", 1.0, "kg"))
model.prismatic("y", model.ground, body, axis="x")
model.joint_spring("spring", "y", stiffness=model.parameter("c", 1.0, "N/m"))
measures, end, exact = {"psi": kt.final("q_y")}, np.pi / 2, -0.25


def derivative(tolerance: float, method: str) -> float:
    integrator = "RK45" if method == "continuous adjoint" else "dopri5"
    run: dict[str, Any] = {"integrator": integrator, "rtol": tolerance, "atol": tolerance}
    run["qd"] = {"y": 0.5}
    if method != "differences":
        way = method.rsplit(maxsplit=1)[-1]
        found = kt.sensitivity(model, end, measures, by=["c"], method=way, **run)
        return float(found.gradient[0, 0])
    high, low = (
        float(kt.sensitivity(model, end, measures, by=[], parameters={"c": c}, **run).value[0])
        for c in (1.0001, 0.9999)
    )
    return (high - low) / 2e-4


tolerances = [10.0**-k for k in (3, 5, 7, 9, 11, 13)] + [2.2e-14]
methods = ("direct", "discrete adjoint", "continuous adjoint", "differences")
errors = {m: [abs(derivative(t, m) - exact) for t in tolerances] for m in methods}
print("tolerance    " + "".join(f"{method:>20}" for method in methods))
for k, tolerance in enumerate(tolerances):
    print(f"{tolerance:9.1e}    " + "".join(f"{errors[method][k]:20.1e}" for method in methods))
assert max(errors[m][-1] for m in methods[:3]) < 1e-12 < errors["differences"][-1]

for folder in sys.argv[1:]:
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    for method, style in zip(methods, ("o-", "x--", "d-.", "s:"), strict=True):
        axes.loglog(tolerances, np.maximum(errors[method], 1e-17), style, label=method)
    axes.set(xlabel="tolerance of the integration", ylabel="error of dψ/dc", xlim=(2e-3, 1e-14))
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(f"{folder}/oscillator_errors.png", dpi=130)
