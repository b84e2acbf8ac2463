"""All 64 ways to lock the joints of a robot, in one Program."""

from itertools import product
from pathlib import Path

import numpy as np

import kinetree as kt

model = kt.load(Path(__file__).parent / "models" / "r3.yaml")
mixed = kt.derive(model, "mixed", "order_n")
plain = kt.derive(model, "forward", "order_n")
share = mixed.count().total / plain.count().total - 1
print(f"{mixed.count().total} operations for all modes, {share:.0%} more than without locks")

locked = np.array(list(product((0.0, 1.0), repeat=model.nv)))  # a row per mode, 1 where locked
rng = np.random.default_rng(1)
q, qd, tau = (np.tile(rng.uniform(-1, 1, model.nv), (len(locked), 1)) for _ in range(3))
gamma = np.where(locked, 0.0, tau)  # a locked joint does not accelerate, a free one has its force
out = mixed.compile()(q=q, qd=qd, alpha=locked, beta=1 - locked, gamma=gamma)

back = kt.derive(model, "inverse").compile()(q=q, qd=qd, qdd=out["qdd"])["tau"]
assert np.allclose(back, out["tau"], atol=1e-9)
assert np.allclose(out["qdd"][locked == 1], 0, atol=1e-12)
assert np.allclose(out["tau"][locked == 0], tau[locked == 0], atol=1e-9)

print("locked joints   qdd of the joints [rad/s²]                  largest locking torque [N.m]")
for row in (0, 1, 8, 56, 63):
    names = "".join(str(k + 1) for k in np.flatnonzero(locked[row])) or "none"
    qdd = " ".join(f"{x:7.2f}" for x in out["qdd"][row])
    print(f"{names:<13} {qdd} {np.abs(out['tau'][row] * locked[row]).max():12.2f}")
