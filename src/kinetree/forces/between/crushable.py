"""Crushable: a layer between two points that pushes, never pulls, and keeps its set.

    crush       c = length - l                 l along the line of the points, or along the axis
    largest     m = max(c, NAME_set)           NAME_set: the largest crush so far, a memory
    force       F = max(0, envelope(m) - unloading(m)·(m - c))

Crushed further than ever before (c = m) it follows its envelope; otherwise its force falls, and
grows again, along a straight line.  The envelope is zero at c = 0.  Where the line is less steep
than the envelope, a cycle would make energy, which is refused.

Refs: Docquier2013 sec. 5.2 (elastic loading, plastic loading, elastic unloading)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinetree.engine import Node, as_node, derivative, evaluate, maximum, symbols
from kinetree.errors import ModelError
from kinetree.forces.between.link import line, pull
from kinetree.model import (
    REQUIRED,
    Action,
    Belongings,
    Force,
    ForceKind,
    Offer,
    Work,
    direction,
    state_symbol,
    variable,
)

CRUSHABLE = "crushable"
SAMPLES = 400
"""Crushes at which a layer is looked at for energy that it would make."""
SAME = 1e-9
"""Share by which slopes may differ by rounding."""


def memory(name: str) -> str:
    """The name of the largest crush of a layer."""
    return f"{name}_set"


def write(act: Action, force: Force) -> None:
    """Push the points apart."""
    at = line(act, force)
    crush = act.let("crush", act.value("length") - at.length)
    most = act.let("most", maximum(crush, act.state(memory(force.name))))
    along = act.law("envelope", crush=most) - act.law("unloading", crush=most) * (most - crush)
    tension = act.let("tension", -maximum(along, 0))
    pull(act, at, tension)
    act.tell(lambda: {"force": tension, "length": at.length, "rate": at.rate, "crush": crush})


def memories(name: str) -> dict[str, Node]:
    """The largest crush: what it was, or what the crush is now."""
    return {memory(name): maximum(state_symbol(memory(name)), OFFERS["crush"].symbol(name))}


def check(arguments: Mapping[str, Any], element: str) -> None:
    """Refuse layers without length, and those that make energy."""
    axis = arguments["axis"]
    if axis is not None:
        direction(axis, f"{element} axis")
    if not is_open(arguments):
        refuse_gain(arguments, element, {})


def is_open(arguments: Mapping[str, Any]) -> bool:
    """Whether a layer depends on parameters, whose values a run may change."""
    nodes = (as_node(arguments["length"]), *arguments["envelope"], *arguments["unloading"])
    return bool({*symbols(nodes)} - {variable("crush")})


def refuse_gain(arguments: Mapping[str, Any], element: str, values: Mapping[Node, float]) -> None:
    """Refuse a line of unloading that is less steep than the envelope: a cycle makes energy.

    Args:
        arguments: of the layer.
        element: how errors call it.
        values: of the parameters.
    """
    crush, (envelope,), (line,) = variable("crush"), arguments["envelope"], arguments["unloading"]
    length = float(evaluate([as_node(arguments["length"])], values)[0])
    if not length > 0:
        raise ModelError(f"its length is {length:g}", element=element, cure="give it above 0")
    at = np.linspace(0.0, length, SAMPLES, endpoint=False)
    slope = derivative(envelope, crush)
    found = evaluate([slope, line, envelope], {**values, crush: at})
    steep, stiff, force = (np.broadcast_to(x, at.shape) for x in found)
    if force[0] != 0:
        raise ModelError(
            f"its envelope is {force[0]:.3g} N where it is not crushed",
            element=element,
            cure="give one that begins at 0",
        )
    wrong = np.flatnonzero(stiff < steep * (1 - SAME))
    if wrong.size:
        k = int(wrong[0])
        raise ModelError(
            f"at a crush of {at[k]:.3g} m it unloads with {stiff[k]:.3g} N/m, less than the "
            f"{steep[k]:.3g} N/m of its envelope, and would create energy",
            element=element,
            cure="give a stiffer unloading",
        )


UNITS = {"force": "N", "length": "m", "rate": "m/s", "crush": "m"}
OFFERS = {name: Offer(name, unit) for name, unit in UNITS.items()}
KIND = ForceKind(
    CRUSHABLE,
    write,
    options={"axis": None, "length": REQUIRED, "envelope": REQUIRED, "unloading": REQUIRED},
    scalars=("length",),
    laws=("envelope", "unloading"),
    variables=("crush",),
    check=check,
    units={"length": "m"},
    outputs=tuple(OFFERS.values()),
    work=(Work(sign=-1),),  # a tension draws in, a rate lengthens
    belongings=Belongings(memories=memories),
)
