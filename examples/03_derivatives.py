"""Exact derivatives: of inverse dynamics, of forward dynamics, by states and by parameters."""

from pathlib import Path

import numpy as np

import kinetree as kt

model = kt.load(Path(__file__).parent / "models" / "arm7.urdf")
q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, model.nv))

inverse = kt.derive(model, "inverse")
program = kt.derive(model, "inverse_derivatives")
print("inverse dynamics:  ", inverse.count())
print("its derivatives:   ", program.count())
out = program.compile()(q=q, qd=qd, qdd=qdd)
print("outputs:", {name: array.shape for name, array in out.items()})

f = inverse.compile()
step = 1e-6 * np.eye(model.nv)
central = (f(q=q + step, qd=qd, qdd=qdd)["tau"] - f(q=q - step, qd=qd, qdd=qdd)["tau"]).T / 2e-6
print("largest difference from central differences:", abs(out["dtau_dq"] - central).max())
assert np.allclose(out["dtau_dq"], central, atol=1e-6)

forward = kt.derive(model, "forward_derivatives").compile()(q=q, qd=qd, tau=out["tau"])
assert np.allclose(forward["dqdd_dq"], -forward["dqdd_dtau"] @ out["dtau_dq"])
print("dFD = -M^-1 dID holds")

by_parameters = inverse.derivative("tau", "p").evaluate(q=q, qd=qd, qdd=qdd)["dtau_dp"]
labels = inverse.input("p").labels
strongest = labels[int(abs(by_parameters[1]).argmax())]
print(f"the torque of {model.coordinates[1]} depends most on {strongest}")
