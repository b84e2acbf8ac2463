"""The saloon of the examples: structure, kinematics of its axles, bars.

Kinematics are compared with the published table of the hardpoints (`car_hardpoints.yaml`,
`kinematics`, `steering`) and with the upright alone on five rods, solved by SciPy.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import yaml
from scipy.optimize import root
from scipy.spatial.transform import Rotation
from tests.approx import CLOSED, READ_OFF, RUN, TRAJECTORY
from tests.reference.iltis import ROOT
from tools import saloon

import kinetree as kt

MODEL = ROOT / "examples" / "models" / "saloon.yaml"
DATA: dict[str, Any] = yaml.safe_load(saloon.DATA.read_text(encoding="utf-8"))
CARRYING = {"FL": "lower_rear", "FR": "lower_rear", "RL": "rollover_strut", "RR": "rollover_strut"}
PARTS = ("engine", "front_subframe", "rear_subframe")
HELD = (
    "x", "y", "z", "yaw", "roll", "pitch", *(f"{part}_{k}" for part in PARTS for k in range(1, 7)),
    *(f"{c}_spin" for c in CARRYING),
)  # fmt: skip
SWINGS = {c: f"{c}_{link}_1" for c, link in CARRYING.items()}
STRUTS = {"front": ("FL", "lower_rear"), "rear": ("RL", "rollover_strut")}
RADIUS = 0.33
"""From the hub to the ground in the design position [m]."""
TABLE_RADIUS = 0.337
"""The same, of the published heights of roll centres: all ten rows say so [m]."""


@cache
def model() -> kt.Model:
    found = kt.load(MODEL)
    for c in CARRYING:
        upright = found.bodies[f"{c}_upright"]
        x, y, z = upright.points["hub"].position
        upright.point("contact", (x, y, z - RADIUS))
    return found


@cache
def poses() -> Any:
    points = [f"{c}_upright.{point}" for c in ("FL", "RL") for point in ("hub", "contact")]
    for c, link in STRUTS.values():
        points += [f"{c}_{link}.{kind}" for kind in ("spring", "damper")]
        points += [f"body.{c}_{kind}" for kind in ("spring", "damper")]
    return kt.derive(model(), "kinematics", points=points)


def closed(swing: dict[str, float], rack: float = 0.0) -> np.ndarray:
    """The loops closed with body and subframes held, and every corner swung by an angle."""
    q = np.zeros(model().nq)
    for c, angle in swing.items():
        q[model().coordinates.index(SWINGS[c])] = angle if c[1] == "L" else -angle
    held = {"rack_travel": 0.0, "rack_offset": rack}
    return kt.assemble(model(), q, independent=(*HELD, *SWINGS.values()), parameters=held).q


@cache
def found_poses(angle: float, rack: float) -> Any:
    q, program = closed(dict.fromkeys(CARRYING, angle), rack), poses()
    return program.evaluate(**program.pick_inputs({"q": q, "qd": 0 * q, "qdd": 0 * q}))


def corner(axle: str, angle: float, rack: float = 0.0) -> dict[str, float]:
    """Left wheel of an axle: rise, toe (front end out), tilt (top in), lengths of the struts."""
    c, link = STRUTS[axle]
    found = found_poses(angle, rack)
    axis = found[f"{c}_upright.hub.rotation"][:, 1]
    hub, contact = (found[f"{c}_upright.{name}.position"] for name in ("hub", "contact"))
    ends = {
        kind: found[f"{c}_{link}.{kind}.position"] - found[f"body.{c}_{kind}.position"]
        for kind in ("spring", "damper")
    }
    return {
        "z": hub[2] - RADIUS, "dy": 1e3 * (hub[1] - DATA[axle]["wheel_centre"][1]),
        "toe": -np.degrees(np.arctan2(axis[0], axis[1])), "tilt": np.degrees(np.arcsin(axis[2])),
        "y": contact[1], "height": contact[2],
        **{kind: float(np.linalg.norm(along)) for kind, along in ends.items()},
    }  # fmt: skip


def slope(axle: str, what: str, over: str, small: float = 1e-3) -> float:
    """How much something changes with another in the design position."""
    up, down = corner(axle, small), corner(axle, -small)
    return (up[what] - down[what]) / (up[over] - down[over])


def on_rods(axle: str, z: float) -> tuple[np.ndarray, np.ndarray]:
    """The upright alone on five rods: shift and rotation of its hub where that has risen by z."""
    hub = np.array(DATA[axle]["wheel_centre"])
    rows = DATA[axle]["links"].values()
    ends = [(np.array(row["inner"]), np.array(row["outer"])) for row in rows]

    def gaps(u: np.ndarray) -> list[float]:
        R = Rotation.from_rotvec(u[3:]).as_matrix()
        rods = [(hub + u[:3] + R @ (b - hub) - a, b - a) for a, b in ends]
        stretch = [float(np.linalg.norm(now) - np.linalg.norm(was)) for now, was in rods]
        return [*stretch, u[2] - z]

    u = root(gaps, np.zeros(6), tol=1e-13).x
    return u[:3], Rotation.from_rotvec(u[3:]).as_matrix()


def test_file_is_what_the_hardpoints_make() -> None:
    assert MODEL.read_text(encoding="utf-8") == saloon.saloon()


def test_structure_is_that_of_the_paper() -> None:
    """More than 80 coordinates, 16 spatial loops; one driven, 32 freedoms; 1629 kg."""
    found = kt.partition(model())
    count = DATA["count"]
    assert model().nq == count["coordinates"]
    assert [c.kind for c in model().closures.values()] == ["ball"] * count["balls"]
    assert (found.rank, len(found.independent)) == (count["equations"], count["freedoms"])
    assert sum(body.mass for body in model().bodies.values()) == pytest.approx(1628.8, abs=0.01)


def test_loops_of_two_wheels_stay_apart() -> None:
    """The subframe that carries both is independent: no group is larger than a corner."""
    found = kt.partition(model())
    assert {f"front_subframe_{k}" for k in range(1, 7)} <= {*found.independent}
    moved = {name: (k,) for k, name in enumerate(model().velocities)}
    sizes = [len(group.unknowns) for group in found.choice().position_groups(moved)]
    assert sorted(sizes) == [12, 12, 12, 12]


@pytest.mark.parametrize("axle", ["front", "rear"])
def test_wheel_travels_as_the_upright_alone_on_its_rods(axle: str) -> None:
    """Shift and rotation at three heights, to what Newton's iterations leave."""
    for angle in (-0.26, 0.1):
        here = corner(axle, angle)
        shift, R = on_rods(axle, here["z"])
        assert here["dy"] == pytest.approx(1e3 * shift[1], abs=1e3 * CLOSED)
        toe = -np.degrees(np.arctan2(R[0, 1], R[1, 1]))
        assert here["toe"] == pytest.approx(toe, abs=RUN)
        assert here["tilt"] == pytest.approx(np.degrees(np.arcsin(R[2, 1])), abs=RUN)


