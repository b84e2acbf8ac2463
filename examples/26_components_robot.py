"""The whole Manutec r3 (Otter1996 fig. 1): plan, controllers, circuits, gears, friction, arm.

With the data of the Modelica Standard Library and with those of 1993.  With a folder as argument it
writes there an animation and curves.
"""

import sys
import warnings

import numpy as np

import kinetree as kt
from kinetree.library import r3

robot = r3.Robot()
report = robot.report()
blocks = [(size, torn) for size, torn, _, _ in report.blocks]
print(f"{len(report.states)} states; linear blocks (size, torn): {blocks}")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # motors of 5000 rad/s hold the steps of an explicit method
    run = kt.simulate(robot, 2.0, step=0.002)
    original = kt.simulate(r3.OriginalRobot(), 2.0, step=0.002)

print(f"the plan ends at {robot.planning.end:.6f} s, the run at {run.attrs['end_time']:.6f} s")
assert abs(run.attrs["end_time"] - 1.856045) < 1e-6

names, times = run["event_name"].values, run["event_time"].values
changes = [(t, str(n)[:5]) for t, n in zip(times, names, strict=True) if n.endswith("mode")]
print(f"{len(changes)} changes between sticking and sliding; the first and the last of each axis:")
for axis in sorted({name for _, name in changes}):
    own = [t for t, name in changes if name == axis]
    print(f"  {axis}: {len(own):2} of them, {own[0]:.6f} s to {own[-1]:.6f} s")
assert len(changes) == 34  # as in the reference of the library

print("joint   largest distance from the plan, library   1993")
for k in range(1, 7):
    off = [
        np.abs(one[f"mechanics.r{k}.phi"] - one[f"axis{k}.angle_ref"]).max().item()
        for one in (run, original)
    ]
    print(f"{k:5} {off[0]:35.4f} rad {off[1]:10.4f} rad")
    assert max(off) < 0.2

for folder in sys.argv[1:]:
    kt.animate(robot, run, f"{folder}/components_robot.html", title="r3 with friction and circuits")
    speeds = [f"mechanics.r{k}.w" for k in range(1, 7)]
    kt.plot(run, speeds, f"{folder}/components_robot.png")
    springs = [f"axis{k}.gear.spring.phi_rel" for k in (1, 2, 3)]
    late = run.sel(time=slice(1.2, None))
    kt.plot(late, springs, f"{folder}/components_robot_springs.png")
