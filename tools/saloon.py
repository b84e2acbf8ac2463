"""Write `examples/models/saloon.yaml` from the hardpoints of the car.

    python tools/saloon.py

The hardpoints (`tests/data/suspensions/car_hardpoints.yaml`) give the left corners; here they are
mirrored and written as bodies, joints, closures and forces, in the order of a reader: what the car
is made of, then how it hangs together, then what acts.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from kinetree.files import write_file

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data" / "suspensions" / "car_hardpoints.yaml"
MODEL = ROOT / "examples" / "models" / "saloon.yaml"
THICK = 0.02
"""Diameter of the links, solid rods [m]."""
CARRYING = {"front": "lower_rear", "rear": "rollover_strut"}
"""Axle -> the link that carries the upright; the other four close loops."""
FREE = "steps: T1 T2 T3 R3 R1 R2"
HEADER = """\
# A saloon with five links at each corner: 81 coordinates, 16 ball closures, 32 freedoms; the
# structure of the car of Docquier, Poncelet, Fisette 2013, Mech. Sci. 4, sec. 5.1, whose own data
# are not public. Written by tools/saloon.py from tests/data/suspensions/car_hardpoints.yaml, where
# every row names its source:
#   front     inner points of the double wishbone of Chrono's Audi (projectchrono/chrono, BSD-3),
#             each wishbone split into two links that aim at a virtual ball; outer points, height
#             of the lower inner points and tie rod assumed
#   rear      five-link corner of Minaker and Rieveley (BPMinaker/eom_pkg), moved to the track
#   wheel     mass and spin inertia of Chrono's Audi; track and wheelbase Audi 2004
#   tyre      245/40 R 18, Chrono's Sedan_Pac02Tire.tir
#   assumed   masses of body, engine and subframes, bushings, springs, dampers, anti-roll bars,
#             motion of the rack
# x forward, y left, z up. The frame of the body lies on the ground under the front axle, those of
# the subframes on the axles, 0.45 m high; links begin at their inner ends, uprights at the ball of
# the link that carries them (lower_rear, rollover_strut). All axes are parallel in the design
# position, which is the start. Links are solid rods of 20 mm that turn about two axes across them,
# first up and down, then fore and aft, without spin about themselves. Anti-roll bars are energies
# of the wheels' rise in the axes of the body, so that the loops stay 16. The rack moves for a lane
# change between 1 and 4 s (rack_travel), or is held elsewhere (rack_offset). Tyres are PAC2002; the
# property file has no coefficients of combined slip, for which the friction ellipse stands in.
kinetree: 1
name: saloon
gravity: [0, 0, -9.81]
"""


class Corner:
    """One corner: its points in the frame of the axle, mirrored on the right."""

    def __init__(self, data: Mapping[str, Any], axle: str, side: str) -> None:
        self.data, self.axle, self.side = data[axle], axle, side
        self.name = axle[0].upper() + side[0].upper()
        self.frame = np.array(data["frames"][axle])
        self.sign = 1 if side == "left" else -1

    def at(self, point: Sequence[float]) -> np.ndarray:
        """A point of the data in the frame of the axle [m]."""
        return np.array(point) * [1, self.sign, 1]

    @property
    def links(self) -> dict[str, Any]:
        """Rows of the five links."""
        found: dict[str, Any] = self.data["links"]
        return found

    @property
    def knuckle(self) -> np.ndarray:
        """Origin of the upright in the frame of the axle [m]."""
        return self.at(self.links[CARRYING[self.axle]]["outer"])

    def struts(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Spring and damper with their ends."""
        for kind in ("spring", "damper"):
            yield kind, self.data.get("spring_and_damper") or self.data[kind]


def number(x: float) -> str:
    """A number of the file: micrometres and seven digits are enough."""
    return f"{round(float(x), 6) + 0.0:.7g}"


def row(values: Any) -> str:
    """A list of numbers."""
    return f"[{', '.join(number(x) for x in values)}]"


