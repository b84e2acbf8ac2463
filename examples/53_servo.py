"""A sampled servo of components: two controllers at two rates, dry friction, a limited torque.

With a folder as argument it writes a picture there.
"""

import sys
from pathlib import Path

from matplotlib.figure import Figure

import kinetree as kt

servo = kt.load(Path(__file__).parent / "components" / "servo.yaml")
run = kt.simulate(servo, 1.2, step=1e-3)
sticks = run["bearing.mode"].values == 0
print(f"angle {float(run['load.phi'][-1]):.4f} rad; {run.sizes['event']} events")
print(f"the bearing sticks {sticks.mean():.0%} of the time")
assert abs(float(run["load.phi"][-1]) - 1) < 0.02
assert (run["load.w"].values[:100] == 0).all()  # nothing moves before the step
fast = kt.simulate(servo, 1.2, step=1e-3, parameters={"place.most": 10.0, "limit.uMax": 9.0})
print(f"{float(fast['load.phi'].max()):.2f} rad at most where speed is wanted at once")

for folder in sys.argv[1:]:
    figure = Figure(figsize=(8, 5), layout="constrained")
    a, b, c = figure.subplots(3, 1, sharex=True)
    a.plot(run.time, run["step.y"], "--", color="#9aa3ad", label="step")
    a.plot(run.time, fast["load.phi"], color="#dfa35c", lw=1, label="speed wanted at once")
    a.plot(run.time, run["load.phi"], color="#1f4e79", label="bit by bit")
    b.step(run.time, run["place.held"], where="post", color="#9aa3ad", label="wanted")
    b.plot(run.time, run["load.w"], color="#1f4e79", label="speed")
    c.step(run.time, run["motor.tau"], where="post", color="#1f4e79")
    c.fill_between(run.time, -4, 4, where=sticks, color="#e8eef5")
    for pane, label in ((a, "angle [rad]"), (b, "speed [rad/s]"), (c, "torque [N m]")):
        pane.set_ylabel(label)
    a.legend(frameon=False)
    b.legend(frameon=False)
    c.set_xlabel("t [s]; shaded where the bearing sticks")
    figure.savefig(f"{folder}/servo.png", dpi=110)
