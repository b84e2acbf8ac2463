"""ROBOTRAN's models and the numbers its own generated code gives for them.

A `bodies` entry of a file becomes one body behind one joint of kind `sequence`; the coordinates
carry the names of the file's joints, in the order of their number `i`.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import kinetree as kt

DATA = Path(__file__).resolve().parent.parent / "data" / "robotran"
GOLDEN = tuple(sorted(p.stem.removeprefix("golden_") for p in DATA.glob("golden_*.yaml")))
NO_MODEL = ("golden_", "assembled_")
MODELS = tuple(sorted(p.stem for p in DATA.glob("*.yaml") if not p.stem.startswith(NO_MODEL)))


@dataclass(frozen=True)
class Golden:
    """What ROBOTRAN's code gave at one state; wrenches are (body count, 6) rows [trq; frc]."""

    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    wrenches: dict[str, np.ndarray]
    M: np.ndarray
    c: np.ndarray
    Qq: np.ndarray


@dataclass(frozen=True)
class GoldenLoops:
    """Constraints, Jacobian and velocity-product term that ROBOTRAN's code gave at one state."""

    q: np.ndarray
    qd: np.ndarray
    h: np.ndarray
    J: np.ndarray
    Jdqd: np.ndarray


@cache
def read(name: str) -> Any:
    """The content of a YAML file of the data folder."""
    text = (DATA / f"{name}.yaml").read_text(encoding="utf-8")
    return yaml.load(text, Loader=yaml.CSafeLoader)


def inertia(table: dict[str, float]) -> tuple[float, ...]:
    """Six values xx yy zz xy xz yz."""
    return tuple(table[k] for k in ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"))


def model(name: str, wrenches: bool = True, cuts: bool = False) -> kt.Model:
    """A file's mechanism as a tree, or with its loops closed.

    Args:
        name: file name without suffix.
        wrenches: give every body an external wrench `w_<body>` at its centre of mass, in its frame.
        cuts: close its loops.
    """
    file = read(name)
    made = kt.Model(name, gravity=file["gravity"])
    for point in file["base_points"]:
        made.ground.point(point["name"], point["r"])
    for entry in file["bodies"]:
        add_body(made, entry, wrenches)
    for cut in file["cuts"] if cuts else ():
        add_cut(made, cut)
    return made


def add_cut(made: kt.Model, cut: dict[str, Any]) -> None:
    """One ball or rod between two named points."""
    first, second = (place(made, cut[end]) for end in ("endpoint1", "endpoint2"))
    if cut["kind"] == "ball":
        made.close_ball(cut["name"], first, second)
    else:
        made.close_rod(cut["name"], first, second, cut["length"])


def place(made: kt.Model, end: dict[str, str]) -> Any:
    """The body or point that an entry of a file names."""
    body = made.ground if end["body"] == "base" else made.bodies[end["body"]]
    return body if end["point"] == "origin" else body.points[end["point"]]


def add_body(made: kt.Model, entry: dict[str, Any], wrench: bool) -> None:
    """One body, its points, its joint and its wrench."""
    body = made.body(
        entry["name"], entry["mass"], entry["com"], inertia(entry["inertia"]), physical=False
    )
    for point in entry["points"]:
        body.point(point["name"], point["r"])
    holder, place = entry["parent"]["body"], entry["parent"]["point"]
    inner = made.ground if holder == "base" else made.bodies[holder]
    made.sequence(
        f"to_{entry['name']}",
        inner if place == "origin" else inner.points[place],
        body,
        [joint["type"] for joint in entry["joints"]],
        coordinates=[joint["name"] for joint in entry["joints"]],
    )
    if wrench:
        made.wrench(f"w_{entry['name']}", body.point("_com", entry["com"]), frame="body")


def driven(name: str) -> dict[int, list[str]]:
    """Number of each driven joint -> symbols the generator kept for it."""
    joints = [joint for body in read(name)["bodies"] for joint in body["joints"]]
    return {j["i"]: j["kept_symbols"] for j in joints if j["nature"] == "driven"}


def dropped(name: str, symbol: str) -> list[int]:
    """Indices of the coordinates whose `qd` or `qdd` the generator took to be zero."""
    return [i - 1 for i, kept in driven(name).items() if symbol not in kept]


@cache
def golden(name: str) -> Golden:
    """The reference values of a model."""
    file, bodies = read(f"golden_{name}"), read(name)["bodies"]
    load = np.concatenate([np.array(file["trq"]), np.array(file["frc"])])
    wrenches = {f"w_{b['name']}": load[:, b["joints"][-1]["i"] - 1] for b in bodies}
    values = {k: np.array(file[k]) for k in ("q", "qd", "qdd", "M", "c", "Qq")}
    for symbol in ("qd", "qdd"):
        values[symbol][dropped(name, symbol)] = 0.0
    return Golden(wrenches=wrenches, **values)


CLOSED = tuple(name for name in GOLDEN if read(f"golden_{name}").get("h"))
"""The models with loops whose constraints ROBOTRAN's code gave."""


@cache
def golden_loops(name: str) -> GoldenLoops:
    """The reference values of the loops of a model."""
    file, tree = read(f"golden_{name}"), golden(name)
    h, J, Jdqd = (np.array(file[key]) for key in ("h", "Jac", "Jdqd"))
    return GoldenLoops(tree.q, tree.qd, h, J, Jdqd)


@cache
def published_counts() -> dict[tuple[str, str], int]:
    """(model, function such as "dirdyna" or "cons_hJ") -> operations in ROBOTRAN's convention."""
    with (DATA / "opcounts.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        (row["model"], row["function"]): int(row["total_robotran_convention"])
        for row in rows
        if row["function"] in {"dirdyna", "invdyna", "cons_hJ", "cons_jdqd"}
    }
