"""A grand piano action: strokes, the contacts at work, and what the technician's screws do.

With a folder as argument: an animation, its curves, and a page that simulates with the screws.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

import kinetree as kt
from kinetree.functions import cos

FILE = Path(__file__).parent / "models" / "piano_action.yaml"
STIFF: dict[str, Any] = {"method": "cvode_bdf", "rtol": 1e-7}
model = kt.load(FILE)


def rest(**screws: float) -> list[float]:
    """Coordinates at which the action settles without a finger."""
    still = kt.simulate(model, 1.0, parameters={"force": 0.0, **screws}, **STIFF)
    return [float(value) for value in still.q[-1]]


def blow(force: float) -> tuple[float, float]:
    """Time of the blow [ms] and speed of the hammer then [m/s] when a finger presses."""
    run = kt.simulate(model, 0.3, q=rest(), parameters={"force": force}, step=2e-5,
                      outputs=["blow.gap"], **STIFF)  # fmt: skip
    (hit,) = np.flatnonzero(np.diff(np.sign(run["blow.gap"].values)) < 0)  # one blow, exactly
    q, qd = (float(run[k][hit, model.coordinates.index("hammer")]) for k in ("q", "qd"))
    return 1e3 * hit * 2e-5, qd * (0.130 * np.cos(q) - 0.050 * np.sin(q))


def let_off(**screws: float) -> float:
    """How near the hammer comes to the string when the key is pressed slowly [mm]."""
    slow = kt.load(FILE)
    slow.drive("key", lambda t: 0.021 * (1 - cos(np.pi * t)))
    start = dict(zip(model.coordinates, rest(**screws), strict=True)) | {"key": 0.0}
    run = kt.simulate(slow, 1.0, q=start, parameters={"force": 0.0, **screws}, step=1e-3,
                      outputs=["blow.gap"], **STIFF)  # fmt: skip
    return 1e3 * float(run["blow.gap"].min())


print("force N   blow ms   hammer m/s")
for force, speed in ((1.0, 0.753), (4.0, 2.1283), (25.0, 5.619)):
    when, found = blow(force)
    print(f"{force:7.1f} {when:9.1f} {found:12.3f}")
    assert abs(found - speed) < 5e-3 * speed  # as an independent program has it

usual, closer = let_off(), let_off(let_off_button=0.0610)
print(f"lets off {usual:.2f} mm below the string; button 0.2 mm higher: {closer:.2f} mm")
assert abs(usual - 1.57) < 0.05 and abs(usual - closer - 1.1) < 0.1  # noqa: PT018

for folder in sys.argv[1:]:
    kt.animate(model, None, f"{folder}/piano_live.html", live=kt.Live(q=rest()))
    loads = [f"{name}.load" for name in ("blow", "check", "jack_top", "lever_top")]
    run = kt.simulate(model, 0.4, q=rest(), step=5e-4, outputs=loads, **STIFF)
    kt.animate(model, run, f"{folder}/piano.html", title="Grand piano action")
    kt.plot(run, loads, f"{folder}/piano_loads.png")
