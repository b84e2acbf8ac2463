"""A hydraulic jack pushes a mass against a spring: pressures as states beside the motion.

Data and equations 23 to 28 of Verlinden, Kouroussis, Datoussaid and Conti (EasyDyn).  Steps are
chosen by their error.  With a folder as argument it writes there an animation and figures 4 to 7.
"""

import sys
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import kinetree as kt
from kinetree.algebra import disp
from kinetree.functions import minimum, sqrt
from kinetree.integrate import Control, Stepper

S1, S2, V1, V2 = 1e-3, 5e-4, 1e-4, 3e-4  # areas [m2] and volumes at x = 0 [m3]
K, rho, Cd, Se = 2e8, 860.0, 0.611, 1e-5  # fluid [Pa, kg/m3], orifices [m2]
bar = 1e5

model = kt.FrameModel("hydraulic_jack", gravity=(0, 0, 0))
x = model.coordinate("x", "m")
mass = model.frame("mass", disp(x, 0, 0), mass=10.0)
p1 = model.state("p1", 10 * bar, unit="Pa")
p2 = model.state("p2", 10 * bar, unit="Pa")
wall = model.ground.point("wall", (1.0, 0, 0))
model.spring("spring", mass.point("face", (0.75, 0, 0)), wall, stiffness=1e5, length=0.25)
model.external("fluid", mass, force=(p1 * S1 - p2 * S2, 0, 0))


def flow(drop: kt.Node) -> kt.Node:
    """Volume per second through an orifice with a pressure drop [Pa].

    Eq. 23, Cd Se sqrt(2 |drop| / rho) sign(drop), has an infinite slope at zero; here it is
    smooth within 1 Pa, so that methods with Jacobians can be used as well.
    """
    through: kt.Node = Cd * Se * sqrt(2 / rho) * drop / sqrt(sqrt(drop**2 + 1.0))
    return through


supply = 10 * bar + 90 * bar * minimum(model.t / 0.01, 1)
model.state_rate("p1", lambda qd: K / (V1 + S1 * x) * (flow(supply - p1) - S1 * qd["x"]))
model.state_rate("p2", lambda qd: K / (V2 - S2 * x) * (flow(10 * bar - p2) + S2 * qd["x"]))


def bar_along_x(radius: float, start: float, end: float, colour: str, **more: Any) -> Any:
    """A round bar for the picture."""
    where = {"axis": [1, 0, 0], "position": [(start + end) / 2, 0, 0], "colour": colour}
    return {"kind": "cylinder", "radius": radius, "length": end - start, **where, **more}


# The chambers reach from -V1/S1 to V2/S2; the area of the rod is S1 - S2.
R, r = np.sqrt(np.array([S1, S1 - S2]) / np.pi).tolist()
oil = bar_along_x(1.25 * R, -V1 / S1, V2 / S2, "#c9a24b", opacity=0.3)
lids = [bar_along_x(1.6 * R, end, end + 0.02, "#8b95a1") for end in (-0.12, 0.6)]
block = {"kind": "box", "size": [0.09, 0.12, 0.12], "position": [0.705, 0, 0]}
piston, rod = (bar_along_x(1.2 * R, -0.02, 0, "#3b73d9"), bar_along_x(r, 0, 0.66, "#3b73d9"))
plate = {"kind": "box", "size": [0.02, 0.14, 0.14], "position": [1.01, 0, 0], "colour": "#8b95a1"}
model.shapes = {"ground": [oil, *lids, plate], "mass": [piston, rod, block]}


def figures(run: Any, history: Any, file: str) -> None:
    """Figures 4 to 7 of the paper: position, pressures, velocity, step."""
    figure = Figure(figsize=(9, 5), layout="constrained")
    (a, b), (c, d) = figure.subplots(2, 2, sharex=True)
    a.plot(run.times, 1e3 * run.q[:, 0])
    b.plot(run.times, 10 + 90 * np.minimum(run.times / 0.01, 1), "--", color="#9aa3ad")
    b.plot(run.times, run.x / bar)
    b.legend(["supply", "chamber 1", "chamber 2"], frameon=False, loc="center right")
    c.plot(run.times, run.qd[:, 0])
    d.step(history[:, 0], 1e3 * history[:, 1], where="pre")
    labels = ("position [mm]", "pressure [bar]", "velocity [m/s]", "step [ms]")
    for pane, label in zip((a, b, c, d), labels, strict=True):
        pane.set(ylabel=label, xlabel="t [s]" if pane in (c, d) else "")
        pane.grid(visible=True, color="#e2e7ed")
        pane.spines[["top", "right"]].set_visible(False)
    figure.savefig(file, dpi=110)


if __name__ == "__main__":
    jack = Stepper(model)
    control = Control(3e-5, longest=5e-4)
    run = jack.run_adaptive(np.linspace(0, 0.3, 601), control)
    history = jack.run_adaptive((0, 0.3), control).steps[:-1]  # not cut short by output
    lengths = 1e3 * history[:, 1]
    print(f"{len(lengths)} steps of {lengths.min():.4f} to {lengths.max():.1f} ms")
    for k in (0, 20, 100, 200, 600):
        p = ", ".join(f"{x / bar:.2f}" for x in run.x[k])
        print(f"t = {run.times[k]:4.2f} s   x = {1e3 * run.q[k, 0]:7.3f} mm   p1, p2 = {p} bar")
    assert abs(run.q[-1, 0] - 0.095) < 5e-4
    for folder in sys.argv[1:]:
        shown = {"time": run.times, "q": run.q, "qd": run.qd}
        kt.animate(model, shown, f"{folder}/jack.html", title="Hydraulic jack")
        figures(run, history, f"{folder}/jack_curves.png")
