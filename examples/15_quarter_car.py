"""A quarter car on a five-link suspension: four spatial loops, modes, a drop of the body.

With a folder as argument it writes there an animation of the drop, one of the modes, and curves.
"""

import sys
from pathlib import Path

import kinetree as kt

INDEPENDENT = ["heave", "rollover_strut_1", "spin"]
model = kt.load(Path(__file__).parent / "models" / "quarter_car.yaml")
found = kt.partition(model, independent=INDEPENDENT)
print(f"{model.nv} velocities, {len(found.equations)} equations, mobility {found.mobility}")

modes = kt.modes(model, independent=INDEPENDENT)  # the design position is the static one
print("mode   frequency Hz   damping   moves")
for row in modes.rows():
    print(f"{row['mode']:4} {row['frequency Hz']:14.3f} {row['damping']:9.3f}   {row['moves']}")

rough = list(model.initial())
rough[model.coordinates.index("heave")] = 0.03
start = kt.assemble(model, rough, independent=INDEPENDENT).q
run = kt.simulate(model, 2.0, q=start)
body = 1e3 * run.q.sel(coordinate="heave").values
print("time s   body mm")
for k in range(0, 501, 100):
    print(f"{run.time.values[k]:6.1f} {body[k]:9.3f}")
assert abs(body[-1]) < 1

for folder in sys.argv[1:]:
    kt.animate(model, run, f"{folder}/quarter_car.html", title="Quarter car on five links")
    kt.animate(model, modes=modes, path=f"{folder}/quarter_car_modes.html")
    kt.plot(run, ["q.heave", "q.rollover_strut_1"], f"{folder}/quarter_car.png")
