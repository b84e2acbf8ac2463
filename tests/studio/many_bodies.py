"""A mechanism of very many bodies: pendulums on pendulums, and four-bars beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kinetree as kt


def write_many_bodies(file: Path, bodies: int, loops: int) -> Path:
    """Write a model of so many moving bodies, of which three make up every loop."""
    model = kt.Model("many", gravity=(0, -9.81, 0))
    for k in range(loops):
        _four_bar(model, k)
    _pendulums(model, bodies - 3 * loops)
    kt.save(model, file)
    return file


def _four_bar(model: kt.Model, number: int) -> None:
    """A parallelogram, that stands upright."""
    x, y = 4.0 * (number % 10), 3.0 * (number // 10)
    made = {}
    for name, length in (("crank", 1.0), ("coupler", 2.0), ("rocker", 1.0)):
        along = (length, 0, 0) if name == "coupler" else (0, length, 0)
        body = model.body(f"{name}{number}", mass=1.0, com=tuple(0.5 * part for part in along),
                          inertia=(0.1, 0.1, 0.1))  # fmt: skip
        made[name] = (body, body.point("end", along))
    for name, place in (("crank", x), ("rocker", x + 2.0)):
        foot = model.ground.point(f"{name}{number}", (place, y, 0))
        model.revolute(f"{name}{number}", foot, made[name][0], axis="z")
    model.revolute(f"coupler{number}", made["crank"][1], made["coupler"][0], axis="z")
    model.close_ball(f"pin{number}", made["coupler"][1], made["rocker"][1])


def _pendulums(model: kt.Model, count: int) -> None:
    """Two hang on each."""
    places: list[Any] = [model.ground.point("top", (-10, 20, 0))]
    for k in range(count):
        body = model.body(f"b{k}", mass=1.0, com=(0, -0.5, 0), inertia=(0.1, 0.1, 0.1))
        model.revolute(f"q{k}", places[k // 2], body, axis="xyz"[k % 3])
        places.append(body.point("end", (0.3, -1, 0.2)))
