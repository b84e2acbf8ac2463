"""Things that happen in a run: bounces, a sampled controller, a block that sticks and slides."""

import numpy as np

import kinetree as kt

# a ball that bounces: an event that changes a velocity
ball = kt.Model("ball", gravity=(0, 0, -9.81))
ball.prismatic("z", ball.ground, ball.body("ball", mass=0.5), axis="z", initial=1.0)
ball.event("bounce", lambda q: q["z"], {"qd_z": lambda qd: -0.8 * qd["z"]}, direction="falling")
run = kt.simulate(ball, 2.5)
print("bounces at", np.round(run["event_time"].values, 4), "s")

# a servo whose controller looks every 50 ms and holds its force in between: a mode and a clock
servo = kt.Model("servo", gravity=(0, 0, 0))
servo.prismatic("x", servo.ground, servo.body("sledge", mass=2.0), axis="x")
servo.joint_law("motor", "x", servo.mode("force", unit="N"))
servo.event("sample", then={"force": lambda q, qd: 40 * (1 - q["x"]) - 9 * qd["x"]}, every=0.05)
run = kt.simulate(servo, 3.0, step=0.05)
force = run["x"].sel(state="force").values
print(f"sledge at {float(run.q[-1, 0]):.3f} m; {len(np.unique(force))} values of the force")
assert abs(float(run.q[-1, 0]) - 1) < 0.01

# a block on a belt, held by a spring: it sticks until the spring is stronger than the breakaway
belt = kt.Model("belt", gravity=(0, 0, 0))
block = belt.body("block", mass=1.0)
belt.prismatic(
    "on_belt", belt.ground, block, axis="x"
)  # relative to the belt, which runs by 0.1 m/s
belt.joint_law("spring", "on_belt", lambda q, t: -50 * (q["on_belt"] + 0.1 * t))
belt.dry_friction("rub", "on_belt", coulomb=3.0, breakaway=5.0)
run = kt.simulate(belt, 5.0, step=0.001)
sticks = np.abs(run["qd"].values[:, 0]) == 0
print(f"the block sticks {sticks.mean():.0%} of the time, {run.sizes['event']} changes")
first = float(run["event_time"][0])
assert abs(first - 5.0 / (50 * 0.1)) < 1e-9  # breaks away where the spring reaches 5 N
