"""Best values by exact gradients: a tuned absorber, and the throw that goes farthest.

The absorber's frequency and damping for which ∫x² after an impulse is least are Warburton's closed
form; a throw of 10 m/s from the ground goes farthest at 45 degrees, though its end time moves.
"""

import sys

import numpy as np
from matplotlib.figure import Figure

import kinetree as kt

MU, FIRST = 0.05, {"f": 0.9, "z": 0.03}
model = kt.Model("absorber", gravity=(0, 0, 0))
f, z = (model.parameter(name, value) for name, value in FIRST.items())
main, small = model.body("main", mass=1.0), model.body("small", mass=MU)
model.prismatic("x", model.ground, main, axis="x")
model.prismatic("d", main, small, axis="x")
model.joint_spring("spring", "x", stiffness=1.0)
model.joint_spring("tuned", "d", stiffness=MU * f**2, damping=2 * z * f * MU)
push = {"x": 1.0, "d": -1.0}
best = kt.optimise(
    model, 250.0, kt.integral("q_x**2"), over={"f": (0.8, 1.2), "z": (0.02, 0.4)}, qd=push,
    step=10.0, rtol=1e-9, atol=1e-11,
)  # fmt: skip
exact = {"f": 0.9642122253, "z": 0.1097722275}
for name, value in best.parameters.items():
    print(f"absorber {name}: {value:.9f}, closed form {exact[name]}")
    assert abs(value - exact[name]) < 1e-6

throw = kt.Model("throw", gravity=(0, 0, -9.81))
throw.prismatic("x", throw.ground, throw.body("slide"), axis="x")
throw.prismatic("z", throw.bodies["slide"], throw.body("ball", mass=1.0), axis="z")
ground = {"ground": kt.Event("q_z", "falling", stops=True)}
farthest = kt.optimise(
    throw, 10.0, kt.final("-q_x"), over={"qd0.x": (1, 20), "qd0.z": (1, 20)}, events=ground,
    subject_to={"speed": (kt.at_time("qd_x**2 + qd_z**2", 0.0), 100, 100)},
    start={"qd0.x": 9.0, "qd0.z": 3.0}, rtol=1e-11, tolerance=1e-12,
)  # fmt: skip
vx, vz = farthest.parameters["qd0.x"], farthest.parameters["qd0.z"]
print(f"throw: {np.degrees(np.arctan2(vz, vx)):.6f} degrees, {-farthest.value:.6f} m")
assert abs(vx - vz) < 1e-5

for folder in sys.argv[1:]:
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for values, style in ((FIRST, "--"), (best.parameters, "-")):
        run = kt.simulate(model, 80.0, qd=push, parameters=values, step=0.1)
        left.plot(run.time, run.q.sel(coordinate="x"), style)
    left.set(xlabel="time [s]", ylabel="x [m]", title="After an impulse: first and best")
    for angle in np.radians([20, 30, 60, 70, 45]):
        qd = {"x": 10 * np.cos(angle), "z": 10 * np.sin(angle)}
        run = kt.simulate(throw, 10.0, qd=qd, events=ground, step=0.01)
        right.plot(*run.q.T, color="0.7" if angle != np.radians(45) else "C0")
    right.set(xlabel="x [m]", ylabel="z [m]", title="Throws of 10 m/s", aspect="equal")
    figure.savefig(f"{folder}/best_values.png", dpi=130)
