"""Stops: a ball that comes to rest by bounces, a cradle, a slider-crank that hits its end."""

import numpy as np

import kinetree as kt

# infinitely many bounces in finite time: they end in contact, with the weight as its force
ball = kt.Model("ball", gravity=(0, 0, -9.81))
ball.prismatic("z", ball.ground, ball.body("ball", mass=0.5), axis="z", initial=1.0)
ball.stop("floor", "z", lower=0.0, restitution=0.8)
run = kt.simulate(ball, 5.0, step=0.1)
times = run["event_time"].values
print(f"{len(times)} bounces up to {times[-1]:.4f} s; then a force of {run.contact[-1, 0]:.3f} N")
assert abs(times[-1] - 9 * np.sqrt(2 / 9.81)) < 1e-4

# two balls of a cradle let go: two balls leave at the other end
cradle = kt.Model("cradle")
for k in range(5):
    body = cradle.body(f"ball{k}", mass=0.1, com=(0, 0, -1))
    body.point("centre", (0, 0, -1))
    hook = cradle.ground.point(f"hook{k}", (0.1 * k, 0, 0))
    cradle.revolute(f"angle{k}", hook, body, axis="y")
for k in range(4):
    pair = {"a": f"ball{k}.centre", "b": f"ball{k + 1}.centre"}
    gap = lambda points: points["b"].p[0] - points["a"].p[0] - 0.1  # noqa: E731
    cradle.stop(f"hit{k}", points=pair, gap=gap, restitution=1.0)
run = kt.simulate(cradle, 1.0, step=0.01, q=[0.3, 0.3, 0, 0, 0], rtol=1e-9, atol=1e-11)
print("angles after half a swing", np.round(run.q.values[-1], 3), "rad")
assert np.abs(run.q.values[-1, :3]).max() < 1e-6

# a slider-crank whose slider hits a block: the loop takes part in the impact
engine = kt.Model("engine", gravity=(0, -9.81, 0))
crank = engine.body("crank", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.08, 0.08))
rod = engine.body("rod", mass=2.0, com=(1, 0, 0), inertia=(0, 0.7, 0.7))
slider = engine.body("slider", mass=5.0)
engine.revolute("crank", engine.ground, crank, axis="z", initial=0.5)
engine.revolute("rod", crank.point("tip", (1, 0, 0)), rod, axis="z", initial=-0.74)
engine.prismatic("slider", engine.ground, slider, axis="x", initial=2.8)
engine.close_ball("pin", rod.point("end", (2, 0, 0)), slider)
engine.stop("block", "slider", lower=2.0, restitution=0.5)
run = kt.simulate(engine, 2.0, step=0.01, rtol=1e-9, atol=1e-11)
out = kt.derive(engine, "energy").compile()(q=run.q.values, qd=run.qd.values)
energy = out["kinetic"] + out["potential"]
hits = run["event_time"].values
print(f"hits at {np.round(hits, 3)} s; energy from {energy[0]:.2f} J to {energy[-1]:.2f} J")
assert np.diff(energy).max() < 1e-6
