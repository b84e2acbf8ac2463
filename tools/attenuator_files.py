# ruff: noqa: E501  lines of the files
"""Writes examples/models/attenuator_car.yaml, attenuator_bus.yaml and attenuator_longitudinal.yaml.

    python -m tools.attenuator_files

32 blocks of ten bodies each would be tedious by hand; users load the files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kinetree.files import write_file

MODELS = Path(__file__).parents[1] / "examples" / "models"
SIDE, AREA = 0.40, 0.16
STRENGTH = (0.25, 0.25, 0.40, 0.40, 0.80, 0.80, 1.60, 1.60)
COLUMNS, SLICES = (-0.6, -0.2, 0.2, 0.6), 10
FACE, HEIGHT = -6.2, 0.55
"""Of the struck face behind the truck's centre of mass, and of the middle of the blocks [m]."""
SHADES = {0.25: "#f2c14e", 0.40: "#f0a04b", 0.80: "#e0793f", 1.60: "#c4502f"}
Row = Mapping[str, Any]

TRUCK: Row = {
    "sprung": 7200.0, "I": (5.0e3, 2.6e4, 2.6e4), "wheelbase": 4.2, "com": 2.2, "height": 1.0,
    "track": 1.9, "rate": (1.8e5, 3.0e5), "damping": (1.2e4, 1.8e4), "tyre": (8.0e5, 8.0e5),
    "wheel": (250.0, 450.0), "radius": 0.50,
}  # fmt: skip
CAR: Row = {
    "sprung": 1130.0, "I": (400.0, 1500.0, 1650.0), "wheelbase": 2.6, "com": 1.1, "height": 0.55,
    "track": 1.5, "rate": (2.2e4, 2.2e4), "damping": (1.6e3, 1.6e3), "tyre": (2.0e5, 2.0e5),
    "wheel": (42.5, 42.5), "radius": 0.30, "head": (-1.4, 0.37, 1.15), "overhang": 0.9,
    "crumple": 1.2, "front": (1.5e6, 180.0e3, 300.0e3, 15.0e6), "speed": "25 m/s (90 km/h)",
}  # fmt: skip
BUS: Row = {
    "sprung": 12000.0, "I": (1.35e4, 1.151e5, 1.151e5), "wheelbase": 7.184, "com": 4.0,
    "height": 1.2, "track": 2.1, "rate": (1.5e5, 3.0e5), "damping": (2.0e4, 3.5e4),
    "tyre": (4.11e5, 8.22e5), "wheel": (200.0, 300.0), "radius": 0.525, "head": (0.8, 0.6, 1.9),
    "overhang": 2.7, "crumple": 2.2, "front": (4.0e6, 400.0e3, 500.0e3, 40.0e6),
    "speed": "19.444 m/s (70 km/h)",
}  # fmt: skip
HEADING = """\
# A {kind} drives into a truck-mounted attenuator of 32 blocks: 356 freedoms.  Written by tools/attenuator_files.py.
#
# Structure: Docquier2013, sec. 5.2 (blocks split into bodies on prismatic joints, rigid vehicles with articulated suspension and
# wheels, car at 90 km/h or bus at 70 km/h, wheels of the truck rub on the road and those of the other vehicle do not).  x forward, z up, road at
# z = 0; start with qd = {{"vehicle_1": {speed}}}.
#
# Known: side of the blocks 0.40 m and bus of 13 t (CEREM, EN 1317-2), truck of 8.6 t (acceptance letters of the FHWA), wheelbase, dampers,
# tyres and yaw inertia of the bus (Project Chrono, citybus).  Assumed: all else, the law of the blocks first of all: it was set so that
# 600 kg at 7 m/s have a peak of 19 g on one block.  Laws per block of 0.16 m2, strain e = crush/length, times the strength of its row:
#   E = 12 MPa to the yield strain 0.025; then 0.3 MPa + 0.4 MPa (e - 0.025) + 1.5 MPa (e - 0.025)^3, + 200 MPa (e - 0.85) where dense;
#   unloading along 12 MPa before yield, 60 MPa after it, 240 MPa beyond 0.85.
# The wheels of the truck are braked: friction acts on their carriers.  A friction of 50 stands for a truck that is locked.
"""


def number(value: float) -> str:
    """A number as short as it can be."""
    return f"{value:.10g}"


