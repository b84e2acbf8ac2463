"""Many states in one call: SIMD lanes, all cores, any leading shape."""

import time
from pathlib import Path

import numpy as np

import kinetree as kt

model = kt.load(Path(__file__).parent / "models" / "arm7.urdf")
f = kt.derive(model, "forward", parameters="folded").compile()

grid = (64, 128)
rng = np.random.default_rng(1)
q, qd, tau = rng.uniform(-1, 1, (3, *grid, model.nv))
qdd = f(q=q, qd=qd, tau=tau)["qdd"]
print("in:", q.shape, "out:", qdd.shape)

start = time.perf_counter()
f(q=q, qd=qd, tau=tau)
per_state = (time.perf_counter() - start) / (grid[0] * grid[1])
print(f"{1e9 * per_state:.0f} ns per state")

one = f(q=q[5, 7], qd=qd[5, 7], tau=tau[5, 7])["qdd"]
assert np.allclose(one, qdd[5, 7])
same_motion = f(q=q[0, 0], qd=qd[0, 0], tau=tau[0])["qdd"]
print("one state, many torques:", same_motion.shape)