def small(values: Any) -> str:
    """A list of numbers of any size, seven digits each."""
    return f"[{', '.join(f'{float(x) + 0.0:.7g}' for x in values)}]"


def rod_inertia(along: np.ndarray, mass: float) -> list[float]:
    """Inertia of a solid rod about its centre: xx, yy, zz, xy, xz, yz [kg.m2]."""
    length, radius = float(np.linalg.norm(along)), THICK / 2
    n = np.outer(along, along) / length**2
    cross, axial = mass * (length**2 / 12 + radius**2 / 4), mass * radius**2 / 2
    found = cross * (np.eye(3) - n) + axial * n
    return [*np.diag(found), found[0, 1], found[0, 2], found[1, 2]]


def across(along: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two axes across a rod, the first one level: turning about them does not spin the rod."""
    level = np.array([along[1], -along[0], 0.0]) / np.hypot(along[0], along[1])
    upward = np.cross(along, -level) / np.linalg.norm(along)
    return level * np.sign(along[1]), upward


def body(
    name: str, mass: float, inertia: Sequence[float], com: Any = None, points: Any = None
) -> Iterator[str]:
    """Lines of a body."""
    yield f"  {name}:"
    yield f"    mass: {number(mass)}"
    if com is not None:
        yield f"    com: {row(com)}"
    yield f"    inertia: {small(inertia)}"
    if points:
        yield "    points:"
        yield from (f"      {label}: {row(place)}" for label, place in points.items())


def frames(data: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Origin of each large part in the vehicle [m]."""
    parts, axles = data["bodies"], data["frames"]
    return {
        "body": np.zeros(3),
        "engine": np.array(parts["engine"]["com"]),
        "front_subframe": np.array(axles["front"]),
        "rear_subframe": np.array(axles["rear"]),
        "rack": np.array(parts["rack"]["com"]),
    }


def large_parts(data: Mapping[str, Any], corners: Sequence[Corner]) -> Iterator[str]:
    """Body, engine, subframes and rack with everything that is fixed to them."""
    origin = frames(data)
    points: dict[str, dict[str, Any]] = {name: {} for name in origin}
    for part in ("engine", "front_subframe", "rear_subframe"):
        points["body"][part] = origin[part]
    points["front_subframe"]["rack"] = origin["rack"] - origin["front_subframe"]
    for corner in corners:
        for name, link in corner.links.items():
            place = corner.at(link["inner"]) + corner.frame - origin[link["holder"]]
            points[link["holder"]][f"{corner.name}_{name}"] = place
        for kind, strut in corner.struts():
            points["body"][f"{corner.name}_{kind}"] = corner.at(strut["top"]) + corner.frame
    for part, mounts in data["bushings"].items():
        for k, place in enumerate(mounts["at"]):
            points["body"][f"{part}_{k + 1}"] = np.array(place)
            points[part][f"mount_{k + 1}"] = np.array(place) - origin[part]
    for name, given in data["bodies"].items():
        com = np.array(given["com"]) - origin[name]
        yield from body(name, given["mass"], given["inertia"], com if com.any() else None,
                        points[name])  # fmt: skip


def corner_parts(data: Mapping[str, Any], corner: Corner) -> Iterator[str]:
    """Links, upright and wheel of a corner."""
    ends: dict[str, dict[str, Any]] = {name: {} for name in corner.links}
    for kind, strut in corner.struts():
        link = corner.links[strut["holder"]]
        ends[strut["holder"]][kind] = corner.at(strut["bottom"]) - corner.at(link["inner"])
    for name, link in corner.links.items():
        along = corner.at(link["outer"]) - corner.at(link["inner"])
        yield from body(f"{corner.name}_{name}", link["mass"], rod_inertia(along, link["mass"]),
                        along / 2, {"outer": along, **ends[name]})  # fmt: skip
    given, origin = corner.data["upright"], corner.knuckle
    points = {
        name: corner.at(link["outer"]) - origin
        for name, link in corner.links.items()
        if name != CARRYING[corner.axle]
    }
    points["hub"] = corner.at(corner.data["wheel_centre"]) - origin
    com = corner.at(given["com"]) - origin
    yield from body(f"{corner.name}_upright", given["mass"], given["inertia"], com, points)
    yield from body(f"{corner.name}_wheel", data["wheel"]["mass"], data["wheel"]["inertia"])


def joints(corners: Sequence[Corner]) -> Iterator[str]:
    """The tree."""
    yield f"  body: {{kind: sequence, parent: ground, child: body, {FREE},"
    yield "    coordinates: [x, y, z, yaw, roll, pitch]}"
    for part in ("engine", "front_subframe", "rear_subframe"):
        yield f"  {part}: {{kind: sequence, parent: body.{part}, child: {part}, {FREE}}}"
    yield "  rack: {kind: prismatic, parent: front_subframe.rack, child: rack, axis: y}"
    for corner in corners:
        c, carrying = corner.name, CARRYING[corner.axle]
        for name, link in corner.links.items():
            first, second = across(corner.at(link["outer"]) - corner.at(link["inner"]))
            held = f"parent: {link['holder']}.{c}_{name}, child: {c}_{name}"
            yield f"  {c}_{name}: {{kind: universal, {held},"
            yield f"    axes: [{row(first)}, {row(second)}]}}"
        held = f"parent: {c}_{carrying}.outer, child: {c}_upright"
        yield f"  {c}_upright: {{kind: sequence, {held}, steps: R3 R1 R2}}"
        yield f"  {c}_spin: {{kind: revolute, parent: {c}_upright.hub, child: {c}_wheel, axis: y}}"


def closures(corners: Sequence[Corner]) -> Iterator[str]:
    """The balls at the outer ends."""
    for corner in corners:
        for name in corner.links:
            if name != CARRYING[corner.axle]:
                ends = f"first: {corner.name}_{name}.outer, second: {corner.name}_upright.{name}"
                yield f"  {corner.name}_{name}: {{kind: ball, {ends}}}"


def bushings(data: Mapping[str, Any]) -> Iterator[str]:
    """What holds engine and subframes."""
    for part, mounts in data["bushings"].items():
        for k in range(len(mounts["at"])):
            ends = f"first: body.{part}_{k + 1}, second: {part}.mount_{k + 1}"
            yield f"  {part}_{k + 1}: {{kind: bushing, {ends},"
            yield f"    stiffness: {row(mounts['k'])}, damping: {row(mounts['c'])}}}"


def struts(corners: Sequence[Corner], kinds: Sequence[str] = ("spring", "damper")) -> Iterator[str]:
    """Springs and dampers, or springs alone."""
    for corner in corners:
        c = corner.name
        for kind, strut in corner.struts():
            if kind in kinds:
                ends = f"first: {c}_{strut['holder']}.{kind}, second: body.{c}_{kind}"
                yield f"  {c}_{kind}: {{kind: link, {ends},"
                yield f"    {_strut(kind, corner.axle)}}}"


def bars() -> Iterator[str]:
    """Anti-roll bars: energies of the wheels' rise in the axes of the body."""
    for axle in ("front", "rear"):
        a = axle[0].upper()
        rise = " + ".join(f"(left.p_{k} - right.p_{k})*body.R_{k}z" for k in "xyz")
        yield f"  {axle}_bar:"
        yield "    kind: law"
        yield f"    points: {{left: {a}L_upright.hub, right: {a}R_upright.hub, body: body}}"
        yield f"    energy: {axle}_bar/2*({rise})**2"


def _strut(kind: str, axle: str) -> str:
    """What a spring or a damper does; a damper's table is of the speed of closing."""
    if kind == "damper":
        return f'law: "-table_{axle}_damper(-rate)"'
    return f"stiffness: {axle}_spring, length: {axle}_spring_length"


def tyres(data: Mapping[str, Any], corners: Sequence[Corner]) -> Iterator[str]:
    """The tyres: one set of coefficients, measured on the left and mirrored on the right."""
    for corner in corners:
        c = corner.name
        yield f"  {c}_tyre:"
        yield "    kind: tyre_pac2002"
        yield f"    first: {c}_wheel"
        yield "    second: ground"
        yield "    radius: tyre_radius"
        yield "    stiffness: tyre_stiffness"
        yield "    damping: tyre_damping"
        yield "    nominal_load: tyre_nominal_load"
        yield "    grip: grip"
        yield f"    side: {corner.side}"
        yield "    coefficients:"
        row = ", ".join(_coefficients(data["tyre"])).replace(": ", ":~")  # pairs stay together
        lines = textwrap.wrap(f"{{{row}}}", 96, initial_indent=" " * 6, subsequent_indent=" " * 7)
        yield from (line.replace("~", " ") for line in lines)


def _coefficients(tyre: Mapping[str, Any]) -> Iterator[str]:
    """Coefficients of a steady tyre; those of relaxation (PTX, PTY) are left out."""
    general = {name: tyre["general"][name] for name in ("LFZO", "BREFF", "DREFF", "FREFF")}
    for part in (tyre["longitudinal"], tyre["lateral"], tyre["aligning"], general):
        for name, value in part.items():
            if not name.startswith("PT"):
                yield f"{name}: {value:.10g}"


def parameters(
    data: Mapping[str, Any], shorter: Mapping[str, float] | None = None
) -> Iterator[str]:
    """Values that users change; springs shorter by so much where no bars are [m]."""
    tyre = data["tyre"]["general"]
    rows: list[tuple[str, float, str]] = [("rack_travel", 0.010, "m"), ("rack_offset", 0, "m")]
    for axle in ("front", "rear"):
        spring, bar = data["springs"][axle], data["anti_roll_bars"][axle]
        length = spring["free_length"] - (shorter[axle] if shorter else 0.0)
        rows += [(f"{axle}_spring", spring["k"], "N/m"), (f"{axle}_spring_length", length, "m")]
        rows += [] if shorter else [(f"{axle}_bar", bar["k"], "N/m")]
    rows += [
        ("tyre_radius", tyre["R0"], "m"),
        ("tyre_stiffness", tyre["vertical_stiffness"], "N/m"),
        ("tyre_damping", tyre["vertical_damping"], "N.s/m"),
        ("tyre_nominal_load", tyre["Fz0"], "N"),
        ("grip", 1, '"1"'),
    ]
    for name, value, unit in rows:
        yield f"  {name}: {{value: {value:.10g}, unit: {unit}}}"


def tables(data: Mapping[str, Any]) -> Iterator[str]:
    """Force of each damper [N] over the speed at which it closes [m/s]."""
    dampers = data["dampers"]
    yield "tables:  # force of a damper [N] over its closing speed [m/s]"
    for axle in ("front", "rear"):
        yield f"  {axle}_damper: {{knots: {row(dampers['speed'])}, values: {row(dampers[axle])}}}"


def car(data: Mapping[str, Any], corners: Sequence[Corner]) -> Iterator[str]:
    """What every such car is made of: bodies, joints, closures, the motion of the rack."""
    rack = "select(t - 1, select(4 - t, -rack_travel*sin(2*pi*(t - 1)/3), 0), 0)"
    yield "bodies:"
    yield from large_parts(data, corners)
    yield from (line for corner in corners for line in corner_parts(data, corner))
    yield "joints:"
    yield from joints(corners)
    yield "closures:"
    yield from closures(corners)
    yield "drives:"
    yield f'  rack: "rack_offset + {rack}"'


DARK, STEEL, RUBBER, GLASS = "#4b5563", "#8b95a1", "#2b3038", "#9cc3e6"
BODY = (  # sizes and middles of its boxes [m], colours, how far they hide what is behind them
    *(((4.3, 0.09, 0.1), (-1.4, y, 0.4), DARK, 1) for y in (-0.42, 0.42)),
    *(((0.08, 0.84, 0.06), (x, 0, 0.4), DARK, 1) for x in (-3.4, -2.3, -1.3, -0.5, 0.68)),
    ((4.6, 1.76, 0.46), (-1.4, 0, 0.7), GLASS, 0.25),
    ((2.3, 1.4, 0.42), (-1.75, 0, 1.14), GLASS, 0.25),
)
BOXES = {
    "engine": ((0.6, 0.5, 0.45), (0, 0, 0), "#b45309"),
    "front_subframe": ((0.5, 0.84, 0.05), (-0.1, 0, -0.29), STEEL),
    "rear_subframe": ((0.45, 0.84, 0.05), (0, 0, -0.15), STEEL),
}


def box(size: Any, place: Any, colour: str, opacity: float = 1) -> str:
    """A box of a picture."""
    pale = "" if opacity == 1 else f", opacity: {number(opacity)}"
    return f'{{kind: box, size: {row(size)}, position: {row(place)}, colour: "{colour}"{pale}}}'


def tube(first: Any, last: Any, radius: float, colour: str) -> str:
    """A round bar between two points."""
    along, middle = np.subtract(last, first), np.add(first, last) / 2
    size = f"radius: {number(radius)}, length: {number(float(np.linalg.norm(along)))}"
    place = f"position: {row(middle)}, axis: {row(along)}"
    return f'{{kind: cylinder, {size}, {place}, colour: "{colour}"}}'


def shapes(data: Mapping[str, Any], corners: Sequence[Corner]) -> Iterator[str]:
    """What is seen of the car; bodies without a row are drawn by themselves."""
    yield "shapes:"
    yield from _shape("body", (box(*rest) for rest in BODY))
    yield from (line for name, rest in BOXES.items() for line in _shape(name, [box(*rest)]))
    yield from _shape("rack", [tube((0, -0.45, 0), (0, 0.45, 0), 0.02, DARK)])
    for corner in corners:
        for name, link in corner.links.items():
            along = corner.at(link["outer"]) - corner.at(link["inner"])
            yield from _shape(f"{corner.name}_{name}", [tube((0, 0, 0), along, 0.014, STEEL)])
        hub = corner.at(corner.data["wheel_centre"]) - corner.knuckle
        ends = (corner.at(link["outer"]) - corner.knuckle for link in corner.links.values())
        yield from _shape(f"{corner.name}_upright", (tube(hub, end, 0.018, DARK) for end in ends))
        yield from _shape(f"{corner.name}_wheel", _wheel(data["tyre"]["general"]["R0"]))


def _shape(name: str, solids: Iterable[str]) -> Iterator[str]:
    """Solids of a body."""
    yield f"  {name}:"
    yield from (f"    - {solid}" for solid in solids)


def _wheel(radius: float) -> Iterator[str]:
    """Tyre and rim; spokes show that it turns."""
    tyre = f"radius: {number(radius - 0.09)}, tube: 0.09, axis: y"
    yield f'{{kind: torus, {tyre}, colour: "{RUBBER}"}}'
    span = 2 * radius - 0.2
    yield from (box(size, (0, 0, 0), STEEL) for size in ((span, 0.04, 0.05), (0.05, 0.04, span)))


def four_corners(data: Mapping[str, Any]) -> list[Corner]:
    """In the order FL, FR, RL, RR."""
    return [Corner(data, axle, side) for axle in ("front", "rear") for side in ("left", "right")]


def hardpoints() -> Any:
    """The data."""
    return yaml.safe_load(DATA.read_text(encoding="utf-8"))


def saloon() -> str:
    """The file as it is made of the hardpoints."""
    data = hardpoints()
    corners = four_corners(data)
    lines = [
        "parameters:", *parameters(data), *tables(data), *car(data, corners),
        "forces:", *bushings(data), *struts(corners), *bars(), *tyres(data, corners),
        *shapes(data, corners),
    ]  # fmt: skip
    return HEADER + "\n".join([*lines, ""])


if __name__ == "__main__":
    write_file(MODEL, saloon())
