"""A car of 81 coordinates and 16 loops: what `simulate` takes beside the evaluations of its rates.

The lane change of the saloon of `tests/data/suspensions/car_hardpoints.yaml`: a drive of some
seconds against as many native calls of the rates in a loop, and the preparation (a run of a
millisecond) in a fresh process, with an empty and with a full cache; processor time.  The tyre is
the magic formula of 1987, whose coefficients are printed; dampers are linear.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np
import yaml

import kinetree as kt
from benchmarks import report
from benchmarks.integration import best, repeat_address
from benchmarks.models import ROOT
from kinetree.analysis.runs.dynamics import dynamics
from kinetree.targets.native.function import address

DATA = ROOT / "tests" / "data" / "suspensions" / "car_hardpoints.yaml"
FREE = "T1 T2 T3 R3 R1 R2"
CARRYING = {"front": "lower_rear", "rear": "rollover_strut"}
"""Axle -> the link that carries the upright; the other four close loops."""
THICK = 0.02
"""Diameter of the links, solid rods [m]."""
WANTED, PREPARED = 1.25, 1.0
"""Most times that a run takes its evaluations; most seconds of preparation from the cache."""
DURATION, RTOL = 8.0, 1e-5
CHILD = """
import json, time, warnings
warnings.simplefilter("ignore")
import kinetree as kt, llvmlite.binding, xarray
from benchmarks.car import car, lane_change
model = car()
start = time.process_time()
lane_change(model, 1e-3)
first = time.process_time()
lane_change(model, 1e-3)
again = time.process_time()
print(json.dumps({"first": first - start, "again": again - first}))
"""


def rod_inertia(along: np.ndarray, mass: float) -> list[float]:
    """Inertia of a solid rod about its centre: xx, yy, zz, xy, xz, yz [kg.m2]."""
    length, radius = float(np.linalg.norm(along)), THICK / 2
    n = np.outer(along, along) / length**2
    cross, axial = mass * (length**2 / 12 + radius**2 / 4), mass * radius**2 / 2
    found = cross * (np.eye(3) - n) + axial * n
    return [*np.diag(found), found[0, 1], found[0, 2], found[1, 2]]


class Corner:
    """One corner of the car: its points in the frame of the vehicle, mirrored on the right."""

    def __init__(self, data: dict[str, Any], axle: str, side: str) -> None:
        self.data, self.axle, self.side = data[axle], axle, side
        self.name = f"{axle}_{side}"
        self.origin, self.sign = np.array(data["frames"][axle]), 1 if side == "left" else -1

    def at(self, point: list[float]) -> np.ndarray:
        """A point of the data in the frame of the vehicle [m]."""
        return self.origin + np.array(point) * [1, self.sign, 1]


def add_link(model: kt.Model, corner: Corner, name: str) -> kt.Body:
    """A rod with two rotations at its inner end."""
    row, full = corner.data["links"][name], f"{corner.name}_{name}"
    inner, outer = corner.at(row["inner"]), corner.at(row["outer"])
    along = outer - inner
    body = model.body(full, row["mass"], along / 2, rod_inertia(along, row["mass"]))
    body.point("outer", along)
    holder = model.bodies[row["holder"]]
    holder.point(full, inner)
    model.universal(full, f"{row['holder']}.{full}", body, axes=("x", "z"))
    return body


def add_corner(model: kt.Model, data: dict[str, Any], corner: Corner) -> None:
    """Five links, upright, wheel, spring, damper and tyre."""
    rods = {name: add_link(model, corner, name) for name in corner.data["links"]}
    carrying = CARRYING[corner.axle]
    origin, row = corner.at(corner.data["links"][carrying]["outer"]), corner.data["upright"]
    com = corner.at(row["com"]) - origin
    upright = model.body(f"{corner.name}_upright", row["mass"], com, row["inertia"])
    model.sequence(upright.name, rods[carrying].points["outer"], upright, "R3 R1 R2")
    for name, link in corner.data["links"].items():
        if name != carrying:
            point = upright.point(name, corner.at(link["outer"]) - origin)
            model.close_ball(f"{corner.name}_{name}", rods[name].points["outer"], point)
    hub = upright.point("hub", corner.at(corner.data["wheel_centre"]) - origin)
    wheel = model.body(f"{corner.name}_wheel", data["wheel"]["mass"], (0, 0, 0),
                       data["wheel"]["inertia"])  # fmt: skip
    model.revolute(f"{corner.name}_spin", hub, wheel, axis="y")
    add_strut(model, data, corner)
    tyre = data["tyre"]
    model.tyre(f"{corner.name}_tyre", wheel, model.ground, tyre["radius"], "pacejka",
               stiffness=tyre["vertical_stiffness"], damping=tyre["vertical_damping"])  # fmt: skip


def add_strut(model: kt.Model, data: dict[str, Any], corner: Corner) -> None:
    """Spring and damper between a link and the body."""
    both = corner.data.get("spring_and_damper")
    spring = data["springs"][corner.axle]
    given = {
        "spring": (spring["k"], spring["free_length"], 0.0),
        "damper": (0.0, 0.0, data["dampers"][corner.axle]),
    }
    for kind, (stiffness, length, damping) in given.items():
        row, name = both or corner.data[kind], f"{corner.name}_{kind}"
        link, inner = row["holder"], corner.data["links"][row["holder"]]["inner"]
        low = model.bodies[f"{corner.name}_{link}"]
        ends = (
            low.point(kind, corner.at(row["bottom"]) - corner.at(inner)),
            model.bodies["body"].point(name, corner.at(row["top"])),
        )
        model.spring(name, *ends, stiffness, length, damping)


def add_bar(model: kt.Model, data: dict[str, Any], axle: str) -> None:
    """The anti-roll bar of an axle: up and down at the hubs, its reaction on the body."""
    k, body = data["anti_roll_bars"][axle]["k"], model.bodies["body"]
    points: dict[str, Any] = {}
    for side in ("left", "right"):
        corner = Corner(data, axle, side)
        points[side] = model.bodies[f"{corner.name}_upright"].points["hub"]
        place = corner.at(corner.data["wheel_centre"])
        points[f"body_{side}"] = body.point(f"{corner.name}_bar", place)

    def law(points: Any) -> dict[str, Any]:
        rise = {side: points[side].p[2] - points[f"body_{side}"].p[2] for side in ("left", "right")}
        force = k * (rise["left"] - rise["right"])
        return {
            "left": (0, 0, -force), "right": (0, 0, force),
            "body_left": (0, 0, force), "body_right": (0, 0, -force),
        }  # fmt: skip

    model.force_law(f"{axle}_bar", points, law)


def car() -> kt.Model:
    """The saloon: body, engine, subframes, rack, four corners."""
    data = yaml.safe_load(DATA.read_text())
    model = kt.Model(data["name"])
    for name, row in data["bodies"].items():
        model.body(name, row["mass"], row["com"], row["inertia"])
    body = model.bodies["body"]
    model.sequence("body", model.ground, body, FREE)
    for name in ("engine", "front_subframe", "rear_subframe"):
        part, row = model.bodies[name], data["bushings"][name]
        model.sequence(name, body, part, FREE)
        for number, place in enumerate(row["at"]):
            ends = (body.point(f"{name}_{number}", place), part.point(f"{number}", place))
            model.bushing(f"{name}_{number}", *ends, row["k"], damping=row["c"])
    rack = model.prismatic("rack", model.bodies["front_subframe"], model.bodies["rack"], axis="y")
    for axle in ("front", "rear"):
        for side in ("left", "right"):
            add_corner(model, data, Corner(data, axle, side))
        add_bar(model, data, axle)
    model.drive(rack, steer)
    return model


def steer(t: Any) -> Any:
    """Displacement of the rack in the lane change [m]."""
    wave = -0.010 * kt.functions.sin(2 * np.pi * (t - 1) / 3)
    return kt.functions.select(t - 1, kt.functions.select(4 - t, wave, 0), 0)


def lane_change(model: kt.Model, duration: float, **how: Any) -> Any:
    """A run at 10 m/s."""
    speed = 10.0
    qd = {"body_1": speed}
    qd |= {name: speed / 0.33 for name in model.velocities if name.endswith("_spin")}
    return kt.simulate(model, duration, qd=qd, **{"method": "dopri5", "rtol": RTOL, **how})


def fresh_process(cache: str) -> dict[str, float]:
    """Processor time of a run of a millisecond in a fresh process: the first and the next [s]."""
    search = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        env={**os.environ, "PYTHONPATH": search, "KINETREE_CACHE": cache},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    found: dict[str, float] = json.loads(done.stdout)
    return found


def evaluation_seconds(run: Any) -> float:
    """Duration of a native call of the rates along a run [s], every call after the one before."""
    model = car()
    system = dynamics(model)
    function = system.forms.rates.function
    where, library = repeat_address()
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, *[ctypes.c_int64] * 2)(where)
    x, c = np.zeros(function.sizes["x"]), function.preamble_values()
    y, n, count = np.zeros(function.sizes["y"]), 2 * model.nv, 200
    total = []
    for row in range(0, run.sizes["time"], 50):
        x[0] = float(run["time"][row])
        x[1 : 1 + n] = np.concatenate([run["q"].values[row], run["qd"].values[row]])
        at = (function.address, address(x), address(c), address(y))
        total.append(best(lambda at=at: call(*at, count, n), 3) / count)
    del library
    return float(np.mean(total))


def measure(quick: bool = False) -> dict[str, Any]:
    """A lane change against its evaluations, and the preparation with and without a cache."""
    model, duration = car(), 1.0 if quick else DURATION
    lane_change(model, 1e-3)
    spent = {}
    for length in (1e-3, duration):
        began = time.process_time()
        run = lane_change(model, length)
        spent[length] = time.process_time() - began
    bare = evaluation_seconds(run)
    evaluations = run.attrs["evaluations"]
    own = spent[duration] - spent[1e-3]
    with tempfile.TemporaryDirectory() as folder:
        cold, cached = fresh_process(folder), fresh_process(folder)
    rows = [
        ["evaluations", evaluations, None],
        ["bare evaluation µs", 1e6 * bare, None],
        ["run µs per evaluation", 1e6 * own / evaluations, None],
        ["run / evaluations", own / evaluations / bare, WANTED],
        ["prepared, empty cache s", cold["first"], None],
        ["prepared, full cache s", cached["first"], PREPARED],
        ["prepared again s", cached["again"], None],
    ]
    report.show("a car of 81 coordinates and 16 loops", ("what", "found", "at most"), rows)
    return {"rows": rows}


if __name__ == "__main__":
    measure("--quick" in sys.argv)
