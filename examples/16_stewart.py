"""A Stewart platform: six loops assembled from upright legs, a kick, modes.

With a folder as argument it writes there an animation of the motion, one of the modes, and curves.
"""

import sys
from pathlib import Path

import kinetree as kt

model = kt.load(Path(__file__).parent / "models" / "stewart.yaml")
pose = [name for name in model.velocities if name.startswith("pose")]
found = kt.partition(model, independent=pose)
print(f"{model.nv} velocities, {len(found.equations)} equations, mobility {found.mobility}")
print(f"condition of the legs for a given pose: {found.condition:.2f}")

kick = {"pose_wx": 4.0, "pose_wz": 6.0, "pose_vx": 3.0}  # rad/s, m/s
run = kt.simulate(model, 6.0, qd=kick, step=0.01, independent=pose)
legs = [name for name in model.coordinates if name.startswith("leg")]
print("time s   height m   shortest leg m   longest leg m")
for k in (0, 10, 20, 30, 50, 100, 600):
    now = run.q.isel(time=k)
    height, length = float(now.sel(coordinate="pose_pz")), now.sel(coordinate=legs).values
    print(f"{run.time.values[k]:6.1f} {height:10.5f} {length.min():16.5f} {length.max():15.5f}")
assert abs(run.qd.values[-1]).max() < 1e-5

modes = kt.modes(model, at=run, independent=pose)  # about the end of the run, where it rests
print("mode   frequency Hz   damping   moves")
for row in modes.rows():
    print(f"{row['mode']:4} {row['frequency Hz']:14.3f} {row['damping']:9.3f}   {row['moves']}")

for folder in sys.argv[1:]:
    soon = run.sel(time=slice(0, 2))
    kt.animate(model, soon, f"{folder}/stewart.html", title="Stewart platform, kicked")
    kt.animate(model, modes=modes, path=f"{folder}/stewart_modes.html")
    kt.plot(soon, [f"q.{leg}" for leg in legs], f"{folder}/stewart.png")
