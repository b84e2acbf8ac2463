"""The motor of the Manutec r3 (Otter1996 fig. 3): a circuit of amplifiers that controls a current.

The differential amplifier compares reference and measured current, the integrator and the power
amplifier drive the armature.  The resistors are chosen so that i/i_ref = 1/((s/w)² + 2 D s/w + 1).
With a folder as argument it writes curves there.
"""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import kinetree as kt
from kinetree.acausal import Component, connect, part, signal_in
from kinetree.library import r3
from kinetree.library import rotational as rot

W, D, K, J = 4590.0, 0.6, 1.1616, 0.0013


class Bench(Component):
    """The motor of the first axis turns a load; its current is to jump to 3 A."""

    i_ref = signal_in("A", 3.0)
    motor, load = part(r3.Motor, w=W, D=D, k=K, J=J), part(rot.Inertia, J=0.01)

    def equations(self) -> Iterator[Any]:
        """The load on the shaft."""
        yield connect(self.motor.flange, self.load.flange_a)
        yield connect(self.i_ref, self.motor.i_ref)


bench = Bench()
print(bench.report())
run = kt.simulate(bench, 0.004, step=2e-5, rtol=1e-9, atol=1e-10)
t, fast = run.time.values, W * np.sqrt(1 - D**2)
exact = 3 * (1 - np.exp(-D * W * t) * (np.cos(fast * t) + D * W / fast * np.sin(fast * t)))
print("time ms   current A   without back-EMF A   integrator V   speed rad/s")
for k in (0, 10, 25, 50, 100, 200):
    i, v, w = (float(run[name][k]) for name in ("motor.La.i", "motor.C.v", "load.w"))
    print(f"{1e3 * t[k]:7.2f} {i:11.5f} {exact[k]:20.5f} {v:14.4f} {w:13.5f}")
assert np.abs(run["motor.La.i"].values - exact).max() < 0.02  # the EMF is small at low speed
pushed = K * float(run["motor.La.i"].values.mean()) * t[-1] / (0.01 + J)  # J w = integral of k i
assert abs(float(run["load.w"][-1]) - pushed) < 0.01 * pushed

for folder in sys.argv[1:]:
    kt.plot(run, ["motor.La.i"], f"{folder}/motor_circuit.png")
