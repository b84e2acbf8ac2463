"""A four-bar whose pen draws a straight line: lengths found by exact gradients of a driven path.

The crank turns evenly; over half a turn the pen shall stay at one height and go 3.5 m. The lengths
begin far off; the line that is found is straight to a few millimetres.
"""

import sys

import numpy as np
from matplotlib.figure import Figure

import kinetree as kt

LENGTHS = {"base": 2.3, "coupler": 2.9, "rocker": 2.8, "u": 4.6, "v": 0.4, "height": 4.0}
model = kt.Model("line", gravity=(0, 0, 0))
own = {name: model.parameter(name, value, "m") for name, value in LENGTHS.items()}
crank, coupler, rocker = (
    model.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1)) for name in ("crank", "bar", "rocker_bar")
)
model.revolute("turn", model.ground, crank, initial=np.pi / 2)
model.revolute("b", crank.point("tip", (1, 0, 0)), coupler, initial=-0.8)
foot = model.ground.point("foot", (own["base"], 0, 0))
model.revolute("c", foot, rocker, initial=1.8)
end = coupler.point("end", (own["coupler"], 0, 0))
model.close_ball("pin", end, rocker.point("end", (own["rocker"], 0, 0)))
coupler.point("pen", (own["u"], own["v"], 0))
model.drive("turn", lambda t: np.pi / 2 + t)

t = np.linspace(0, np.pi, 25)
line = kt.misfit("bar.pen.position.y - height", t, np.zeros(len(t)))
x = "bar.pen.position.x"
stroke = kt.function_of("first - last", first=kt.at_time(x, 0.0), last=kt.at_time(x, np.pi))
bounds = {name: (0.6 * value, 1.5 * value) for name, value in LENGTHS.items()} | {"v": (-1.0, 1.0)}
limits = {"stroke": (kt.function_of("s**2", s=stroke), 3.5**2, None)}
best = kt.optimise(model, np.pi, line, over=bounds, subject_to=limits, step=np.pi / 50, rtol=1e-9)
print("length m     first      best")
for name, value in best.parameters.items():
    print(f"{name:10} {LENGTHS[name]:7.3f} {value:9.4f}")
off = 1e3 * np.sqrt([float(best.history.value[0]) / len(t), best.value / len(t)])
print(f"root mean square off the line: {off[0]:.1f} mm at first, {off[1]:.2f} mm at best")
assert best.converged
assert off[0] > 100
assert off[1] < 5

for folder in sys.argv[1:]:
    figure = Figure(figsize=(7, 3.6), layout="constrained")
    axes = figure.subplots()
    places = ["bar.pen.position.x", "bar.pen.position.y"]
    for values, style in ((LENGTHS, "--"), (best.parameters, "-")):
        run = kt.simulate(model, 2 * np.pi, parameters=values, step=0.05, outputs=places)
        label = "found" if style == "-" else "at first"
        axes.plot(*(run[name] for name in places), style, label=label)
    axes.axhline(best.parameters["height"], color="0.7", zorder=0)
    axes.set(xlabel="x [m]", ylabel="y [m]", title="Path of the pen", aspect="equal")
    axes.legend()
    figure.savefig(f"{folder}/four_bar_path.png", dpi=130)
