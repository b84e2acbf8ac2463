"""A slider-crank that swings: the loop is closed by a constraint, the turning point is known.

With a folder as argument it writes there an animation and the curves.
"""

import sys
from pathlib import Path

import numpy as np

import kinetree as kt

model = kt.load(Path(__file__).parent / "models" / "slider_crank.yaml")
start = kt.assemble(model, independent=["crank"]).q  # the crank keeps its 1 rad
turns = kt.Event("qd_crank", "rising", stops=True)
half = kt.simulate(model, 5.0, q=start, rtol=1e-12, atol=1e-12, events={"turns": turns})
print(half.attrs["termination"])
angle = float(half.q.sel(coordinate="crank")[-1])
print(f"the crank turns at {angle:.10f} rad; -(pi + 1) = {-(np.pi + 1):.10f}")
assert abs(angle + np.pi + 1) < 1e-8

run = kt.simulate(model, 5.0, q=start)
print("time s   crank rad   slider m   slider m/s   pin N")
for k in range(0, 501, 100):
    now = run.isel(time=k)
    q, qd = now.q.values, now.qd.values
    pin = np.hypot(*now.lam.values)  # what closes the loop
    print(f"{now.time.item():6.1f} {q[0]:11.4f} {q[2]:10.4f} {qd[2]:12.4f} {pin:7.2f}")

for folder in sys.argv[1:]:
    kt.animate(model, run, f"{folder}/slider_crank.html", title="Slider-crank")
    kt.plot(run, ["q.crank", "q.slide", "lam"], f"{folder}/slider_crank.png")
