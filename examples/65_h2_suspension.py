"""A hydraulic suspension that is stiff in roll alone, on a four-poster; the frame stands still.

With a folder as argument it writes there the forces (PNG) and the motion (HTML).
"""

import sys
from pathlib import Path

import kinetree as kt

RATIO = {"FL": 0.633, "FR": 0.633, "RL": 0.895, "RR": 0.895}  # cylinder over wheel
SIGNS = {
    "roll": (1, -1, 1, -1), "heave": (1, 1, 1, 1), "pitch": (1, 1, -1, -1), "warp": (1, -1, -1, 1),
}  # fmt: skip
model = kt.load(Path(__file__).parent / "models" / "h2.yaml")
still = dict.fromkeys(SIGNS, 0.0)
forces = [f"{corner}.force" for corner in RATIO]

print(f"{len(model.states)} states\nmotion   N/m per wheel")
found = {}
for mode, signs in SIGNS.items():  # 5 mm, slowly: at the top of a sine of 40 s
    run = kt.simulate(model, 10.0, method="cvode_bdf", step=10.0, outputs=forces,
                      parameters={**still, mode: 5e-3, "frequency": 0.025})  # fmt: skip
    rise = [float(run[name][-1] - run[name][0]) for name in forces]
    terms = zip(signs, RATIO.values(), rise, strict=True)
    found[mode] = sum(sign * ratio * f for sign, ratio, f in terms) / 4 / 5e-3
    print(f"{mode:8s} {found[mode]:10.1f}")
assert abs(found["roll"] - 22618) < 10  # 59 kN.m/rad
assert abs(found["warp"]) < 1
assert abs(found["pitch"]) < 1

run = kt.simulate(model, 2.0, method="cvode_bdf", outputs=[*forces, "A.pressure", "B.pressure"])
low = float(run["B.pressure"].min())
print(f"roll of 20 mm at 1 Hz: lowest pressure of a circuit {low / 1e5:.1f} bar")
assert low > 0

for folder in sys.argv[1:]:
    kt.plot(run, forces, f"{folder}/h2_forces.png")
    kt.plot(run, ["A.pressure", "B.pressure"], f"{folder}/h2_pressures.png")
    kt.animate(model, run, f"{folder}/h2.html", title="Roll suspension of the H2 type")
