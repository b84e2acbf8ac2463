"""A sweep as a map: comfort and travel of a quarter car over damping and stiffness, 2304 runs.

With a folder as argument it writes the map.
"""

import sys
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import kinetree as kt

model = kt.Model("quarter", gravity=(0, 0, 0))
wheel, body = model.body("wheel", mass=40.0), model.body("body", mass=300.0)
model.prismatic("hop", model.ground, wheel, axis="z")
model.prismatic("travel", wheel, body, axis="z")
c, k = model.parameter("damping", 1500.0, "N.s/m"), model.parameter("stiffness", 20e3, "N/m")
model.joint_law("strut", "travel", lambda q, qd: -k * q["travel"] - c * qd["travel"])


def bump(t: Any) -> Any:
    return 0.05 * kt.functions.exp(-(((t - 0.3) / 0.06) ** 2))


model.joint_law("tyre", "hop", lambda q, t: -180e3 * (q["hop"] - bump(t)))

plan = kt.grid({"damping": np.linspace(200, 5000, 48), "stiffness": np.linspace(8e3, 40e3, 48)})
measures = {"comfort": kt.rms("qdd_hop + qdd_travel"), "travel": kt.peak("sqrt(q_travel**2)")}
many = kt.sweep(model, 2.0, plan, measures, integrator="trapezoidal", step=0.005)
found = kt.summarise(many)
for name in measures:
    low, high, mean = (float(found[key].sel(measure=name)) for key in ("lowest", "highest", "mean"))
    shares = found["first"].sel(measure=name).values
    causes = ", ".join(f"{v} {s:.0%}" for v, s in zip(found.variable.values, shares, strict=True))
    print(f"{name:8} from {low:.4g} to {high:.4g}, mean {mean:.4g}; variance by {causes}")
assert (many.reason == "").all()
best = many.isel(run=int(many.comfort.argmin("run")))
print(f"smoothest: {float(best.damping):.0f} N.s/m, {float(best.stiffness):.0f} N/m")
single = kt.sensitivity(
    model, 2.0, measures, by=[], parameters={"damping": 1500.0, "stiffness": 20e3}, rtol=1e-9
)
near = many.isel(
    run=int((abs(many.damping - 1500) / 100 + abs(many.stiffness - 2e4) / 700).argmin("run"))
)
assert abs(float(near.comfort) / float(single.value[0]) - 1) < 0.05

for folder in sys.argv[1:]:
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    x, y = many.damping.values.reshape(48, 48), many.stiffness.values.reshape(48, 48) / 1e3
    parts = (("comfort", "rms acceleration of the body [m/s²]"), ("travel", "largest travel [m]"))
    for axes, (name, text) in zip(figure.subplots(1, 2), parts, strict=True):
        drawn = axes.contourf(x, y, many[name].values.reshape(48, 48), 20, cmap="viridis")
        figure.colorbar(drawn, ax=axes)
        axes.set(xlabel="damping [N.s/m]", ylabel="stiffness [kN/m]", title=text)
    figure.savefig(f"{folder}/sweep_map.png", dpi=110)
