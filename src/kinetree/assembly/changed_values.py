"""A model with other values of its scalars."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any, TypeVar

from kinetree.assembly.changed_equations import change_equations
from kinetree.engine import Node
from kinetree.model.closures import Closure
from kinetree.model.forces import Force
from kinetree.model.mechanism import Mechanism
from kinetree.model.parameters import AXES, INERTIA, folded_scalars, scalars
from kinetree.model.parts import Body, CoordinateGroup, Parameter, Twist
from kinetree.units import from_si

M = TypeVar("M", bound="Mechanism")


def change_values(model: M, values: Mapping[str, float], *, untie: bool = False) -> M:
    """A copy of the model in which scalars have other values, in SI units.

    Args:
        model: stays as it is.
        values: by name, as of `simulate(parameters=…)`.
        untie: whether scalars that follow from named parameters become numbers of their own.

    Raises:
        UnknownNameError: where the model has none of a name.
        ModelError: where a scalar follows from named parameters.
    """
    tied = {name for name, value, _, _ in scalars(model) if isinstance(value, Node)}
    folded_scalars(model, [name for name in values if not untie or name not in tied])
    made = deepcopy(model)
    new = {name: float(value) for name, value in values.items()}
    for name in made.parameters.keys() & new.keys():
        made.parameters[name] = _change_parameter(made.parameters[name], new[name])
    names = [f"gravity_{axis}" for axis in AXES]
    made.gravity = _row(names, made.gravity, new)
    for body in (made.ground, *made.bodies.values()):
        _change_body(body, new)
    for joint in made.joints.values():
        _change_joint(joint, new)
    elements: list[Closure | Force] = [*made.closures.values(), *made.forces.values()]
    for element in elements:
        _change_element(element, new)
    change_equations(made, new, change_values)
    return made


def _change_parameter(row: Parameter, value: float) -> Parameter:
    """A named parameter with another value; its file has it in the unit that it had there."""
    unit = row.written[1] if row.written else ""
    number = from_si(value, unit) if unit else None
    return replace(row, value=value, written=None if number is None else (number, unit))


def _row(names: list[str], old: Any, new: Mapping[str, float]) -> tuple[Any, ...]:
    """Values in a row, those with a new one replaced."""
    return tuple(new.get(name, value) for name, value in zip(names, old, strict=True))


def _change_body(body: Body, new: Mapping[str, float]) -> None:
    rows = {
        "com": ([f"{body.name}.com_{axis}" for axis in AXES], body.com),
        "inertia": ([f"{body.name}.inertia_{end}" for end in INERTIA], body.inertia),
    }
    object.__setattr__(body, "mass", new.get(f"{body.name}.mass", body.mass))
    for field, (names, old) in rows.items():
        object.__setattr__(body, field, _row(names, old, new))
    for point in body.points.values():
        names = [f"{point.path}_{axis}" for axis in AXES]
        object.__setattr__(point, "position", _row(names, point.position, new))


def _change_joint(joint: CoordinateGroup, new: Mapping[str, float]) -> None:
    pitch = new.get(f"{joint.name}.pitch")
    if pitch is not None:
        motions = (
            replace(row, pitch=pitch) if isinstance(row, Twist) else row for row in joint.motions
        )
        object.__setattr__(joint, "motions", tuple(motions))
    if joint.armature:
        names = [name for name, _, _ in joint.armatures]
        object.__setattr__(joint, "armature", _row(names, joint.armature, new))


def _change_element(element: Closure | Force, new: Mapping[str, float]) -> None:
    """Scalars of a closure or a force, and the arguments they were given by."""
    own = {
        name: new[f"{element.name}.{name}"]
        for name in element.scalars
        if f"{element.name}.{name}" in new
    }
    arguments = dict(element.arguments)
    for name, value in own.items():
        if name in arguments:
            arguments[name] = value
            continue
        stem = name.rpartition("_")[0]  # one of several, such as stiffness_x
        group = [row for row in element.scalars if row.rpartition("_")[0] == stem]
        if isinstance(arguments.get(stem), tuple):
            row = list(arguments[stem])
            row[group.index(name)] = value
            arguments[stem] = tuple(row)
    object.__setattr__(element, "scalars", {**element.scalars, **own})
    object.__setattr__(element, "arguments", arguments)
