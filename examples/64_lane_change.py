"""A saloon of 81 coordinates and 16 loops changes lanes: with bars, with H2, with neither.

With a folder as argument it writes there an animation and the curves of figures 15 and 17 of
Docquier, Poncelet, Fisette 2013.
"""

import sys
import warnings
from pathlib import Path

import numpy as np

import kinetree as kt

models = Path(__file__).parent / "models"
model, h2 = (kt.load(models / f"{name}.yaml") for name in ("saloon", "saloon_h2"))
CORNERS, SPEED = ("FL", "FR", "RL", "RR"), 10.0
crush = [f"{corner}_spring.deflection" for corner in CORNERS]
start = {"x": SPEED, **{f"{corner}_spin": SPEED / 0.33 for corner in CORNERS}}
bars = {f"{axle}_bar": 0.0 for axle in ("front", "rear")}
cars = {"springs and bars": (model, {}), "springs alone": (model, bars), "H2": (h2, {})}

warnings.filterwarnings("ignore", "stiff forces")  # those of oil; it is cheaper here
runs, rolls = {}, {}
for name, (car, values) in cars.items():
    runs[name] = kt.simulate(
        car, 8.0, qd=start, parameters=values, method="dopri5", rtol=1e-5, outputs=crush
    )

print("                    roll °        sideways m   speed at the end m/s")
for name, run in runs.items():
    roll = np.degrees(run.q.sel(coordinate="roll").values)
    aside, speed = float(run.q.sel(coordinate="y")[-1]), float(run.qd.sel(velocity="x")[-1])
    print(f"{name:17} {roll.min():6.2f} {roll.max():6.2f} {aside:11.2f} {speed:14.2f}")
    rolls[name] = max(-roll.min(), roll.max())
    assert rolls[name] - min(-roll.min(), roll.max()) < 0.1  # the same to both sides
    assert 3.3 < aside < 3.8  # one lane to the left
assert 1.6 < rolls["springs and bars"] < 1.8
assert 2.3 < rolls["springs alone"] < 2.5
assert rolls["H2"] < 0.75 * rolls["springs and bars"]

for folder in sys.argv[1:]:
    run = runs["springs and bars"]
    kt.animate(model, run, f"{folder}/saloon.html", title="Lane change at 10 m/s")
    kt.animate(h2, runs["H2"], f"{folder}/saloon_h2.html", title="Lane change on H2")
    short = {name[:2]: (1e3 * run[name]).assign_attrs(units="mm") for name in crush}
    kt.plot(run.assign(short), list(short), f"{folder}/saloon_crush.png")
    angles = {f"roll.{name}": np.degrees(one.q.sel(coordinate="roll", drop=True))
              for name, one in runs.items()}  # fmt: skip
    both = run.assign({name: angle.assign_attrs(units="°") for name, angle in angles.items()})
    kt.plot(both, list(angles), f"{folder}/saloon_roll.png")
