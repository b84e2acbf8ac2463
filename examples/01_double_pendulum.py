"""A double pendulum from description to native code and C."""

import numpy as np

import kinetree as kt

model = kt.Model("double_pendulum", gravity=(0, -9.81, 0))
upper = model.body("upper", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.0833, 0.0833))
lower = model.body("lower", mass=2.0, com=(1.0, 0, 0), inertia=(0, 0.6667, 0.6667))
model.revolute("shoulder", model.ground, upper, axis="z")
model.revolute("elbow", upper.point("tip", (1, 0, 0)), lower, axis="z")

forward = kt.derive(model, "forward")
print(f"{model}\nforward dynamics: {forward.count()}")

f = forward.compile()
hanging = f(q=[-np.pi / 2, 0], qd=[0, 0], tau=[0, 0])["qdd"]
print("hanging at rest, qdd =", hanging.round(12))
assert np.allclose(hanging, 0)

horizontal = f(q=[0, 0], qd=[0, 0], tau=[0, 0])["qdd"]
print("let go when horizontal, qdd =", horizontal.round(4), "rad/s2")
assert horizontal[0] < 0

for path in forward.write("c", "build/double_pendulum"):
    print("written:", path)
