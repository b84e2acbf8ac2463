"""Mechanics in space: a model as a component, which the rest of a system meets at its joints.

| what | names |
|---|---|
| components | Mechanism |

The equations of motion are those that formalisms derive, M(q) qdd + c(q, qd) = tau, not equations
of single bodies; only M, c and one row per joint take part in sorting.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kinetree.acausal import Component, setting
from kinetree.acausal.components import Inlined
from kinetree.acausal.physical import PhysicalEquation, derivative_symbol
from kinetree.engine import Node, add, mul
from kinetree.errors import ModelError, UnsupportedError
from kinetree.library import rotational, translational
from kinetree.model import Mechanism as Described
from kinetree.pipeline import derive
from kinetree.program.inline import bindings


class Mechanism(Component):
    """A model of joints and bodies: every velocity is a flange of its name.

    Settings:
        model: a tree; angles are `rotational.Flange`, lengths `translational.Flange`.  Its forces
            act; its parameters are those of the component.
        qd: initial velocities by name; by default zero.
    """

    model, qd = setting(None), setting({})

    def setup(self) -> None:
        """A flange per velocity."""
        model = self._checked_model()
        for name, start in zip(model.velocities, model.initial().tolist(), strict=True):
            if hasattr(self, name):
                raise ModelError(
                    f"'{name}' is a name of components", element="model", cure="rename the joint"
                )
            turns = model.turns(name)
            flange = rotational.Flange() if turns else translational.Flange()
            flange.given["phi" if turns else "s"] = {
                "start": start, "fixed": True, "select": "prefer",
            }  # fmt: skip
            setattr(self, name, flange)

    def _checked_model(self) -> Described:
        model = self.model
        if not isinstance(model, Described):
            raise ModelError("it has no model", element="Mechanism", cure="give model=kt.Model(…)")
        for what in ("closures", "drives", "states", "events", "wrenches"):
            if getattr(model, what):
                raise UnsupportedError(
                    f"it has {what}", element=f"model '{model.name}'", cure="give a tree without"
                )
        if model.coordinates != model.velocities:
            raise UnsupportedError(
                "a joint has coordinates that are not the integrals of its velocities",
                element=f"model '{model.name}'",
                cure="give joints of axes: revolute, prismatic, universal, sequence",
            )
        return model

    def equations(self) -> Iterator[Any]:
        """M(q) qdd + c(q, qd) = tau."""
        model = self._checked_model()
        q, tau = self._flanges(model)
        qd = [derivative_symbol(x) for x in q]
        qdd = [derivative_symbol(x) for x in qd]
        program = derive(model, "mass_bias")
        made = Inlined(program, bindings(program, q=q, qd=qd), "motion")
        yield made
        M, c, n = made.outputs("M", self), made.outputs("c", self), len(q)
        for i in range(n):
            row = add(c[i], -tau[i], *(mul(M[i * n + j], qdd[j]) for j in range(n)))
            yield PhysicalEquation(row)

    def _flanges(self, model: Described) -> tuple[list[Node], list[Node]]:
        """Symbols of coordinates and efforts."""
        ends: list[Any] = [getattr(self, name) for name in model.velocities]
        turns = [model.turns(name) for name in model.velocities]
        q = [(end.phi if t else end.s).node for end, t in zip(ends, turns, strict=True)]
        tau = [(end.tau if t else end.f).node for end, t in zip(ends, turns, strict=True)]
        return q, tau


ALL = (Mechanism,)
