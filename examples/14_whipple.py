"""Whipple's bicycle: rolling wheels, eigenvalues over the speed, a push that dies out.

With a folder as argument it writes there an animation, a page that simulates, and the eigenvalues.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import brentq

import kinetree as kt

model = kt.load(Path(__file__).parent / "models" / "whipple.yaml")
# Velocities per speed; z points down, so the wheels turn backwards about y.
ROLLING = {"x": 1.0, "rear_spin": -1 / 0.3, "front_spin": -1 / 0.35}


def lean_and_steer(speed: float) -> np.ndarray:
    """Rows of the linear model: accelerations of lean and steer, on which nothing else acts."""
    linear = kt.linearise(model, {"qd": {name: speed * v for name, v in ROLLING.items()}})
    rows = [linear.states.index(n) for n in ("q_lean", "q_steer", "qd_lean", "qd_steer")]
    return linear.A[np.ix_(rows[2:], rows)]


# Stiffness: a constant and a part with the square of the speed; damping: in proportion to it.
one, two = lean_and_steer(1.0), lean_and_steer(2.0)
square, damping = (two - one)[:, :2] / 3, one[:, 2:]


def eigenvalues(v: float) -> np.ndarray:
    below = np.hstack([one[:, :2] + (v**2 - 1) * square, v * damping])
    return np.linalg.eigvals(np.vstack([np.eye(2, 4, 2), below]))


def growth(v: float, swinging: bool) -> float:  # of the modes that swing, or that do not [1/s]
    return float(max(s.real for s in eigenvalues(v) if (abs(s.imag) > 0.1) == swinging))


print("speed m/s   weave 1/s   capsize 1/s")
for v in (3.5, 4.5, 5.5, 6.5):
    print(f"{v:9.1f} {growth(v, True):11.4f} {growth(v, False):13.4f}")
stable = brentq(growth, 4, 5, (True,), 1e-12), brentq(growth, 5.8, 6.3, (False,), 1e-12)
print(f"stable from {stable[0]:.10f} (weave) to {stable[1]:.10f} m/s (capsize)")
assert np.allclose(stable, [4.29238253634111, 6.02426201538837], rtol=0, atol=1e-9)

pushed = {name: 4.6 * v for name, v in ROLLING.items()} | {"lean": 0.5}
run = kt.simulate(model, 5.0, qd=pushed)
lean = np.degrees(run.q.sel(coordinate="lean").values)
print(f"pushed at 4.6 m/s it leans {lean.max():.1f} degrees, {lean[-1]:.2f} after 5 s")

for folder in sys.argv[1:]:
    kt.animate(model, run, f"{folder}/whipple.html", title="Whipple's bicycle, pushed at 4.6 m/s")
    kt.animate(model, path=f"{folder}/whipple_live.html", live=kt.Live(qd=pushed))
    figure, speeds = Figure(figsize=(7, 4.2), layout="constrained"), np.linspace(0, 10, 401)
    axes, s = figure.subplots(), np.array([eigenvalues(v) for v in speeds])
    axes.plot(speeds, s.imag, ".", color="#c3cad3", markersize=2)
    axes.plot(speeds, s.real, ".", color="#3b73d9", markersize=3)
    axes.axvspan(*stable, color="#2f9e78", alpha=0.15)
    axes.set(xlabel="speed [m/s]", ylabel="real (blue), imaginary (grey) [1/s]", ylim=(-10, 10))
    figure.savefig(f"{folder}/whipple.png", dpi=150)
