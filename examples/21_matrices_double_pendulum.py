"""A double pendulum given by two position matrices, and what its equations look like.

With a folder as argument it writes there an animation and the curves.
"""

import sys

import kinetree as kt
from kinetree.algebra import disp, rotz

model = kt.FrameModel("double_pendulum", gravity=(0, -9.81, 0))
q1, q2 = model.coordinate("q1"), model.coordinate("q2", initial=1.0)
l1, l2 = model.parameter("l1", 1.2, "m"), model.parameter("l2", 1.1, "m")
m1, m2 = model.parameter("m1", 1.1, "kg"), model.parameter("m2", 0.9, "kg")
upper = rotz(q1) @ disp(0, -l1 / 2, 0)
lower = rotz(q1) @ disp(0, -l1, 0) @ rotz(q2) @ disp(0, -l2 / 2, 0)
model.frame("upper", upper, m1, (m1 * l1**2 / 12, 0, m1 * l1**2 / 12))
model.frame("lower", lower, m2, (m2 * l2**2 / 12, 0, m2 * l2**2 / 12))

if __name__ == "__main__":
    forward = kt.derive(model, "forward")
    print(forward.count())
    print("\n".join(forward.show().splitlines()[:24]), "\n…")
    run = kt.simulate(model, 5.0, step=0.01, rtol=1e-10, atol=1e-12)
    print("q at 5 s:", run.q.values[-1].round(8))
    assert abs(run.q.values[-1] - [0.24262036, 0.16558977]).max() < 1e-7
    for folder in sys.argv[1:]:
        kt.animate(model, run, f"{folder}/double_pendulum.html", title="Double pendulum")
        kt.plot(run, ["q"], f"{folder}/double_pendulum.png")
