"""An engine of six cylinders from bodies and joints: six loops, one degree of freedom.

Compared with the published run of its model in the Modelica Standard Library.  With a folder as
argument it writes a picture there.
"""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import kinetree as kt
from kinetree.acausal import Component, connect, part
from kinetree.library import engine
from kinetree.library import multibody as mb
from kinetree.library import rotational as rot


class Bench(Component):
    """The engine turns a load that brakes with the square of the speed."""

    world, engine = part(mb.World, g=9.80665, n=(0, -1, 0)), part(engine.EngineV6)
    load, sensor = part(rot.Inertia, J=1.0, phi=0.0, w=10.0), part(rot.TorqueSensor)
    brake = part(rot.QuadraticSpeedDependentTorque, tau_nominal=-100.0, w_nominal=200.0)

    def equations(self) -> Iterator[Any]:  # noqa: D102
        yield connect(self.world.frame_b, self.engine.frame_a)
        yield connect(self.engine.flange_b, self.sensor.flange_a)
        yield connect(self.sensor.flange_b, self.load.flange_a)
        yield connect(self.load.flange_b, self.brake.flange)


bench = Bench()
report = bench.report()
print(f"states: {', '.join(report.states)}; {len(report.blocks)} blocks of equations")
run = kt.simulate(bench, 1.01, step=2e-4)
angle, speed, torque = (run[name].values for name in ("load.phi", "load.w", "sensor.tau"))
print(f"{angle[-1] / (2 * np.pi):.2f} turns, {speed[-1]:.2f} rad/s, {run.sizes['event']} strokes")
assert abs(angle[-1] - 130.432525) < 1e-3  # of the Modelica Association's reference run
assert abs(speed[-1] - 228.245115) < 5e-3
strokes = np.array([run[f"engine.cylinder[{k}].slide.s"].values for k in range(6)])
assert np.abs([strokes.min() - 0.095, strokes.max() - 0.195]).max() < 1e-3  # below the head

for folder in sys.argv[1:]:
    figure = Figure(figsize=(8.4, 4.8), layout="constrained")
    (a, b), (c, d) = figure.subplots(2, 2)
    a.plot(run.time, speed)
    b.plot(run.time[::2], torque[::2], lw=0.4)
    last = angle > angle[-1] - 4 * np.pi
    turned = np.rad2deg(angle[last] - angle[last][0])
    c.plot(turned, 1e3 * (0.42 - strokes[:, last].T), lw=1.2)
    d.plot(turned, torque[last])
    for pane, label in (
        (a, "speed [rad/s]"),
        (b, "torque [N m]"),
        (c, "pistons [mm]"),
        (d, "torque [N m]"),
    ):
        pane.set(ylabel=label, xlabel="t [s]" if pane in (a, b) else "crank angle [deg]")
    figure.savefig(f"{folder}/engine.png", dpi=80)