def layer(first: str, second: str, length: float, area: float) -> str:
    """One layer of a block, pressed along x."""
    y, dense, a = number(0.025 * length), number(0.85 * length), area
    k = number(a * 12e6 / length)
    rise, cubic = number(a * 0.4e6 / length), number(a * 1.5e6 / length**3)
    stiff = number(a * 200e6 / length)
    plastic = f"{number(a * 0.3e6)} + {rise}*(crush - {y}) + {cubic}*(crush - {y})**3"
    envelope = f"select({y} - crush, {k}*crush, {plastic} + {stiff}*max(0, crush - {dense}))"
    lines = (number(a * E / length) for E in (12e6, 60e6, 240e6))
    before, after, beyond = lines
    unloading = f"select({y} - crush, {before}, select({dense} - crush, {after}, {beyond}))"
    return (f'{{kind: crushable, first: {first}, second: {second}, axis: x, length: {number(length)}, '
            f'envelope: "{envelope}", unloading: "{unloading}"}}')  # fmt: skip


def front(plate: str) -> str:
    """The front of the vehicle: k up to its yield, then h; back along k or k_u."""
    y = "front_yield/front_k"
    envelope = f"select({y} - crush, front_k*crush, front_yield + front_h*(crush - {y}))"
    unloading = f"select({y} - crush, front_k, front_unloading)"
    return (f'{{kind: crushable, first: {plate}, second: vehicle.firm, axis: -x, length: crumple, '
            f'envelope: "{envelope}", unloading: "{unloading}"}}')  # fmt: skip


def parts(n: int) -> list[float]:
    """Thickness of the layers between n bodies in the middle of their slices."""
    return [SIDE / n / 2, *[SIDE / n] * (n - 1), SIDE / n / 2]


def vehicle_parameters(row: Row, prefix: str) -> dict[str, Any]:
    """The numbers of a vehicle by name."""
    found = {"sprung": row["sprung"], **dict(zip(("Ix", "Iy", "Iz"), row["I"], strict=True))}
    found |= {key: row[key] for key in ("wheelbase", "com", "height", "track", "radius")}
    for key in ("rate", "damping", "tyre", "wheel"):
        found |= dict(zip((f"{key}_front", f"{key}_rear"), row[key], strict=True))
    return {f"{prefix}_{key}": value for key, value in found.items()}


UNITS = {"sprung": "kg", "I": "kg.m2", "rate": "N/m", "damping": "N.s/m", "tyre": "N/m",
         "wheel": "kg", "wheelbase": "m"}  # fmt: skip


def unit(name: str) -> str:
    """The unit of a parameter of a vehicle."""
    word = name.split("_")[1]
    return UNITS.get(word, UNITS.get(word[0], "m") if word in ("Ix", "Iy", "Iz") else "m")


def parameters(kind: Row) -> Iterator[str]:
    """The section of parameters."""
    names = ("front_k", "front_yield", "front_h", "front_unloading")
    yield "parameters:"
    yield "  friction: {value: 0.6}              # of the truck's wheels on the road; 50: locked"
    yield "  block_mass: {value: 20, unit: kg}"
    yield "  plate_mass: {value: 15, unit: kg}"
    own = dict(zip(names, kind["front"], strict=True))
    for name, value in own.items():
        yield f"  {name}: {{value: {number(value)}, unit: {'N' if name == 'front_yield' else 'N/m'}}}"
    yield f"  crumple: {{value: {kind['crumple']}, unit: m}}            # depth of the front"
    yield f"  overhang: {{value: {kind['overhang']}, unit: m}}           # bumper ahead of the front axle"
    for axis, value in zip("xyz", kind["head"], strict=True):
        yield f"  head_{axis}: {{value: {value}, unit: m}}             # of the driver; from the front axle, on the road"
    for row, prefix in ((TRUCK, "truck"), (kind, "vehicle")):
        for name, value in vehicle_parameters(row, prefix).items():
            yield f"  {name}: {{value: {number(value)}, unit: {unit(name)}}}"


def loads(prefix: str) -> dict[str, str]:
    """What a wheel of each axle carries of what is sprung [kg], so that it stands at q = 0."""
    total, moment = f"{prefix}_sprung", ""
    if prefix == "truck":  # 32 blocks 4.6 m behind its centre of mass, 8 plates 4.8 m
        total = "(truck_sprung + 32*block_mass + 8*plate_mass)"
        moment = " - (147.2*block_mass + 38.4*plate_mass)"
    ahead, behind = f"{prefix}_com", f"({prefix}_wheelbase - {prefix}_com)"
    back = moment.replace("-", "+")
    return {
        "front": f"({total}*{behind}{moment})/(2*{prefix}_wheelbase)",
        "rear": f"({total}*{ahead}{back})/(2*{prefix}_wheelbase)",
    }


