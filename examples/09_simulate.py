"""A double pendulum simulated: energy drift by method, events, modes, a file."""

import numpy as np

import kinetree as kt

model = kt.Model("double_pendulum", gravity=(0, -9.81, 0))
upper = model.body("upper", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.0833, 0.0833))
lower = model.body("lower", mass=2.0, com=(1.0, 0, 0), inertia=(0, 0.6667, 0.6667))
model.revolute("shoulder", model.ground, upper, axis="z")
model.revolute("elbow", upper.point("tip", (1, 0, 0)), lower, axis="z")
energy = kt.derive(model, "energy")

print("method   steps   wall ms   relative energy drift over 10 s")
for method in ("dopri5", "dop853", "DOP853", "LSODA"):
    run = kt.simulate(model, 10.0, method=method, rtol=1e-9, atol=1e-10)
    parts = energy.evaluate(q=run.q.values, qd=run.qd.values)
    total = parts["kinetic"] + parts["potential"]
    drift = np.abs(total - total[0]).max() / np.ptp(parts["kinetic"])
    wall = 1e3 * run.attrs["wall_time_s"]
    print(f"{method:7} {run.attrs['steps']:6} {wall:9.2f}   {drift:.1e}")
    assert drift < 1e-5

run = kt.simulate(
    model, 10.0, events={"first fall": kt.Event("q_shoulder + pi/2", "falling", stops=True)}
)
print(run.attrs["termination"])

rest = kt.equilibrium(model, q={"shoulder": -1.0})
for row in kt.modes(model, at=rest).rows():
    print(f"mode {row['mode']}: {row['frequency Hz']:.4f} Hz, moves {row['moves']}")

print("written:", kt.save_run(run, "build/fall.nc"))
