"""Four shafts and three clutches in a row: which of them stick is decided for all at once.

The example CoupledClutches of the Modelica Standard Library.  With a folder as argument it writes
a picture there.
"""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import kinetree as kt
from kinetree.acausal import Component, connect, part
from kinetree.library import blocks
from kinetree.library import rotational as rot


class Clutches(Component):
    """A torque that sways drives the first shaft; clutches close one after the other."""

    J1, J2 = part(rot.Inertia, phi=0.0, w=10.0), part(rot.Inertia, phi=0.0, w=0.0)
    J3, J4 = part(rot.Inertia, phi=0.0, w=0.0), part(rot.Inertia, phi=0.0, w=0.0)
    c1, c2, c3 = (part(rot.Clutch, peak=1.1, fn_max=20.0) for _ in range(3))
    motor, sway = part(rot.Torque), part(blocks.Sine, amplitude=10.0, f=5.0)
    ease = part(blocks.Sine, f=0.2, phase=np.pi / 2)
    close2, close3 = part(blocks.Step, startTime=0.4), part(blocks.Step, startTime=0.9)

    def equations(self) -> Iterator[Any]:  # noqa: D102
        yield connect(self.sway.y, self.motor.tau)
        yield connect(self.motor.flange, self.J1.flange_a)
        yield connect(self.J1.flange_b, self.c1.flange_a)
        yield connect(self.c1.flange_b, self.J2.flange_a)
        yield connect(self.J2.flange_b, self.c2.flange_a)
        yield connect(self.c2.flange_b, self.J3.flange_a)
        yield connect(self.J3.flange_b, self.c3.flange_a)
        yield connect(self.c3.flange_b, self.J4.flange_a)
        yield connect(self.ease.y, self.c1.f_normalized)
        yield connect(self.close2.y, self.c2.f_normalized)
        yield connect(self.close3.y, self.c3.f_normalized)


run = kt.simulate(Clutches(), 1.5, step=1e-3)
for t, name in zip(run["event_time"].values, run["event_name"].values, strict=True):
    print(f"{t:8.5f} s  {name}")
speeds = np.array([run[f"J{k}.w"].values for k in range(1, 5)])
assert np.ptp(speeds[1:, -1]) < 1e-6  # three turn as one, the first clutch has opened again
spin = speeds.sum(axis=0) - 10 - 1 / np.pi * (1 - np.cos(10 * np.pi * run.time.values))
assert np.abs(spin).max() < 1e-6  # what the motor gave is in the shafts
for folder in sys.argv[1:]:
    figure = Figure(figsize=(8, 4.2), layout="constrained")
    top, low = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    top.plot(run.time, speeds.T)
    top.legend([f"J{k}" for k in range(1, 5)], frameon=False, ncols=4)
    for k in (1, 2, 3):
        low.step(run.time, 2 * k + 0.7 * np.abs(run[f"c{k}.mode"].values), where="post")
    low.set(yticks=[2, 4, 6], yticklabels=["c1 sticks", "c2 sticks", "c3 sticks"], xlabel="t [s]")
    top.set_ylabel("speed [rad/s]")
    figure.savefig(f"{folder}/clutches.png", dpi=110)