def wheels(prefix: str) -> Iterator[tuple[str, str, str, str]]:
    """Name, axle, x and y of the four wheels from the centre of mass."""
    for axle, x in (("front", f"{prefix}_com"), ("rear", f"{prefix}_com - {prefix}_wheelbase")):
        for side, sign in (("left", ""), ("right", "-")):
            yield f"{prefix}_{axle}_{side}", axle, x, f"{sign}{prefix}_track/2"


def chassis(prefix: str, points: Iterator[str]) -> Iterator[str]:
    """The body of a vehicle, its carriers and wheels."""
    load = loads(prefix)
    yield f"  {prefix}:"
    yield f"    mass: {prefix}_sprung"
    yield f"    inertia: [{prefix}_Ix, {prefix}_Iy, {prefix}_Iz]"
    yield "    points:"
    for name, axle, x, y in wheels(prefix):
        wheel = f"{prefix}_wheel_{axle}"
        z = f"{prefix}_radius - 9.81*({load[axle]} + {wheel})/{prefix}_tyre_{axle} - {prefix}_height"
        yield f"      {name}: [{x}, {y}, {z}]"
    yield from points
    for name, axle, _, _ in wheels(prefix):
        m, r = f"{prefix}_wheel_{axle}", f"{prefix}_radius"
        inertia = f"[0.175*{m}*{r}**2, 0.35*{m}*{r}**2, 0.175*{m}*{r}**2]"
        yield f"  {name}_carrier: {{mass: 0.3*{m}, inertia: [0.1*{m}*{r}**2, 0.1*{m}*{r}**2, 0.1*{m}*{r}**2]}}"
        yield f"  {name}_wheel: {{mass: 0.7*{m}, inertia: {inertia}}}"


def blocks() -> Iterator[tuple[int, int, int, float, float]]:
    """Row, column, number, x and y of every body of the blocks; x from the truck."""
    for row in range(len(STRENGTH)):
        for column, y in enumerate(COLUMNS):
            for k in range(SLICES):
                x = FACE + SIDE * row + SIDE / SLICES * (k + 0.5)
                yield row, column, k, x, y


def truck_points() -> Iterator[str]:
    """Where plates and bodies of the blocks slide, and where the last row stands."""
    for row in range(len(STRENGTH)):
        yield f"      at_plate{row}: [{number(FACE + SIDE * row)}, 0, {HEIGHT} - truck_height]"
    for column, y in enumerate(COLUMNS):
        yield f"      back{column}: [{number(FACE + SIDE * len(STRENGTH))}, {y}, {HEIGHT} - truck_height]"
    for row, column, k, x, y in blocks():
        yield f"      at_b{row}{column}{k}: [{number(x)}, {y}, {HEIGHT} - truck_height]"


def vehicle_points() -> Iterator[str]:
    """Where the front is firm, and the driver's head."""
    yield f"      firm: [vehicle_com + overhang - crumple, 0, {HEIGHT} - vehicle_height]"
    yield "      head: [vehicle_com + head_x, head_y, head_z - vehicle_height]"


def bodies() -> Iterator[str]:
    """The section of bodies."""
    yield "bodies:"
    yield from chassis("truck", truck_points())
    columns = ", ".join(f"c{k}: [0, {y}, 0]" for k, y in enumerate(COLUMNS))
    for row in range(len(STRENGTH)):
        yield f"  plate{row}: {{mass: plate_mass, inertia: [0.23*plate_mass, 0.014*plate_mass, 0.22*plate_mass], points: {{{columns}}}}}"
    for row, column, k, _, _ in blocks():
        m = f"block_mass/{SLICES}"
        yield f"  b{row}{column}{k}: {{mass: {m}, inertia: [0.0267*{m}, 0.0135*{m}, 0.0135*{m}]}}"
    yield from chassis("vehicle", vehicle_points())


