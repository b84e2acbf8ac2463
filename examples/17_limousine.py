"""A large saloon, 63 coordinates and 16 loops, turns into a bend at 20 m/s.

With a folder as argument it writes there an animation and the curves.
"""

import sys
from pathlib import Path

import numpy as np

import kinetree as kt

SPEED, RADIUS = 20.0, 0.3425  # m/s; rolling radius of the tyres [m]
model = kt.load(Path(__file__).parent / "models" / "limousine.yaml")
found = kt.partition(model)
print(f"{model.nv} coordinates, {len(model.drives)} of them driven, {len(model.closures)} loops")
print(f"{len(found.equations)} equations leave {found.mobility}: {', '.join(found.independent)}")

rolling = {"x": SPEED, **{f"spin_{corner}": SPEED / RADIUS for corner in ("FR", "FL", "RL", "RR")}}
rack = {"rack_rate": 0.01}  # m/s, for half a second: 5 mm in all
run = kt.simulate(model, 4.0, qd=rolling, parameters=rack, step=0.02, rtol=1e-6, atol=1e-8)
spent = f"{run.attrs['evaluations']} evaluations in {run.attrs['wall_time_s']:.2f} s"
print(f"explicit model: {spent}, {run.attrs['termination']}")

q, qd = run.q, run.qd
speed = np.hypot(qd.sel(velocity="x"), qd.sel(velocity="y")).values
rate, roll = qd.sel(velocity="yaw").values, q.sel(coordinate="roll").values
print("time s    x m     y m   speed m/s   yaw °/s   lateral m/s2   roll °")
for k in range(0, 201, 25):
    x, y = (float(q.sel(coordinate=name)[k]) for name in "xy")
    turn = f"{np.degrees(rate[k]):9.2f} {speed[k] * rate[k]:14.2f} {np.degrees(roll[k]):8.2f}"
    print(f"{run.time.values[k]:6.1f} {x:6.1f} {y:7.2f} {speed[k]:11.2f} {turn}")
assert 3 < speed[-1] * rate[-1] < 9  # it turns left …
assert 0.5 < np.degrees(roll[-1]) < 3  # … and leans to the right

for folder in sys.argv[1:]:
    kt.animate(model, run, f"{folder}/limousine.html", title="Limousine in a bend")
    kt.plot(run, ["qd.yaw", "q.roll", "q.y"], f"{folder}/limousine.png")
