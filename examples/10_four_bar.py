"""A crank-rocker: assembled from rough values, driven round, then let go.

With a folder as argument it writes there an animation and the curve that the coupler traces.
"""

import sys
from pathlib import Path

import numpy as np

import kinetree as kt

FILE = Path(__file__).parent / "models" / "four_bar.yaml"
model = kt.load(FILE)
found = kt.partition(model, independent=["crank"])
print(f"mobility {found.mobility}; {', '.join(found.dependent)} follow the crank")

# Kinematics: one turn of the crank per second.
model.drive("crank", lambda t: 2 * np.pi * t)
turn = kt.kinematics(model, 1.0, step=0.01, points=["coupler.tracer"])
rocker = np.degrees(turn.q.sel(coordinate="rocker").values)
tracer = 1e3 * turn.point_position.sel(point="coupler.tracer").values
print("crank °   rocker °   tracer x mm   tracer y mm")
for k in range(0, 100, 20):
    print(f"{3.6 * k:7.0f} {rocker[k]:10.2f} {tracer[k, 0]:13.2f} {tracer[k, 1]:13.2f}")
print(f"the rocker swings from {rocker.min():.2f} to {rocker.max():.2f} degrees")

# Dynamics: without the drive it falls, and energy stays.
free = kt.load(FILE)
run = kt.simulate(free, 5.0, rtol=1e-9, atol=1e-10)
energy = kt.derive(free, "energy").evaluate(q=run.q.values, qd=run.qd.values)
total = energy["kinetic"] + energy["potential"]
print(f"energy drift over 5 s: {np.ptp(total) / np.ptp(energy['kinetic']):.1e} of the exchange")
assert np.ptp(total) < 1e-6 * np.ptp(energy["kinetic"])

for folder in sys.argv[1:]:
    kt.animate(free, run, f"{folder}/four_bar.html", title="Four-bar")
    kt.animate(free, path=f"{folder}/four_bar_live.html", title="Four-bar, live", live=True)
    curve = ["point_position.coupler.tracer.y"]
    kt.plot(turn, curve, f"{folder}/four_bar.png", x="point_position.coupler.tracer.x")
