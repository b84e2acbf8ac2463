"""What can be identified: the minimal inertial parameters and their regressor."""

from pathlib import Path

import numpy as np

import kinetree as kt

model = kt.load(Path(__file__).parent / "models" / "scara.yaml")
regressor = kt.derive(model, "regressor")
base = regressor.output("pi").labels
print(f"{10 * len(model.bodies)} inertial parameters, {len(base)} of them matter:")
print("  " + ", ".join(base))

rng = np.random.default_rng(1)
q, qd, qdd = rng.uniform(-1, 1, (3, 50, model.nv))
out = regressor.compile()(q=q, qd=qd, qdd=qdd)
tau = kt.derive(model, "inverse").compile()(q=q, qd=qd, qdd=qdd)["tau"]
assert np.allclose(np.einsum("...ij,...j->...i", out["Y"], out["pi"]), tau)
print("Y(q, qd, qdd) pi = tau holds")

stacked = out["Y"].reshape(-1, len(base))
assert np.linalg.matrix_rank(stacked) == len(base)
noisy = tau.reshape(-1) + rng.normal(scale=1e-3, size=tau.size)
found = np.linalg.lstsq(stacked, noisy, rcond=None)[0]
print("identified from noisy torques, largest error:", abs(found - out["pi"][0]).max().round(5))
