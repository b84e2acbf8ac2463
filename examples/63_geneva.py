"""A Geneva drive: a pin turns a slotted wheel by a quarter, then a disc holds it; all by contact.

With a folder as argument: a picture of the angles, and an animation.
"""

import sys
from math import acos, atan2, cos, hypot, pi, sin, sqrt, tan
from typing import Any

import numpy as np

import kinetree as kt

C, PIN, LOCK, PLAY = 0.1, 0.008, 0.05, 2e-5  # m: distance of axes, radii of pin and disc, play
R = C * sin(pi / 4)  # of the crank, and of a wheel of four slots
HALF, HOLLOW = PIN + PLAY, LOCK + PLAY  # of a slot, and of the arcs that the disc slides in
TIP = acos((C**2 + R**2 - HOLLOW**2) / (2 * C * R))  # where such an arc ends on the wheel
HELD = 2 * atan2(R * sin(TIP), C - R * cos(TIP))  # the angle of the disc that it takes
LAW: dict[str, Any] = {"law": "linear", "stiffness": 1e6, "damping": 200.0}


def polar(r: float, angle: float, across: float = 0.0) -> tuple[float, float]:
    return (r * cos(angle) - across * sin(angle), r * sin(angle) + across * cos(angle))


def quarter(at: float) -> list[Any]:
    """A hollow arc about the crank, and the slot that follows, with a round end."""
    slot, mouth, end = at + pi / 4, sqrt(R**2 - HALF**2), C - R - PLAY
    arc = [(*polar(R, at - TIP), -tan(HELD / 4)), polar(R, at + TIP)]
    into = [polar(mouth, slot, -HALF), (*polar(end, slot, -HALF), -1.0)]
    return [*arc, *into, polar(end, slot, HALF), polar(mouth, slot, HALF)]


model = kt.Model("geneva", gravity=(0, 0, 0))
crank, wheel = (model.body(k, mass=0.2, inertia=(1e-4,) * 3) for k in ("crank", "wheel"))
model.revolute("turn", model.ground, crank, axis="z")
model.revolute("index", model.ground.point("axis", (C, 0, 0)), wheel, axis="z")
outline = {"chain": [row for k in range(4) for row in quarter(k * pi / 2)], "closed": True}
model.plane_contact("pin", crank, wheel, {"circle": (R, 0), "radius": PIN}, outline, **LAW)
rim = pi - np.radians(47)  # half of what is round of the disc; the rest makes room for the wheel
disc = {"chain": [(*polar(LOCK, pi - rim), tan(rim / 2)), polar(LOCK, pi + rim)]}
for k in (1, 2):  # of the hollow arcs those that it meets on its way
    arc = {"chain": quarter(k * pi / 2)[:2]}
    model.plane_contact(f"lock{k}", crank, wheel, disc, arc, thickness=0.003, **LAW)
model.shapes = {"crank": {"kind": "line", "points": [[0, 0, 0], [R, 0, 0]], "radius": PIN / 2}}
model.drive("turn", lambda t: 2 * pi * t - 1.2)  # once a second
run = kt.simulate(model, 0.4, q={"index": pi}, step=0.002, method="cvode_bdf")
theta, phi = run.q.values.T
y, x = -R * np.sin(theta), C - R * np.cos(theta)  # where a slot points that the pin is in
in_slot = abs(theta) < pi / 4
angle = np.where(in_slot, 3 * pi / 4 + np.arctan2(y, x), np.where(theta < 0, pi, pi / 2))
print("crank deg   wheel deg   closed form")
for row in np.degrees(np.stack([theta, phi, angle], 1))[::25]:
    print("{:9.1f} {:11.3f} {:13.3f}".format(*row))
off = abs(phi - angle)
assert (off * np.hypot(x, y))[in_slot].max() < 1.2 * PLAY  # at the pin
assert off[~in_slot].max() < 2 * PLAY * hypot(C, LOCK) / (C * LOCK)  # at the edge of the disc
for folder in sys.argv[1:]:
    kt.plot(run, ["q.turn", "q.index"], f"{folder}/geneva_angles.png")
    kt.animate(model, run, f"{folder}/geneva.html", title="Geneva drive")
