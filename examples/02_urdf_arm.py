"""A seven-joint arm from a URDF: inverse and forward dynamics undo each other."""

from pathlib import Path

import numpy as np

import kinetree as kt

model = kt.load(Path(__file__).parent / "models" / "arm7.urdf")
print(f"{model}\ncoordinates: {', '.join(model.coordinates)}")

inverse = kt.derive(model, "inverse")
forward = kt.derive(model, "forward", formalism="order_n")
print("inverse dynamics:", inverse.count())
print("forward dynamics:", forward.count())

q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, model.nv))
tau = inverse.compile()(q=q, qd=qd, qdd=qdd)["tau"]
back = forward.compile()(q=q, qd=qd, tau=tau)["qdd"]
print("torques [N.m]:", tau.round(3))
print("largest difference after the round trip:", abs(back - qdd).max())
assert np.allclose(back, qdd)
