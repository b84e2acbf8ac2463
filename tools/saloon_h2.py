"""Write `examples/models/saloon_h2.yaml`: the saloon on the circuit of `h2.yaml`.

    python tools/saloon_h2.py

The car is that of `tools/saloon.py` without dampers and anti-roll bars. The circuit is taken from
`examples/models/h2.yaml` line by line; its cylinders stand between the ends of the dampers instead
of those of the four-poster. Springs are shorter by what the pressure at rest lifts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import yaml

from kinetree.files import write_file
from tools import saloon

MODEL = saloon.ROOT / "examples" / "models" / "saloon_h2.yaml"
CIRCUIT = saloon.ROOT / "examples" / "models" / "h2.yaml"
HEADER = """\
# The saloon of saloon.yaml with a roll suspension of the Kinetic H2 type in place of dampers and
# anti-roll bars: 81 coordinates, 16 ball closures, 32 freedoms and 22 states of the hydraulics,
# one system; the car of Docquier, Poncelet, Fisette 2013, Mech. Sci. 4, sec. 5.1, whose own data
# are not public. Written by tools/saloon_h2.py of tests/data/suspensions/car_hardpoints.yaml (the
# car) and examples/models/h2.yaml (the circuit); the comments of saloon.yaml and h2.yaml say what
# is assumed. Cylinders stand between the ends of the dampers. Springs are shorter by what the
# pressure of 25 bar at rest lifts, the area of the rod times it: 400 N in front, 283 N in the rear.
kinetree: 1
name: saloon_h2
gravity: [0, 0, -9.81]
"""


def section(text: str, name: str) -> list[str]:
    """Lines of a section of a model file."""
    found = re.search(rf"^{name}:.*\n((?:  .*\n)+)", text, re.MULTILINE)
    assert found is not None
    return found[1].splitlines()


def resistances(circuit: str) -> Iterator[str]:
    """Parameters of the circuit: what its forces name."""
    used = "\n".join(section(circuit, "forces"))
    for line in section(circuit, "parameters"):
        if re.search(rf"\b{line.split(':')[0].strip()}\b", used):
            yield line


def forces(circuit: str, corners: Sequence[saloon.Corner]) -> Iterator[str]:
    """The circuit with its cylinders between body and links."""
    text = "\n".join(section(circuit, "forces"))
    for corner in corners:
        c = corner.name
        strut = dict(corner.struts())["damper"]
        away = np.subtract(corner.at(strut["top"]), corner.at(strut["bottom"]))
        ends = f"first: body.{c}_damper, second: {c}_{strut['holder']}.damper"
        text = text.replace(f"first: ground.{c}, second: {c}_foot", ends)
        length = f"length: {saloon.number(float(np.linalg.norm(away)))}"
        text = re.sub(rf"(\n  {c}:\n.*)length: 0\.6\b", rf"\g<1>{length}", text)
    return iter(text.splitlines())


def lifted(circuit: str, data: Mapping[str, Any]) -> dict[str, float]:
    """Axle -> by how much its springs are longer than they need to be with the pressure [m]."""
    elements: Any = yaml.safe_load(circuit)["forces"]
    found = {}
    for axle, corner in (("front", "FL"), ("rear", "RL")):
        cylinder = elements[corner]
        push = float(cylinder["cap_pressure"]) * math.pi / 4 * cylinder["rod"] ** 2
        (ratio,) = (row for row in data["kinematics"][axle] if row["z"] == 0)
        found[axle] = push * ratio["damper"] / ratio["spring"] / data["springs"][axle]["k"]
    return found


def saloon_h2() -> str:
    """The file as it is made of the hardpoints and the circuit."""
    data, circuit = saloon.hardpoints(), CIRCUIT.read_text(encoding="utf-8")
    corners = saloon.four_corners(data)
    shorter = {axle: round(by, 5) for axle, by in lifted(circuit, data).items()}
    lines = [
        "parameters:", *saloon.parameters(data, shorter), *resistances(circuit),
        *saloon.car(data, corners), "forces:", *saloon.bushings(data),
        *saloon.struts(corners, ("spring",)), *forces(circuit, corners),
        *saloon.tyres(data, corners), *saloon.shapes(data, corners),
    ]  # fmt: skip
    return HEADER + "\n".join([*lines, ""])


if __name__ == "__main__":
    write_file(MODEL, saloon_h2())