def joints() -> Iterator[str]:
    """The section of joints."""
    yield "joints:"
    for prefix in ("truck", "vehicle"):
        if prefix == "vehicle":
            for row in range(len(STRENGTH)):
                yield f"  plate{row}: {{kind: prismatic, parent: truck.at_plate{row}, child: plate{row}, axis: x}}"
            for row, column, k, _, _ in blocks():
                name = f"b{row}{column}{k}"
                yield f"  {name}: {{kind: prismatic, parent: truck.at_{name}, child: {name}, axis: x}}"
        yield f"  {prefix}: {{kind: sequence, parent: ground.{prefix}, child: {prefix}, steps: [T1, T2, T3, R3, R2, R1]}}"
        for name, *_ in wheels(prefix):
            yield f"  {name}: {{kind: prismatic, parent: {prefix}.{name}, child: {name}_carrier, axis: z}}"
            yield f"  {name}_spin: {{kind: revolute, parent: {name}_carrier, child: {name}_wheel, axis: y}}"


def forces() -> Iterator[str]:
    """The section of forces."""
    yield "forces:"
    for prefix in ("truck", "vehicle"):
        load, friction = loads(prefix), "friction" if prefix == "truck" else "0"
        for name, axle, _, _ in wheels(prefix):
            k, c = f"{prefix}_rate_{axle}", f"{prefix}_damping_{axle}"
            yield f'  {name}_spring: {{kind: joint_spring, joint: {name}, stiffness: {k}, damping: {c}, rest: "-9.81*{load[axle]}/{k}"}}'
            yield f"  {name}_tyre: {{kind: contact_sphere, first: {name}_carrier, second: ground, radius: {prefix}_radius, stiffness: {prefix}_tyre_{axle}, exponent: 1, friction: {friction}, slip_speed: 0.01}}"
    for row, strength in enumerate(STRENGTH):
        for column in range(len(COLUMNS)):
            names = [f"plate{row}.c{column}", *(f"b{row}{column}{k}" for k in range(SLICES))]
            names.append(f"plate{row + 1}.c{column}" if row < 7 else f"truck.back{column}")
            for j, length in enumerate(parts(SLICES)):
                text = layer(names[j], names[j + 1], length, AREA * strength)
                yield f"  layer{row}{column}{j}: {text}"
    yield f"  front: {front('plate0')}"


def drawn(kind: Row) -> Iterator[str]:
    """The section of shapes."""
    yield "shapes:"
    yield "  ground:"
    yield '    - {kind: box, size: [22, 5, 0.02], position: [-3, 0, -0.012], colour: "#8b95a1"}'
    for row, column, k, _, _ in blocks():
        shade = SHADES[STRENGTH[row]]
        yield f'  b{row}{column}{k}: [{{kind: box, size: [0.034, 0.37, 0.37], colour: "{shade}"}}]'
    for row in range(len(STRENGTH)):
        yield f'  plate{row}: [{{kind: box, size: [0.02, 1.64, 0.46], colour: "#5b6672"}}]'
    yield "  truck:"
    yield '    - {kind: box, size: [6.0, 2.0, 0.16], position: [-0.1, 0, -0.1], colour: "#3a4350"}'
    yield '    - {kind: box, size: [3.9, 2.2, 0.9], position: [-1.0, 0, 0.5], colour: "#31517f"}'
    yield '    - {kind: box, size: [1.7, 2.2, 1.7], position: [2.2, 0, 0.75], colour: "#e8842a"}'
    yield '    - {kind: box, size: [0.1, 1.7, 0.7], position: [-3.0, 0, -0.35], colour: "#3a4350"}'
    yield "  vehicle:"
    back = kind["com"] - kind["wheelbase"] - 0.7
    firm = kind["com"] + kind["overhang"] - kind["crumple"]
    high = 0.55 if kind is CAR else 2.3
    length, middle, z = firm - back, (firm + back) / 2, high / 2 - kind["height"] + 0.3
    yield f'    - {{kind: box, size: [{number(length)}, {kind["track"]}, {high}], position: [{number(middle)}, 0, {number(z)}], colour: "#2f6b4f"}}'
    if kind is CAR:
        yield '    - {kind: box, size: [1.7, 1.35, 0.5], position: [-0.55, 0, 0.55], colour: "#9ec3dd"}'
    nose = kind["crumple"] - (0.45 if kind is CAR else 1.0)  # the rest is what gives way
    yield f'    - {{kind: box, size: [{number(nose)}, {number(0.95 * kind["track"])}, {number(0.9 * high)}], position: [{number(firm + nose / 2)}, 0, {number(z)}], colour: "#7fa894"}}'
    for name, radius in [(n, 0.5) for n, *_ in wheels("truck")] + [
        (n, kind["radius"]) for n, *_ in wheels("vehicle")
    ]:
        yield f'  {name}_carrier: [{{kind: box, size: [0.12, 0.12, 0.12], colour: "#5b6672"}}]'
        yield f'  {name}_wheel: [{{kind: cylinder, radius: {radius}, length: 0.24, axis: y, colour: "#2b3038"}}, {{kind: box, size: [{number(1.6 * radius)}, 0.25, 0.06], colour: "#c3cad3"}}]'


