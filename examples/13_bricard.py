"""Bricard's mechanism: a redundant equation of the loop is named, and the motion goes on.

With a folder as argument it writes there an animation and the curves.
"""

import sys
from pathlib import Path

import numpy as np

import kinetree as kt

model = kt.load(Path(__file__).parent / "models" / "bricard.yaml")
found = kt.partition(model)
print(f"counting leaves {found.structural_mobility} freedoms, there are {found.mobility}")
for row, others in found.redundant.items():
    print(f"{row} repeats {', '.join(others)}")

run = kt.simulate(model, 10.0, method="dop853", rtol=1e-10, atol=1e-10)
energy = kt.derive(model, "energy").evaluate(q=run.q.values, qd=run.qd.values)
total = energy["kinetic"] + energy["potential"]
gap = np.abs(kt.derive(model, "constraints").evaluate(q=run.q.values, qd=run.qd.values)["h"])
print("time s      q1 rad      q2 rad   energy J   gap of the loop")
for k in range(0, 501, 100):
    q = run.q.values[k]
    print(
        f"{run.time.values[k]:6.1f} {q[0]:11.6f} {q[1]:11.6f} {total[k]:10.6f} {gap[k].max():17.1e}"
    )
drift = np.ptp(total) / np.ptp(energy["kinetic"])
print(f"energy drift over 10 s: {drift:.1e} of the exchange")
assert drift < 1e-6

for folder in sys.argv[1:]:
    kt.animate(model, run, f"{folder}/bricard.html", title="Bricard's mechanism")
    kt.plot(run, ["q"], f"{folder}/bricard.png")
