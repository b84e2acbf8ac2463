"""A hydraulic cylinder lifts a boom: oil, valve, controller and a linkage with a loop in one file.

With a folder as argument it writes a picture there.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import kinetree as kt

boom = kt.load(Path(__file__).parent / "components" / "boom.yaml")
report = boom.report()
print(report)
run = kt.simulate(boom, 3.0, step=0.01)
angle, aim = -run["pivot.phi"].values, -run["aim.y"].values  # upwards
print(f"lifted by {angle[-1]:.3f} rad; {run['below.p'].values[0] / 1e5:.1f} bar carried it first")

# the cylinder at rest carries boom and load: (A_a p_a - A_b p_b) times its lever arm
moment = 9.81 * (200 * 1.0 + 100 * 2.0)
force = 2e-3 * run["below.p"].values[0] - 1.2e-3 * 2e6
assert abs(force * 0.9 * 0.8 - moment) < 1e-6 * moment  # the cylinder leans by 0.64 rad
assert np.abs(run["height.r_z"].values - (1 + 2 * np.sin(angle))).max() < 1e-9
assert abs(angle[-1] - 0.6) < 5e-3
assert len(report.states) == 4

for folder in sys.argv[1:]:
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    drawn, curves = figure.subplots(1, 2)
    for k, shade in ((0, "#c3ccd6"), (100, "#93a5b8"), (150, "#5b7ea6"), (300, "#1f4e79")):
        c, s = np.cos(angle[k]), np.sin(angle[k])
        drawn.plot([0, 2 * c], [1, 1 + 2 * s], color=shade, lw=5, solid_capstyle="round")
        drawn.plot([0.3, 0.9 * c], [0.2, 1 + 0.9 * s], color="#c9a24b", lw=2.5)
        drawn.plot(2 * c, 1 + 2 * s, "s", ms=11, color=shade)
    drawn.plot([0, 0], [0, 1], color="#8b95a1", lw=7, zorder=0)
    drawn.plot([0, 0.3], [1, 0.2], "o", color="#444444", ms=5)
    drawn.set(aspect="equal", xlabel="x [m]", ylabel="z [m]", ylim=(0, 2.5), xlim=(-0.3, 2.5))
    curves.plot(run.time, aim, "--", color="#9aa3ad", label="aim [rad]")
    curves.plot(run.time, angle, color="#1f4e79", label="angle [rad]")
    for name, colour in (("below", "#b5651d"), ("above", "#dfa35c")):
        curves.plot(run.time, run[f"{name}.p"] / 1e7, color=colour, label=f"oil {name} [100 bar]")
    curves.legend(frameon=False)
    curves.set_xlabel("t [s]")
    figure.savefig(f"{folder}/boom.png", dpi=110)