def crash(name: str, kind: Row, speed: str) -> str:
    """The file of a crash."""
    word = name.removeprefix("attenuator_")
    lines = [
        HEADING.format(kind=word, speed=speed) + "kinetree: 1",
        f"name: {name}",
        "gravity: [0, 0, -9.81]",
    ]
    lines += [*parameters(kind), "ground:", "  points:", "    truck: [0, 0, truck_height]"]
    lines.append(f"    vehicle: [{FACE} - vehicle_com - overhang, 0, vehicle_height]")
    for section in (bodies(), joints(), forces(), drawn(kind)):
        lines += section
    lines += ["outputs:", "  felt: {point: vehicle.head, quantity: acceleration, frame: vehicle}"]
    return "\n".join(lines) + "\n"


def longitudinal() -> str:
    """The file of the longitudinal variant: one body per row of blocks."""
    lines = [
        "# A car drives into a truck-mounted attenuator, along x alone: one body per row of four blocks.  Written by tools/attenuator_files.py.",
        "# Numbers, laws and sources as in attenuator_car.yaml; start with qd = {vehicle: 25}.  A friction of 50 stands for a locked truck.",
        "kinetree: 1", "name: attenuator_longitudinal", "gravity: [0, 0, 0]", "parameters:",
        "  friction: {value: 0.6}", "  vehicle_mass: {value: 1300, unit: kg}",
    ]  # fmt: skip
    names = ("front_k", "front_yield", "front_h", "front_unloading")
    for name, value in zip(names, CAR["front"], strict=True):
        lines.append(
            f"  {name}: {{value: {number(value)}, unit: {'N' if name == 'front_yield' else 'N/m'}}}"
        )
    lines.append("  crumple: {value: 2.2, unit: m}")
    lines += ["ground:", "  points:", "    truck: [3.2, 0, 0]", "    vehicle: [-crumple, 0, 0]"]
    rows = range(len(STRENGTH))
    lines += [f"    plate{row}: [{number(SIDE * row)}, 0, 0]" for row in rows]
    lines += [f"    block{row}: [{number(SIDE * (row + 0.5))}, 0, 0]" for row in rows]
    lines += [
        "bodies:",
        "  truck: {mass: 8600}",
        "  vehicle: {mass: vehicle_mass, points: {firm: [0, 0, 0]}}",
    ]
    lines += [f"  plate{row}: {{mass: 15}}\n  block{row}: {{mass: 80}}" for row in rows]
    lines.append("joints:")
    for name in (
        "truck",
        "vehicle",
        *(f"{kind}{row}" for row in rows for kind in ("plate", "block")),
    ):
        lines.append(
            f"  {name}: {{kind: prismatic, parent: ground.{name}, child: {name}, axis: x}}"
        )
    lines.append("forces:")
    lines.append(
        "  road: {kind: joint_law, joint: truck, law: -friction*84366*qd_truck/sqrt(qd_truck**2 + 1e-4)}"
    )
    for row, strength in enumerate(STRENGTH):
        ends = [f"plate{row}", f"block{row}", f"plate{row + 1}" if row < 7 else "truck"]
        for k in (0, 1):
            lines.append(
                f"  layer{row}{k}: {layer(ends[k], ends[k + 1], SIDE / 2, 4 * AREA * strength)}"
            )
    lines.append(f"  front: {front('plate0')}")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the files."""
    write_file(MODELS / "attenuator_car.yaml", crash("attenuator_car", CAR, "25.0"))
    write_file(MODELS / "attenuator_bus.yaml", crash("attenuator_bus", BUS, "19.444"))
    write_file(MODELS / "attenuator_longitudinal.yaml", longitudinal())


if __name__ == "__main__":
    main()
