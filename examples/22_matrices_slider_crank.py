"""A slider-crank without a loop: the arcsine that closes it stands in the position matrices.

With a folder as argument it writes there an animation and the curves.
"""

import sys

import numpy as np

import kinetree as kt
from kinetree.algebra import disp, rotz
from kinetree.functions import asin, cos, sin

model = kt.FrameModel("slider_crank", gravity=(0, -9.81, 0))
q = model.coordinate("q0", initial=1.0)
l1, l2 = 1.0, 2.0
alpha = asin(l1 * sin(q) / l2)
x = l1 * cos(q) + l2 * cos(alpha)
model.frame("crank", rotz(q) @ disp(l1 / 2, 0, 0), 1.0, (0, 1 / 12, 1 / 12))
model.frame("rod", disp(x, 0, 0) @ rotz(-alpha) @ disp(-l2 / 2, 0, 0), 2.0, (0, 2 / 3, 2 / 3))
model.frame("slider", disp(x, 0, 0), 5.0)

if __name__ == "__main__":
    run = kt.simulate(model, 5.0, step=0.01, rtol=1e-10, atol=1e-12)
    angle = run.q.values[:, 0]
    print(f"it swings from 1 rad to {angle.min():.6f} rad; -pi - 1 is {-np.pi - 1:.6f}")
    energy = kt.derive(model, "energy").evaluate(q=run.q.values, qd=run.qd.values)
    total = energy["kinetic"] + energy["potential"]
    print(f"energy drifts by {np.ptp(total):.1e} J of {np.ptp(energy['kinetic']):.1f} J")
    assert abs(angle.min() + np.pi + 1) < 1e-4
    for folder in sys.argv[1:]:
        kt.animate(model, run, f"{folder}/matrices_slider_crank.html", title="Slider-crank")
        kt.plot(run, ["q", "qd"], f"{folder}/matrices_slider_crank.png")
