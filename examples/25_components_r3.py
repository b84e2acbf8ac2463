"""The arm of the Manutec r3 from components (Otter1996 sec. 7): one model, several questions.

With a folder as argument it writes there an animation and curves.
"""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import kinetree as kt
from kinetree.acausal import Component, connect, part, signal_in
from kinetree.library import r3
from kinetree.library import rotational as rot

AXES = range(1, 7)
JOINTS, TORQUES = [f"arm.r{k}" for k in AXES], [f"u{k}" for k in AXES]
PRINTED = {"inverse": (269, 190), "direct": (727, 493)}  # operations *, / and +, - (Otter1996)


class Driven(Component):
    """The arm with a torque in each of its joints."""

    u1, u2, u3, u4, u5, u6 = (signal_in("N.m") for _ in AXES)
    m1, m2, m3, m4, m5, m6 = (part(rot.Torque) for _ in AXES)
    arm = part(r3.OriginalArm, r2={"phi": 0.4}, r3={"phi": 1.2}, r5={"phi": -1.0})

    def equations(self) -> Iterator[Any]:
        """A motor at every axis."""
        for k in AXES:
            motor = getattr(self, f"m{k}")
            yield connect(motor.flange, getattr(self.arm, f"axis{k}"))
            yield connect(motor.tau, getattr(self, f"u{k}"))


questions = {
    "inverse": kt.derive(Driven(), known=[f"{j}.phi" for j in JOINTS], wanted=TORQUES),
    "direct": kt.derive(Driven(), wanted=[f"{j}.a" for j in JOINTS]),
}
print("question    *, /   +, -   printed *, /   +, -")
for name, program in questions.items():
    n, (times, plus) = program.count(), PRINTED[name]
    print(f"{name:8} {n.mul + n.div:7} {n.add:6} {times:14} {plus:6}")
    assert n.mul + n.div < times
    assert n.add < plus

rng = np.random.default_rng(1)  # torques, accelerations, and torques again
q, w, u = rng.normal(size=6), rng.normal(size=6), 50 * rng.normal(size=6)
values = dict(zip([f"{j}.phi" for j in JOINTS] + [f"{j}.w" for j in JOINTS], [*q, *w], strict=True))
state = [values[name] for name in questions["direct"].input("x").labels]
a = questions["direct"].evaluate(t=0.0, known=u, x=state)["wanted"]
again = questions["inverse"].evaluate(t=0.0, known=[*q, *w, *a])["wanted"]
print(f"torques found back from accelerations: off by {np.abs(again - u).max():.1e} N.m")
assert np.allclose(again, u, rtol=1e-9)

run = kt.simulate(Driven(), 1.5, step=0.01, parameters={"u1": 30.0})
print("turned and let go, after 1.5 s:", *(f"{float(run[f'{j}.phi'][-1]):.3f}" for j in JOINTS))

for folder in sys.argv[1:]:
    kt.animate(Driven(), run, f"{folder}/components_r3.html", title="r3, turned and let go")
    kt.plot(run, [f"{j}.phi" for j in JOINTS], f"{folder}/components_r3.png")
