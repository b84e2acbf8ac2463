"""The Iltis up a ramp and down stairs: large steps of structural integrators against small ones.

With a folder as argument it writes there an animation and curves.
"""

import sys
from pathlib import Path

import numpy as np

import kinetree as kt
from kinetree.functions import table
from kinetree.integrate import Stepper

FOLDER = Path(__file__).parent / "models"
KNOTS = np.loadtxt(FOLDER / "iltis_stairs.csv", delimiter=",", skiprows=3)  # x, height, slope

model = kt.load(FOLDER / "iltis.yaml")
road = model.table("stairs", *KNOTS.T)
for corner in ("FL", "FR", "RR", "RL"):  # the same tyres on another road
    old = model.forces.pop(f"{corner}_tyre")
    given = {**old.arguments, "height": lambda x: table(x, road)}
    model.force(old.kind, old.name, old.points, given)

step = Stepper(model, "hybrid", "newmark")  # ξ is an input of the step: nothing is built twice
start = np.zeros(model.nv)
start[model.velocities.index("x")] = 5.0
z = model.coordinates.index("z")
fine = step.run(8.0, 0.001, qd=start, inputs={"xi": 0.0})
print("ξ      step ms   times real time   largest error of the chassis mm   rms mm")
for xi, h in ((0.0, 0.01), (0.0, 0.025), (-0.3, 0.025), (-0.3, 0.05), (-0.6, 0.05)):
    run = step.run(8.0, h, qd=start, inputs={"xi": xi})
    off = 1e3 * (run.q[:, z] - np.interp(run.times, fine.times, fine.q[:, z]))
    speed = 8.0 / run.report.wall  # type: ignore[union-attr]
    rms = np.sqrt(np.mean(off**2))
    print(f"{xi:4.1f} {1e3 * h:9g} {speed:17.0f} {np.abs(off).max():33.1f} {rms:8.2f}")
    assert run.q.shape[0] == round(8.0 / h) + 1
    assert rms < 15

for folder in sys.argv[1:]:
    shown = kt.simulate(model, 8.0, qd={"x": 5.0}, step=0.02)  # by the explicit model
    at = np.arange(3.0, 25.0, 0.1)
    boxes = [
        {"kind": "box", "size": [0.1, 2.0, h + 0.02], "position": [x + 0.05, 0, h / 2]}
        for x, h in zip(at.tolist(), np.asarray(table(at + 0.05, road)).tolist(), strict=True)
    ]
    model.shapes = {**model.shapes, "ground": boxes}
    kt.animate(model, shown, f"{folder}/iltis_stairs.html", title="Iltis down the stairs")
    kt.plot(shown, ["q.z", "q.pitch", "q.R1_FL", "q.R1_RR"], f"{folder}/iltis_stairs.png")
