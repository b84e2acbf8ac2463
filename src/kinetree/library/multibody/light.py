"""Places that only forces hold: points without mass, where these forces are in balance.

| in | out |
|---|---|
| forces between frames with an end that no body, bar or joint holds | the place of every such point
as three variables, the sum of its forces as their equations |

Such a point does not turn, and goes where the springs that meet there are in balance at every
instant.  A damper does not say how it moves across its line, so none may end there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from kinetree.acausal import Component, Physical, parameter, port
from kinetree.acausal.instances import Flat, FlatEquation, FlatVariable, take_component
from kinetree.acausal.physical import derivative_symbol, dimension
from kinetree.arrays import Array
from kinetree.assembly.partition import partition
from kinetree.engine import ONE, ZERO, Node, add, as_node, evaluate
from kinetree.errors import UnsupportedError
from kinetree.functions import sqrt
from kinetree.library.multibody.connectors import Frame
from kinetree.library.multibody.equations import place_frames
from kinetree.library.multibody.forces import PairForce, SpringDamperParallel
from kinetree.library.multibody.meetings import Meetings
from kinetree.library.multibody.scalars import Scalars
from kinetree.model import Model, Point, state_symbol
from kinetree.model.parameters import ParameterRow
from kinetree.pipeline import derive


class LineSpring(Component):
    """A spring along the line between two frames, by equations of its own."""

    frame_a, frame_b = port(Frame), port(Frame)
    c, s_unstretched = parameter(0.0, "N/m"), parameter(0.0, "m")

    def equations(self) -> Iterator[Any]:
        """f = c (s - s_unstretched) e, along e = (b.r - a.r)/s; no torques."""
        a, b = self.frame_a, self.frame_b
        away = [y - x for x, y in zip(a.r, b.r, strict=True)]
        s = sqrt(away[0] ** 2 + away[1] ** 2 + away[2] ** 2)
        e = [x / s for x in away]
        pull = self.c * (s - self.s_unstretched)
        for k in range(3):
            yield b.f[k] == pull * e[k]
            yield a.f[k] == -pull * e[k]
            yield a.t[k] == 0
            yield b.t[k] == 0


def loosen(flat: Flat, one: PairForce, scalars: Scalars, meetings: Meetings) -> None:
    """Let a force be equations of its own between its frames."""
    if not isinstance(one, SpringDamperParallel):
        raise _unsaid(one, "one of its ends hangs on forces alone, which do not say how it turns")
    if scalars.read(one, "d", one.d, "N.s/m") != 0:
        raise _unsaid(one, "its damper ends in a point that forces alone hold, and does not say "
                      "how that moves across its line")  # fmt: skip
    given = {name: _own(flat, one, name, unit, scalars)
             for name, unit in (("c", "N/m"), ("s_unstretched", "m"))}  # fmt: skip
    made = LineSpring(**given)
    made.put_into(one, "line")
    take_component(flat, made)
    for end, at in ((made.frame_a, one.frame_a), (made.frame_b, one.frame_b)):
        flat.ports.remove(end)
        meetings.shown.setdefault(meetings.place(at), []).append(end)


def _unsaid(one: PairForce, problem: str) -> UnsupportedError:
    cure = "connect a body there, or let springs without damping (d=0) meet"
    return UnsupportedError(problem, element=f"component '{one.path}'", cure=cure)


def _own(flat: Flat, one: PairForce, name: str, unit: str, scalars: Scalars) -> Any:
    """The number of a force, as a parameter under its path."""
    value = scalars.read(one, name, getattr(one, name), unit)
    if not isinstance(value, Node):
        return value
    path = one.path_of(name)
    if value not in flat.bound:
        row = scalars.model.parameters[path]
        flat.parameters[path] = ParameterRow(path, row.value, unit, value)
    return lambda _: Physical(value, dimension(unit))


def write_point(flat: Flat, path: str, frames: Sequence[Frame], start: Array) -> None:
    """The place of a point without mass as variables under a path, and the balance of forces."""
    rows = zip("xyz", start.tolist(), strict=True)
    r = [_coordinate(flat, f"{path}.r_{end}", x) for end, x in rows]
    v = [derivative_symbol(x) for x in r]
    R = [ONE if k % 4 == 0 else ZERO for k in range(9)]
    place_frames(flat, frames, (r, R, v, [ZERO] * 3), path)
    for k in range(3):
        total = add(ZERO, *(end.f[k].node for end in frames))
        flat.equations.append(FlatEquation(total, path, 19 + k))


def _coordinate(flat: Flat, path: str, start: float) -> Node:
    node = state_symbol(path)
    flat.variables[path] = FlatVariable(path, node, "variable", "m", start, False, 1)
    return node


def guess_places(
    light: Sequence[int], lines: Sequence[tuple[int, int]], known: Mapping[int, Array]
) -> dict[int, Array]:
    """Where points without mass may begin: each in the middle of what it is connected with."""
    number = {place: k for k, place in enumerate(light)}
    A, b = np.zeros((len(light), len(light))), np.zeros((len(light), 3))
    for ends in lines:
        for here, there in (ends, ends[::-1]):
            if here in number:
                A[number[here], number[here]] += 1
                if there in number:
                    A[number[here], number[there]] -= 1
                else:
                    b[number[here]] += known[there]
    found = np.linalg.lstsq(A, b, rcond=None)[0]
    return {place: found[k] for place, k in number.items()}


def positions_at_start(model: Model, points: Mapping[int, Point]) -> dict[int, Array]:
    """Where points of a model are before it moves [m]."""
    moving = {k: point for k, point in points.items() if point.body is not model.ground}
    numbers = {row.symbol: row.value for row in model.parameters.values()}
    found: dict[int, Array] = {}
    for k, point in points.items():
        nodes = tuple(as_node(x) for x in point.position)
        found[k] = np.array([float(x) for x in evaluate(nodes, numbers)])
    if moving:
        names = sorted({point.path for point in moving.values()})
        program = derive(model, "kinematics", points=names)
        inputs = {row.name: np.zeros(row.shape) for row in program.inputs if not row.parameter}
        inputs["q"] = partition(model).q if model.closures else model.initial()
        values = program.evaluate(**inputs)
        found |= {k: np.array(values[f"{p.path}.position"]) for k, p in moving.items()}
    return found