def test_front_axle_has_no_bump_steer() -> None:
    """Below 0.03° over ±80 mm."""
    travel = [corner("front", angle) for angle in (-0.26, -0.1, 0.1, 0.25)]
    assert travel[0]["z"] < -0.080
    assert travel[-1]["z"] > 0.080
    assert max(abs(row["toe"]) for row in travel) < 0.03


def test_motion_ratios_are_those_of_the_table() -> None:
    """Shortening of spring and damper over the rise of the wheel."""
    for axle, spring, damper in (("front", 0.633, 0.633), ("rear", 0.607, 0.895)):
        assert -slope(axle, "spring", "z") == pytest.approx(spring, abs=READ_OFF)
        assert -slope(axle, "damper", "z") == pytest.approx(damper, abs=READ_OFF)


def roll_centre(axle: str, z: float, radius: float) -> float:
    """Height where the normal of the contact's path meets the middle plane, hub risen by z [m].

    Above the contact, which is fixed to the upright, `radius` below the hub at the start.
    """
    path = [
        shift + R @ [0, 0, -radius] for shift, R in (on_rods(axle, z + d) for d in (-1e-4, 1e-4))
    ]
    dy, dz = (path[1] - path[0])[1:]
    return float(dy / dz * (DATA[axle]["wheel_centre"][1] + (path[0] + path[1])[1] / 2))


def test_roll_centres() -> None:
    """Those of the table, for a contact 0.337 m below the hub; the model has it at 0.33 m."""
    for axle in ("front", "rear"):
        for row in DATA["kinematics"][axle]:
            found = roll_centre(axle, row["z"], TABLE_RADIUS)
            assert found == pytest.approx(row["roll_centre"], abs=READ_OFF)
        half = DATA[axle]["wheel_centre"][1]
        here = half * slope(axle, "y", "height")
        assert here == pytest.approx(roll_centre(axle, 0.0, RADIUS), abs=TRAJECTORY)


def test_rack_steers_as_the_table_says() -> None:
    """Angle of the left wheel about +z for a displacement of the rack along +y."""
    for millimetres, degrees in DATA["steering"]["rack_mm_to_deg"].items():
        if abs(int(millimetres)) == 30:
            turned = corner("front", 0.0, int(millimetres) / 1000)["toe"]
            assert turned == pytest.approx(degrees, abs=0.01)


@pytest.mark.parametrize("rear", [1, -1], ids=["roll", "warp"])
def test_bars_resist_roll_and_warp_alike(rear: int) -> None:
    """k·track² of both: 15 and 8 kN.m/rad, wheels ±5 mm on a held body."""
    lift = {"F": 0.005 / slope_of_swing("front"), "R": rear * 0.005 / slope_of_swing("rear")}
    q = closed({c: lift[c[0]] * (1 if c[1] == "L" else -1) for c in CARRYING})
    forces = kt.derive(model(), "forces")
    found = forces.evaluate(**forces.pick_inputs({"q": q, "qd": 0 * q, "t": np.array(0.0)}))
    total = 0.0
    for axle, bar in (("front", 15000.0), ("rear", 8000.0)):
        track = 2 * DATA[axle]["wheel_centre"][1]
        force = abs(float(found[f"{axle}_bar.left.force"][2]))
        assert force * track / (0.01 / track) == pytest.approx(bar, rel=0.01)
        total += force * track / (0.01 / track)
    assert total == pytest.approx(23000.0, rel=0.01)


def slope_of_swing(axle: str) -> float:
    """Rise of the wheel per angle of its carrying link [m/rad]."""
    return (corner(axle, 1e-3)["z"] - corner(axle, -1e-3)["z"]) / 2e-3
