"""A saloon of 81 coordinates and 16 loops changes lanes: roll with and without anti-roll bars.

With a folder as argument it writes there an animation and the curves of figures 15 and 17 of
Docquier, Poncelet, Fisette 2013.
"""

import sys
from pathlib import Path

import numpy as np

import kinetree as kt

model = kt.load(Path(__file__).parent / "models" / "saloon.yaml")
CORNERS, SPEED = ("FL", "FR", "RL", "RR"), 10.0
crush = [f"{corner}_spring.deflection" for corner in CORNERS]
start = {"x": SPEED, **{f"{corner}_spin": SPEED / 0.33 for corner in CORNERS}}

runs = {}
for name, share in (("springs and bars", 1.0), ("springs alone", 0.0)):
    bars = {
        f"{axle}_bar": share * model.parameters[f"{axle}_bar"].value for axle in ("front", "rear")
    }
    runs[name] = kt.simulate(
        model, 8.0, qd=start, parameters=bars, method="dopri5", rtol=1e-5, outputs=crush
    )

print("                    roll °        sideways m   speed at the end m/s")
for name, run in runs.items():
    roll = np.degrees(run.q.sel(coordinate="roll").values)
    aside, speed = float(run.q.sel(coordinate="y")[-1]), float(run.qd.sel(velocity="x")[-1])
    print(f"{name:17} {roll.min():6.2f} {roll.max():6.2f} {aside:11.2f} {speed:14.2f}")
    least = 1.6 if name == "springs and bars" else 2.3
    assert least < -roll.min() < least + 0.2 and least < roll.max() < least + 0.2  # noqa: PT018
    assert 3.3 < aside < 3.8  # one lane to the left

for folder in sys.argv[1:]:
    run = runs["springs and bars"]
    kt.animate(model, run, f"{folder}/saloon.html", title="Lane change at 10 m/s")
    short = {name[:2]: (1e3 * run[name]).assign_attrs(units="mm") for name in crush}
    kt.plot(run.assign(short), list(short), f"{folder}/saloon_crush.png")
    both = run.assign({name: np.degrees(other.q.sel(coordinate="roll", drop=True)).assign_attrs(
        units="°") for name, other in runs.items()})  # fmt: skip
    kt.plot(both, list(runs), f"{folder}/saloon_roll.png")
