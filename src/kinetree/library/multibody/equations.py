"""Equations of a model among those of a whole: one row per velocity, and the motion of frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from math import hypot

from kinetree.acausal.instances import Flat, FlatEquation
from kinetree.acausal.mechanics.motion import MotionRows
from kinetree.acausal.physical import derivative_symbol, split_name
from kinetree.engine import ONE, ZERO, Node, add, linear, mul, sqrt, substitute, symbol
from kinetree.library.multibody.connectors import Frame
from kinetree.library.multibody.loops import write_loops
from kinetree.model import Point
from kinetree.model.parameters import ParameterRow
from kinetree.pipeline import derive
from kinetree.program import Program
from kinetree.program.restrict import restrict

Rename = Callable[[str], str]
"""Name of a parameter of a model -> its path in the whole."""


def write_motion(
    flat: Flat, motion: MotionRows, frames: Mapping[Point, Sequence[Frame]], rename: Rename
) -> None:
    """Write M(q) qdd + c(q, qd) = tau, and what frames do.

    Args:
        flat: where the equations go.
        motion: what stands for coordinates, velocities, accelerations and forces.
        frames: point of the model -> frames of components with equations of their own.
        rename: paths of parameters.
    """
    for number, (point, ends) in enumerate(frames.items(), 1):
        name = f"wrench_{number}"
        motion.model.wrench(name, point, "world")
        rows = zip(*((*end.t, *end.f) for end in ends), strict=True)
        motion.inputs[name] = [linear(0, tuple((x.node, -1) for x in row)) for row in rows]
    number = len(flat.motions)
    flat.motions.append(motion)
    program = derive(motion.model, "mass_bias")
    _take_parameters(flat, motion, program, rename)
    path = _path(motion, "motion")
    out = flat.inline(program, motion.bindings(program), path, number)
    M, c, n = out["M"], out["c"], len(motion.qdd)
    pulls = write_loops(flat, motion, _path(motion, "loops")) if motion.model.closures else []
    for i in range(n):
        terms = (mul(M[i * n + j], motion.qdd[j]) for j in range(n))
        row = add(c[i], -motion.tau[i], *terms, *(-pull[i] for pull in pulls))
        mark = None if pulls else (number, i)
        flat.equations.append(FlatEquation(row, path, i + 1, mark))
    _write_rates(flat, motion, program)
    _write_states(flat, motion)
    if frames:
        _write_frames(flat, motion, frames)


def _write_states(flat: Flat, motion: MotionRows) -> None:
    """der(x) of the states of the model, as its laws and forces say."""
    if not motion.model.states:
        return
    tree = copy(motion.model)
    tree.closures = {}
    program = restrict(derive(tree, "forward"), "xd")
    path = _path(motion, "states")
    rates = flat.inline(program, motion.bindings(program), path)["xd"]
    for number, (x, rate) in enumerate(zip(motion.inputs["x"], rates, strict=True), 1):
        flat.equations.append(FlatEquation(derivative_symbol(x) - rate, path, number))


def add_turning(flat: Flat, motion: MotionRows, path: str, nodes: Sequence[Node]) -> None:
    """Let coordinates be the unit quaternion along four variables, and a position of three."""
    Q, place, first = nodes[:4], nodes[4:], len(motion.q)
    starts = [flat.variables[split_name(x)[0]].start or 0.0 for x in Q]
    size = flat.add_hidden(f"{path}.norm", hypot(*starts))
    length = sqrt(add(*(x * x for x in Q)))
    flat.equations.append(FlatEquation(size - length, path, 1))
    for k, x in enumerate(Q):
        unit = flat.add_hidden(f"{path}.unit_{k + 1}", starts[k] / hypot(*starts))
        flat.equations.append(FlatEquation(unit - x / size, path, k + 2))
        motion.q.append(unit)
    motion.q += place
    sizes = [size] * 4 + [ONE] * len(place)
    motion.turning += [(x, first + k, s) for k, (x, s) in enumerate(zip(nodes, sizes, strict=True))]


def _path(motion: MotionRows, name: str) -> str:
    return f"{motion.path}.{name}" if motion.path else name


def _take_parameters(flat: Flat, motion: MotionRows, program: Program, rename: Rename) -> None:
    """Parameters of the model as those of the whole."""
    for row in [row for row in program.inputs if row.parameter]:
        units = row.units or ("",) * len(row.labels)
        rows = zip(row.labels, row.symbols, row.default or (), units, strict=True)
        for label, own, value, unit in rows:
            path = rename(label)
            node = own if path == own.name else symbol(path, own.key[0])
            motion.parameters[label] = node
            if node not in flat.bound:
                flat.parameters[path] = ParameterRow(path, value, unit, node)


def _write_rates(flat: Flat, motion: MotionRows, program: Program) -> None:
    """der(q) = N(q) qd, where coordinates are not the integrals of velocities."""
    rows, values = program.input("q").tangent, motion.bindings(program)
    for number, (node, k, size) in enumerate(motion.turning, 1):
        rates = substitute(rows[k], values)
        speed = add(ZERO, *map(mul, rates, motion.qd))
        row = derivative_symbol(node) - mul(size, speed)
        flat.equations.append(FlatEquation(row, _path(motion, "rates"), number))


def _write_frames(flat: Flat, motion: MotionRows, frames: Mapping[Point, Sequence[Frame]]) -> None:
    """Frames of components are where points of the model are, and move as these do."""
    whole = derive(motion.model, "kinematics", points=[point.path for point in frames])
    names = ("position", "rotation", "velocity")
    wanted = [f"{point.path}.{name}" for point in frames for name in names]
    program = restrict(whole, wanted)
    path = _path(motion, "frames")
    out = flat.inline(program, motion.bindings(program), path)
    for point, ends in frames.items():
        r, R, wv = (out[f"{point.path}.{name}"] for name in names)
        place_frames(flat, ends, (r, R, wv[3:], wv[:3]), path)


def place_frames(
    flat: Flat, frames: Sequence[Frame], motion: tuple[Sequence[Node], ...], path: str
) -> None:
    """Let frames have a position, rotation, velocity and angular velocity."""
    values = [x for row in motion for x in row]
    for end in frames:
        seen = [*end.r, *(x for row in end.R for x in row), *end.v, *end.w]
        flat.equations += [
            FlatEquation(x.node - value, path, k)
            for k, (x, value) in enumerate(zip(seen, values, strict=True), 1)
        ]
