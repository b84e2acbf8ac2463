"""Springs, dampers and laws: in Python, in a model file, in the equations, in the energy."""

from pathlib import Path

import numpy as np

import kinetree as kt

# A mass, a spring and a damper: m x'' = tau - k x - c x'.
one = kt.Model("mass_spring_damper", gravity=(0, 0, 0))
mass = one.body("mass", mass=2.0)
one.prismatic("x", one.ground, mass)
one.joint_spring("coil", "x", stiffness=50.0, damping=4.0)
forward = kt.derive(one, "forward")
qdd = forward.evaluate(q=[0.1], qd=[0.3], tau=[0.0])["qdd"]
print(f"mass, spring, damper: qdd = {qdd[0]:.4f} m/s2, parameters {forward.input('p').labels}")
assert np.allclose(qdd, (-50 * 0.1 - 4 * 0.3) / 2)

# Energy counts springs; a damper takes from it what it takes from the motion.
energy = kt.derive(one, "energy").evaluate(q=[0.1], qd=[0.3])
print(f"kinetic {energy['kinetic']:.4f} J, potential {energy['potential']:.4f} J")
assert np.isclose(energy["potential"], 50 * 0.1**2 / 2)

# A force along the line of two points, by a law of its length and the rate of its length.
hung = kt.Model("pendulum_with_strut")
bob = hung.body("bob", mass=1.0, com=(0, 0, -0.8), inertia=(0.02, 0.02, 0.01))
hung.revolute("swing", hung.ground, bob, axis="y")
tip, wall = bob.point("tip", (0, 0, -1)), hung.ground.point("wall", (1.5, 0, 0))
k = hung.parameter("k", 40.0, "N/m")
hung.link("strut", tip, wall, lambda length, rate: k * (length - 1.2) + 2 * rate**3)
tau = kt.derive(hung, "inverse").evaluate(q=[0.2], qd=[0.0], qdd=[0.0])["tau"]
print(f"torque that holds the pendulum beside the strut: {tau[0]:.4f} N.m")

# The same kinds of forces in a file, with a motor whose force is a state of its own.
cart = kt.load(Path(__file__).parent / "models" / "spring_cart.yaml")
print(cart, "with forces", ", ".join(cart.forces), "and states", ", ".join(cart.states))
f = kt.derive(cart, "forward").compile()
state = {"q": np.array([0.05, 0.3]), "qd": np.array([0.2, -0.4])}
out = f(**state, tau=np.zeros(2), t=0.1, x=np.array([1.0]))
print("accelerations:", out["qdd"].round(4), " rate of the motor's force:", out["xd"].round(2))
