"""A model of joints and bodies as a component."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from kinetree.acausal import setting
from kinetree.acausal.instances import Flat, FlatEquation, FlatVariable
from kinetree.acausal.mechanics.motion import MotionRows
from kinetree.acausal.physical import derivative_symbol
from kinetree.assembly.partition import partition
from kinetree.engine import ZERO, Node
from kinetree.errors import ModelError, UnsupportedError, unknown
from kinetree.library import rotational, translational
from kinetree.library.multibody.connectors import Frame, Part
from kinetree.library.multibody.equations import add_turning
from kinetree.model import CoordinateGroup, Point, state_symbol, time_symbol
from kinetree.model import Mechanism as Described
from kinetree.model.forces import refuse_holding

REFUSED = {
    "drives": "connect a Position with the flange of the joint",
    "events": "write them with when(…) in a component",
    "wrenches": "connect a WorldForce with the frame of the body",
}
"""What a model as a component has not, and what to do instead."""


class Mechanism(Part):
    """A model of joints and bodies: every velocity is a flange, every point a frame of its name.

    The frame of a body is called as the body, that of a point BODY_POINT.  Joints with quaternions
    have variables of their own in place of flanges; states of the model are variables, too.

    Settings:
        model: angles are `rotational.Flange`, lengths `translational.Flange`.  Its forces act; its
            parameters are those of the component.
        qd: initial velocities by name; by default zero.
    """

    model, qd = setting(None), setting({})

    def setup(self) -> None:
        """A flange per velocity that is the rate of a coordinate, a frame per point."""
        model = self.checked_model()
        starts, free = self._starts(model)
        for name, start in zip(model.coordinates, starts, strict=True):
            if name not in model.velocities:
                continue
            self._refuse_name(name, "joint")
            turns = model.turns(name)
            flange = rotational.Flange() if turns else translational.Flange()
            flange.given["phi" if turns else "s"] = {
                "start": start, "fixed": name in free, "select": "prefer",
            }  # fmt: skip
            setattr(self, name, flange)
        for point in self.points():
            name = point.path.replace(".", "_")
            self._refuse_name(name, "body or point")
            setattr(self, name, Frame())

    def _starts(self, model: Described) -> tuple[list[float], Sequence[str]]:
        """Coordinates to begin from, and those of them that are independent."""
        if not model.closures:
            return model.initial().tolist(), model.coordinates
        found = partition(model)
        return found.q.tolist(), found.independent

    def _refuse_name(self, name: str, noun: str) -> None:
        if hasattr(self, name):
            raise ModelError(
                f"'{name}' is a name of components, or of two elements",
                element="model",
                cure=f"rename the {noun}",
            )

    def points(self) -> list[Point]:
        """The points that have frames."""
        bodies = self.checked_model().bodies.values()
        return [point for body in bodies for point in (body.origin, *body.points.values())]

    def checked_model(self) -> Described:
        """The model; refused where it has what does not become a component."""
        model = self.model
        if not isinstance(model, Described):
            raise ModelError("it has no model", element="Mechanism", cure="give model=kt.Model(…)")
        for what in ("drives", "events", "wrenches"):
            if getattr(model, what):
                raise UnsupportedError(
                    f"it has {what}", element=f"model '{model.name}'", cure=REFUSED[what]
                )
        cure = "connect a friction, a brake or an ElastoBacklash with the flange of the joint"
        refuse_holding(model, f"model '{model.name}' as a component", cure)
        return model

    def motion(self, flat: Flat) -> MotionRows:
        """What stands for the model's coordinates, velocities, accelerations and forces."""
        model = copy(self.checked_model())
        model.wrenches = {}
        motion = MotionRows(model, self.path)
        for group in model.leaders:
            self._stand_for(flat, motion, group)
        for name, value in self.qd.items():
            if name not in model.velocities:
                raise unknown("velocity", name, model.velocities, f"component '{self.path}' qd")
            row = motion.qd[model.velocities.index(name)] - value
            flat.initial.append(FlatEquation(row, self.path, len(flat.initial) + 1))
        motion.inputs["t"] = [time_symbol()]
        motion.inputs["x"] = [
            self._add_variable(flat, row.name, row.unit, row.initial)
            for row in model.states.values()
        ]
        return motion

    def _stand_for(self, flat: Flat, motion: MotionRows, group: CoordinateGroup) -> None:
        """Flanges of axes; variables of their own for quaternions, and of floating bodies."""
        starts = group.neutral if group.initial is None else group.initial
        q, v = 0, 0
        for step in group.motions:
            nq, nv = len(step.neutral), step.nv
            coordinates, velocities = group.coordinates[q : q + nq], group.velocities[v : v + nv]
            if nq == 1:
                flange = getattr(self, coordinates[0])
                turns = isinstance(flange, rotational.Flange)
                motion.q.append((flange.phi if turns else flange.s).node)
                motion.tau.append((flange.tau if turns else flange.f).node)
                motion.qd.append(derivative_symbol(motion.q[-1]))
            else:
                rows = zip(coordinates, step.q_units, starts[q : q + nq], strict=True)
                nodes = [self._add_variable(flat, *row) for row in rows]
                add_turning(flat, motion, self.path_of(group.name), nodes)
                rates = zip(velocities, step.v_units, strict=True)
                motion.qd += [self._add_variable(flat, *row, 0.0) for row in rates]
                motion.tau += [ZERO] * nv
            motion.qdd += [derivative_symbol(x) for x in motion.qd[-nv:]]
            q, v = q + nq, v + nv

    def _add_variable(self, flat: Flat, name: str, unit: str, start: float) -> Node:
        """A variable of the component that is a state."""
        path = self.path_of(name)
        node = state_symbol(path)
        plain = "" if unit == "1" else unit
        flat.variables[path] = FlatVariable(path, node, "variable", plain, start, False, 2)
        return node
