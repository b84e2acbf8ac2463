"""The Iltis, a road vehicle benchmark: at rest, its modes, and over a bump of 0.2 m at 5 m/s.

With a folder as argument it writes there an animation of the bump, one of the modes, and curves.
"""

import sys
from pathlib import Path

import numpy as np

import kinetree as kt

FILE = Path(__file__).parent / "models" / "iltis.yaml"
CORNERS = {"FL": "radius_front", "FR": "radius_front", "RR": "radius_rear", "RL": "radius_rear"}

# At rest the benchmark's wheels carry by vertical forces through their centres.
still = kt.load(FILE)
for corner, radius in CORNERS.items():
    del still.forces[f"{corner}_tyre"]
    given = {"radius": still.parameters[radius].value, "stiffness": 460e3, "exponent": 1}
    still.contact(f"{corner}_tyre", f"{corner}_wheel", "ground", **given)
rest = kt.equilibrium(still, q={"z": 0.57, "pitch": 0.0}, locked=["x", "y", "yaw"])
q = dict(zip(still.coordinates, rest.q, strict=True))
published = {"sinks by mm": -7.083357874, "pitches by °": 0.14653386678}
found = {"sinks by mm": 1e3 * (q["z"] - 0.57), "pitches by °": np.degrees(q["pitch"])}
print("at rest it       found   published")
for name, value in found.items():
    print(f"{name:12} {value:9.5f} {published[name]:11.5f}")
    assert abs(value / published[name] - 1) < 1e-8

modes = kt.modes(still, at=rest)
print("mode   frequency Hz   damping   moves")
for row in modes.rows():
    if row["frequency Hz"] > 0:
        print(f"{row['mode']:4} {row['frequency Hz']:14.3f} {row['damping']:9.3f}   {row['moves']}")

model = kt.load(FILE)
bump = {"bump_left": 0.1, "bump_right": 0.1}
run = kt.simulate(model, 2.5, qd={"x": 5.0}, parameters=bump, step=0.01)
print("after the bump       x m          z m   pitch rad")
last = [float(run.q.sel(coordinate=name)[-1]) for name in ("x", "z", "pitch")]
check = [12.096388, 0.56282876, 0.003081105]  # a program written from the same data alone
for who, (x, z, pitch) in (("found", last), ("published", check)):
    print(f"{who:12} {x:11.6f} {z:12.8f} {pitch:11.9f}")
assert np.allclose(last, check, rtol=1e-6)

for folder in sys.argv[1:]:
    at = np.arange(0.97, 5.97, 0.05)  # the road as the tyres feel it
    height = 0.1 * (1 - np.cos(2 * np.pi * (at - 0.97) / 5)) + 0.002
    road = [
        {"kind": "box", "size": [0.05, 2.0, h], "position": [x + 0.025, 0, h / 2]}
        for x, h in zip(at.tolist(), height.tolist(), strict=True)
    ]
    model.shapes = {**model.shapes, "ground": road}
    kt.animate(model, run, f"{folder}/iltis.html", title="Iltis over a bump at 5 m/s")
    kt.animate(still, modes=modes, path=f"{folder}/iltis_modes.html")
    kt.plot(run, ["q.z", "q.pitch", "q.R1_FL", "q.R1_RL"], f"{folder}/iltis.png")
