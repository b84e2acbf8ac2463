"""Andrews' squeezing mechanism: seven bodies, three loops, 30 ms against the published solution.

With a folder as argument it writes there an animation and the curves.
"""

import sys
from pathlib import Path

import kinetree as kt

PUBLISHED = {"beta": 15.81077119629904, "gamma": 0.04082224013073101}  # Test Set for IVP Solvers

model = kt.load(Path(__file__).parent / "models" / "andrews.yaml")
found = kt.partition(model)
print(f"{model}\nmobility {found.mobility}, independent: {', '.join(found.independent)}")

forward = kt.derive(model, "forward")
print(f"explicit model: {forward.count().total} operations for one Newton iteration")

run = kt.simulate(model, 0.03, method="dop853", rtol=1e-11, atol=1e-11, step=1e-4)
print(f"{run.attrs['steps']} steps, {1e3 * run.attrs['wall_time_s']:.1f} ms")
print("angle   at 30 ms, rad      published, rad     difference")
for name, known in PUBLISHED.items():
    value = float(run.q.sel(coordinate=name)[-1])
    print(f"{name:6} {value:16.12f} {known:18.12f} {value - known:13.1e}")
    assert abs(value / known - 1) < 1e-8

for folder in sys.argv[1:]:
    kt.animate(model, run, f"{folder}/andrews.html", title="Andrews' squeezing mechanism")
    kt.plot(run, ["q.gamma", "q.delta", "q.epsilon"], f"{folder}/andrews.png", x="q.beta")
