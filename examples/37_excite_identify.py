"""An arm of seven joints: the motion that tells its parameters best, and the parameters it tells.

With a folder as argument it writes pictures of the motion and of what was found, and a page.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import kinetree as kt

FILE = Path(__file__).parent / "models" / "arm7.urdf"
model = kt.load(FILE)  # what the maker's drawings say
plan = kt.excite(model, 10.0, 4, speed=2.0, position=2.5, starts=1)  # rad/s, rad
print(f"{plan.attrs['base_parameters']} parameters, condition {plan.attrs['condition']:.1f}")

machine = kt.load(FILE)  # the machine as built: heavier, and it rubs
for number, joint in enumerate(machine.velocities):
    machine.joint_friction(f"rub{number}", joint, coulomb=0.4 + 0.1 * number, viscous=0.2)
last = list(machine.bodies.values())[-1]
machine.fixed("grip", last, machine.body("load", 1.5, (0, 0, 0.05), (0.01, 0.01, 0.01)))
motion = {name: plan[name].values for name in ("time", "q", "qd", "qdd")}
tau = kt.inverse(machine, motion).tau.values
tau += np.random.default_rng(0).normal(scale=0.05, size=tau.shape)
data = {"time": motion["time"], "q": motion["q"], "tau": tau}

fit = kt.identify(model, data, "consistent", friction=("coulomb", "viscous"), smooth=0.001)
print("joint          coulomb N.m   true   rms of what was not fitted N.m")
for number, joint in enumerate(model.velocities):
    found, rms = fit.parameters[f"{joint}.coulomb"], float(fit.data.rms_held[number])
    print(f"{joint:12}  {found:12.3f}  {0.4 + 0.1 * number:5.2f}  {rms:12.3f}")
    assert abs(found - 0.4 - 0.1 * number) < 0.05
assert fit.data.rms_held.max() < 0.1
assert isinstance(fit.model, kt.Model)  # simulate it, save it

for folder in sys.argv[1:]:
    figure = Figure(figsize=(9, 6), layout="constrained")
    rows = (("q", "rad"), ("qd", "rad/s"), ("tau", "N.m"))
    for axes, (name, unit) in zip(figure.subplots(3), rows, strict=True):
        axes.plot(plan.time, plan[name], lw=1, label=list(model.velocities))
        axes.set(xlabel="time [s]", ylabel=f"{name} [{unit}]")
        axes.grid(alpha=0.3)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper")
    figure.savefig(f"{folder}/excited_motion.png", dpi=110)
    figure = Figure(figsize=(9, 6), layout="constrained")
    for k, axes in enumerate(figure.subplots(2)):
        part = fit.data.isel(equation=3 * k)
        axes.plot(part.time, part.measured, lw=3, color="0.75", label="measured")
        axes.plot(part.time, part.predicted, lw=0.8, label="predicted")
        axes.axvspan(float(part.time[part.held.values].min()), 10, alpha=0.1, label="not fitted")
        axes.set(xlabel="time [s]", ylabel=f"tau of {part.equation.values!s} [N.m]")
        axes.legend(loc="upper right")
    figure.savefig(f"{folder}/identified_efforts.png", dpi=110)
    fit.page(f"{folder}/identified.html")
