"""The Manutec r3 robot of 1993 and its golden inverse dynamics."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

import kinetree as kt

DATA = Path(__file__).resolve().parent.parent / "data" / "manutec_r3"
INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")
LOADS = ("none", "rotor", "point", "rigid")


@cache
def read(name: str) -> Any:
    """The content of a YAML file of the data folder."""
    return YAML(typ="safe").load(DATA / f"{name}.yaml")


def golden_cases() -> list[dict[str, Any]]:
    """State, load, M, c and torques, case by case."""
    return list(read("golden_inverse_dynamics")["cases"])


def load_data(model: kt.Model, load: str, mass: float, com: list[float]) -> dict[str, Any]:
    """What the last link carries.

    Args:
        model: gets the parameters of the load.
        load: "none"; "rotor": a moment of inertia about the joint's axis, so that M is regular;
            "point": mass and centre of mass are parameters;
            "rigid": six moments and products of inertia as well.
        mass: default of the parameter mL [kg].
        com: defaults of rL_x, rL_y, rL_z [m].
    """
    if load == "none":
        return {}
    if load == "rotor":
        return {"inertia": (0, 0, model.parameter("IL_zz", 0.1, "kg.m2"))}
    data: dict[str, Any] = {
        "mass": model.parameter("mL", mass, "kg"),
        "com": [model.parameter(f"rL_{a}", r, "m") for a, r in zip("xyz", com, strict=True)],
    }
    if load == "rigid":
        data["inertia"] = [
            model.parameter(f"IL_{k}", 0.1 * (len(set(k)) == 1), "kg.m2") for k in INERTIA
        ]
    return data


def r3(
    load: str = "none",
    mass: float = 15.0,
    com: tuple[float, ...] = (0.1, -0.1, 0.25),
    joints: int = 6,
) -> kt.Model:
    """The arm, its first `joints` joints.

    The inertias are effective ones (link 1 has no mass), so they are not checked.
    """
    data = read("manutec_r3")["original_1993"]
    model = kt.Model("r3", gravity=data["gravity"])
    place: Any = model.ground
    for i, row in enumerate(data["bodies"][:joints], start=1):
        if row["name"] == "load":
            own = load_data(model, load, mass, list(com))
        else:
            tensor = (row["Ixx"], row["Iyy"], row["Izz"], 0, row["Ixz"], 0)
            own = {"mass": row["m"], "com": row["com"], "inertia": tensor}
        body = model.body(row["name"], **own, physical=False)
        model.revolute(f"q{i}", place, body, axis=row["axis"])
        place = body.point("tip", row["r_next"]) if any(row.get("r_next", ())) else body
    return model
