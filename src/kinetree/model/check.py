"""Everything that can be wrong with a model, found at once, each in one sentence with its cure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kinetree.engine import evaluate
from kinetree.errors import KinetreeError, ModelError, combine, sentence, warn
from kinetree.model import topology
from kinetree.model.forces import FORCES, open_ports
from kinetree.model.kinds import ENDS
from kinetree.model.mobility import Singular, singular_joints, tensor
from kinetree.model.parameters import INERTIA, POSITIVE, ParameterTable, parameter_table
from kinetree.model.parts import Ball, Body, CoordinateGroup, Float
from kinetree.model.unchanged import while_unchanged

if TYPE_CHECKING:
    from kinetree.model.mechanism import Mechanism
    from kinetree.model.model import Model

ERROR, WARNING, NOTE = "error", "warning", "note"
SLACK = 1e-9
"""Relative slack of the inequalities of inertia, for numbers written with few digits."""
LARGEST = 1e100
"""Products of three values up to this one stay far from the end of doubles."""
SYMBOLS = ("q", "qd", "qdd", "tau")
"""Prefixes under which a coordinate appears in equations, as in qd_elbow."""
UNIT = 1e-6
"""A quaternion whose length differs from 1 by more than this is none."""


@dataclass(frozen=True)
class Finding:
    """One problem of a model.

    Attributes:
        severity: "error", "warning" or "note".
        topic: "tree", "name", "value", "inertia", "mass" (M singular), "loop" or "data".
        element: path of the element.
        problem: what is wrong.
        cure: what to do.
    """

    severity: str
    topic: str
    element: str
    problem: str
    cure: str

    def __str__(self) -> str:
        return sentence(self.element, self.problem, self.cure)

    def error(self) -> ModelError:
        """The finding as an error."""
        return ModelError(self.problem, element=self.element, cure=self.cure)


def check(
    model: Mechanism, *, invertible: bool = True, inertia: str = "warn", held: Sequence[str] = (),
    folded: bool = False,
) -> tuple[Finding, ...]:  # fmt: skip
    """Raise one ModelError with all errors; otherwise warn for what is doubtful; see `refuse`."""
    found = refuse(model, invertible=invertible, inertia=inertia, held=held, folded=folded)
    for finding in found:
        if finding.severity == WARNING:
            warn(str(finding))
    return found


def refuse(
    model: Mechanism, *, invertible: bool = True, inertia: str = "warn", held: Sequence[str] = (),
    folded: bool = False,
) -> tuple[Finding, ...]:  # fmt: skip
    """Raise one ModelError with all errors; what is doubtful is passed over.

    Args:
        model: the mechanism.
        invertible: whether the mass matrix must be regular, as forward dynamics needs; without it
            a joint that moves no mass is accepted.
        inertia: "warn", "error" or "ignore" for inertias that no real body has.
        held: names of velocities whose accelerations are known, so that they need no inertia.
        folded: whether the default parameters are for good: what is singular for them is an error.

    Returns:
        All findings that were considered, notes included.
    """
    if inertia not in ("warn", "error", "ignore"):
        raise ModelError(
            f"'{inertia}' is not a valid choice",
            element="inertia",
            cure="use 'warn', 'error' or 'ignore'",
        )
    dropped = {"mass"} if not invertible else set()
    dropped |= {"inertia"} if inertia == "ignore" else set()
    found = tuple(f for f in model.findings() if f.topic not in dropped)
    if held and any(f.topic == "mass" for f in found):
        others = (f for f in found if f.topic != "mass")
        found = (*others, *_masses(model, parameter_table(model), held))
    serious = {("inertia", WARNING)} if inertia == "error" else set()
    serious |= {("mass", WARNING)} if folded else set()
    raised = [f for f in found if f.severity == ERROR or (f.topic, f.severity) in serious]
    if raised:
        raise combine([f.error() for f in raised], ModelError)
    return found


@while_unchanged
def findings(model: Model) -> tuple[Finding, ...]:
    """All problems of `model`, in the order tree, names, data, values, inertias, loops, masses."""
    broken = [_as_finding(e, "tree") for e in topology.problems(model)]
    found, table = general(model)
    if not broken and table is not None:
        found += [*_closures(model, table), *_forces(model, table), *_masses(model, table)]
    return (*broken, *found)


def general(model: Mechanism) -> tuple[list[Finding], ParameterTable | None]:
    """Problems of names, data, values and inertias, whatever makes the bodies move.

    Returns:
        The findings, and the parameters where all of them have values.
    """
    found = [*_names(model), *_data(model)]
    try:
        table = parameter_table(model)
    except KinetreeError as error:
        return [*found, *(_as_finding(part, "value") for part in error.parts)], None
    bad = list(_values(table))
    if bad:
        return [*found, *bad], None
    found += _armatures(model, table)
    found += [f for body in model.bodies.values() for f in _inertia(body, table)]
    return found, table


def _as_finding(error: KinetreeError, topic: str) -> Finding:
    return Finding(ERROR, topic, error.element, error.problem, error.cure)


def _names(model: Mechanism) -> Iterator[Finding]:
    """Coordinates, velocities and parameters that cannot be told apart."""
    owner: dict[str, str] = {}
    for joint in model.joints.values():
        for name in dict.fromkeys((*joint.coordinates, *joint.velocities)):
            element = f"joint '{joint.name}'"
            if name in owner:
                yield Finding(
                    ERROR,
                    "name",
                    element,
                    f"its coordinate '{name}' has the name of one of {owner[name]}",
                    "rename one of the joints",
                )
            for hidden in (name, *(f"{symbol}_{name}" for symbol in SYMBOLS)):
                if hidden in model.parameters:
                    yield Finding(
                        ERROR,
                        "name",
                        element,
                        f"its coordinate '{name}' meets the parameter '{hidden}'",
                        "rename the joint or the parameter",
                    )
            owner.setdefault(name, element)
    for name in model.states:
        if f"x_{name}" in model.parameters:
            yield Finding(
                ERROR,
                "name",
                f"state '{name}'",
                f"in equations it meets the parameter 'x_{name}'",
                "rename the state or the parameter",
            )


def _data(model: Mechanism) -> Iterator[Finding]:
    """Limits and start values that contradict themselves."""
    for joint in model.joints.values():
        element, bounds = f"joint '{joint.name}'", joint.limits
        if bounds and bounds.is_empty:
            yield Finding(
                WARNING,
                "data",
                element,
                f"its lower limit {bounds.lower} is above the upper one {bounds.upper}",
                "swap them",
            )
        yield from _quaternions(joint)
    if model.nv == 0 and not model.states and model.equations is None:
        element, cure = f"model '{model.name}'", "add a joint with a coordinate"
        yield Finding(WARNING, "tree", element, "nothing can move", cure)


def _quaternions(joint: CoordinateGroup) -> Iterator[Finding]:
    """Start quaternions whose length is not 1."""
    at = 0
    for motion in joint.motions:
        if joint.initial and isinstance(motion, Ball | Float):
            length = math.hypot(*joint.initial[at : at + 4])
            if abs(length - 1) > UNIT:
                yield Finding(
                    ERROR,
                    "value",
                    f"joint '{joint.name}' initial",
                    f"its quaternion has length {length:g}",
                    "give a unit quaternion w, x, y, z",
                )
        at += len(motion.neutral)


def _values(table: ParameterTable) -> Iterator[Finding]:
    """Scalars whose default value is not a finite number, or too large to reckon with."""
    for name, value in table.values.items():
        if not math.isfinite(value):
            yield Finding(
                ERROR,
                "value",
                f"'{name}'",
                f"its expression gives {value}",
                "change the parameters or the expression",
            )
        elif abs(value) > LARGEST:
            yield Finding(
                ERROR,
                "value",
                f"'{name}'",
                f"{value:g} is so large that products with it overflow",
                f"give a value below {LARGEST:g}",
            )


def _armatures(model: Mechanism, table: ParameterTable) -> Iterator[Finding]:
    """Rotor inertias below zero."""
    for joint in model.joints.values():
        for name, _, unit in joint.armatures:
            if table.values[name] < 0:
                yield Finding(
                    ERROR,
                    "value",
                    f"joint '{joint.name}'",
                    f"its armature {table.values[name]:g} {unit} is negative",
                    "give the inertia of its rotor, zero or above",
                )


def _inertia(body: Body, table: ParameterTable) -> Iterator[Finding]:
    """Negative mass, and an inertia that no distribution of mass can have."""
    element = f"body '{body.name}'"
    if not body.physical:
        return
    mass = table.values[f"{body.name}.mass"]
    if mass < 0:
        yield Finding(
            WARNING,
            "inertia",
            element,
            f"its mass {mass:g} is negative",
            "give a positive mass, or physical=False",
        )
    moments = tensor([table.values[f"{body.name}.inertia_{end}"] for end in INERTIA])
    if not moments.any():
        return
    a, b, c = (float(value) for value in np.linalg.eigvalsh(moments))
    size = max(abs(a), abs(c))
    if a < -SLACK * size:
        yield Finding(
            WARNING,
            "inertia",
            element,
            f"its inertia has a negative principal moment {a:.6g} kg.m2",
            "give the inertia about the centre of mass, products with their tensor sign",
        )
    elif a + b < c - SLACK * size:
        yield Finding(
            WARNING,
            "inertia",
            element,
            "its inertia violates the triangle inequality: principal moments "
            f"{a:.6g} + {b:.6g} < {c:.6g} kg.m2",
            "correct the moments, or say physical=False for an effective inertia",
        )


def _closures(model: Mechanism, table: ParameterTable) -> Iterator[Finding]:
    """Closures between bodies that are one piece, and lengths that are none."""
    tree = model.tree()
    for closure in model.closures.values():
        element = f"closure '{closure.name}'"
        for name in POSITIVE:
            value = table.values.get(f"{closure.name}.{name}", 1.0)
            if value <= 0:
                cure = "give a positive value"
                yield Finding(ERROR, "loop", element, f"its {name} is {value:g}", cure)
        bodies = [end.body for end in closure.ends]
        if bodies and topology.welded(tree, *bodies):
            yield Finding(
                WARNING,
                "loop",
                element,
                f"no joint lets '{bodies[0].name}' move against '{bodies[1].name}'",
                "remove it, or put a joint between the two bodies",
            )


def _forces(model: Mechanism, table: ParameterTable) -> Iterator[Finding]:
    """Forces between bodies that are one piece, numbers of theirs that are none, open ports."""
    tree = model.tree()
    for element, port in open_ports(model):
        cure = "join it to another by a line or a resistance, or say that it is closed"
        yield Finding(ERROR, "data", element, f"nothing is joined to its port '{port}'", cure)
    for force in model.forces.values():
        for name in FORCES[force.kind].belongings.positive:
            value = table.values[f"{force.name}.{name}"]
            if value <= 0:
                said, cure = f"its {name} is {value:g}", "give a positive value"
                yield Finding(ERROR, "value", f"force '{force.name}'", said, cure)
        bodies = [point.body for point in force.points]
        if force.labels == ENDS and topology.welded(tree, *bodies):
            yield Finding(
                WARNING,
                "data",
                f"force '{force.name}'",
                f"no joint lets '{bodies[0].name}' move against '{bodies[1].name}'",
                "remove it, or put a joint between the two bodies",
            )


def _masses(model: Mechanism, table: ParameterTable, held: Sequence[str] = ()) -> Iterator[Finding]:
    """Joints that make M singular: errors by structure, warnings by default values."""
    tree = model.tree()
    numeric = singular_joints(tree, table.values, held)
    if not numeric:
        return
    closed = bool(model.closures or model.drives)
    cases = numeric
    if not all(row.value for row in model.parameters.values()):
        cases = singular_joints(tree, _general_values(model, table), held)
    structural = {case.joint for case in cases}
    for case in numeric:
        if case.why == "negative":
            yield _negative_finding(tree, table, case, closed=closed)
        else:
            yield _mass_finding(case, by_structure=case.joint in structural, closed=closed)


def _negative_finding(
    tree: topology.Tree, table: ParameterTable, case: Singular, *, closed: bool
) -> Finding:
    """The sentence for one joint whose motion has less than no inertia against it."""
    joint = case.joint
    units = {"rad/s": " kg.m2", "m/s": " kg"}
    unit = units[joint.v_units[0]] if joint.nv == 1 else ""
    left = f"leaves {case.inertia:.4g}{unit} against the motion of joint '{joint.name}'"
    carried = topology.carried_bodies(tree, joint.child.body)
    light = [body for body in carried if table.values[f"{body.name}.mass"] < 0]
    body = (light or carried)[0].name
    mass = table.values[f"{body}.mass"]
    problem, cure = (
        (f"its mass {mass:g} kg is negative and {left}", "give a positive mass")
        if light
        else (f"its inertia {left}", "give moments of inertia that are positive about the joint")
    )
    return Finding(NOTE if closed else ERROR, "mass", f"body '{body}'", problem, cure)


def _general_values(model: Mechanism, table: ParameterTable) -> dict[str, float]:
    """Values of the scalars when no named parameter is zero."""
    general = {row.symbol: row.value for row in table.rows}
    for k, row in enumerate(model.parameters.values()):
        general[row.symbol] = row.value or 0.7 + 0.1 * k
    results = evaluate(list(table.nodes.values()), general)
    return {name: float(value) for name, value in zip(table.nodes, results, strict=True)}


def _mass_finding(case: Singular, *, by_structure: bool, closed: bool) -> Finding:
    """The sentence for one joint that makes M singular."""
    joint, child = case.joint, case.joint.child.body.name
    because = (
        f"body '{child}' and what it carries have no inertia against its motion"
        if case.why == "massless"
        else "the joints it carries can undo its motion without moving any mass"
    )
    when = "" if by_structure else " for the default parameters"
    needed = "mass or inertia"
    if case.why == "massless" and joint.child.body.mass != 0:  # on the axis of a joint that turns
        needed = "an inertia, or a centre of mass beside the axis"
    cure = f"give body '{child}' {needed}, or fix the joint"
    if closed:  # what the loops leave free may still have mass
        return Finding(NOTE, "mass", f"joint '{joint.name}'", f"of the open tree, {because}", cure)
    return Finding(
        ERROR if by_structure else WARNING,
        "mass",
        f"joint '{joint.name}'",
        f"the mass matrix is singular{when}: {because}",
        cure if by_structure else f"give the parameters of body '{child}' non-zero values",
    )
