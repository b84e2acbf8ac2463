"""Natural coordinates beside those of the model: equations, and the way to and fro."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.engine import derivation
from kinetree.formalism.links.linkage import linkage
from kinetree.formalism.loops.closure_views import last_common
from kinetree.formalism.natural.conversion import Relative, frames_program, to_natural
from kinetree.formalism.natural.equations import NaturalEquations, equations
from kinetree.formalism.quantities import QUANTITIES
from kinetree.model import Coincide, Mechanism
from kinetree.program import Program

SMALL = 1e-12
"""Added to the diagonal where multipliers are found, so that equations may repeat others."""


@dataclass(frozen=True)
class Chart:
    """Natural coordinates of a model.

    Attributes:
        model: the mechanism.
        found: its equations.
        drives: q, qd, qdd of driven coordinates by the time; or None.
        there: q, qd, qdd -> natural ones.
        back: reads them again.
        labels: of the multipliers of closures, as other formulations have them.
    """

    model: Mechanism
    found: NaturalEquations
    drives: Program | None
    there: Program
    back: Relative
    labels: tuple[str, ...]

    def natural(self, q: Array, qd: Array, qdd: Array, p: Any = None) -> tuple[Array, ...]:
        """Natural coordinates and their rates; leading axes are a batch."""
        given = {"q": q, "qd": qd, "qdd": qdd, **({} if p is None else {"p": p})}
        found = self.there.evaluate_some(**given)
        return tuple(found[f"natural_{name}"] for name in ("q", "qd", "qdd"))

    def begin(self, state: Mapping[str, Array], others: Mapping[str, Any]) -> dict[str, Array]:
        """A state of the model as one of natural coordinates, with all multipliers.

        Args:
            state: q, qd, qdd, and x, xd where there are user states.
            others: further inputs: t, tau, wrenches, p.
        """
        q, qd, qdd = self.natural(state["q"], state["qd"], state["qdd"], others.get("p"))
        made = {"q": q, "qd": qd, "qdd": qdd}
        given = {**others, **made, **({"x": state["x"]} if "x" in state else {})}
        r = self.found.value.evaluate_some(**given)["tau"]
        J = self.found.ties.evaluate_some(**given)["J"]
        A = J @ np.swapaxes(J, -1, -2)
        m = A.shape[-1]
        A = A + SMALL * np.trace(A, axis1=-2, axis2=-1)[..., None, None] * np.eye(m)
        right = np.einsum("...ij,...j->...i", J, r)[..., None]
        lam = np.linalg.solve(A, right)[..., 0] if m else right[..., 0]
        return {**state, **made, "lam": lam}

    def read(
        self, parts: Mapping[str, Array], others: Mapping[str, Any], times: Array, start: Array
    ) -> dict[str, Array]:
        """q, qd, qdd, lam of the model from a run, (…, time, components).

        Args:
            parts: q, qd, qdd, lam of the run.
            others: further inputs: p.
            times: of the run.
            start: q of the model at the first of them.
        """
        given = {name: parts[name] for name in ("q", "qd", "qdd")} | {"t": times}
        p = others.get("p")
        if p is not None:
            given["p"] = np.asarray(p)[..., None, :]
        found = self.back.program.evaluate_some(**given)
        q, qd, qdd = self.back.read(found, times, start)
        if self.drives is not None:
            self._insert_driven((q, qd, qdd), given)
        return {"q": q, "qd": qd, "qdd": qdd, "lam": self._multipliers(parts["lam"], found)}

    def _insert_driven(self, out: tuple[Array, Array, Array], given: Mapping[str, Any]) -> None:
        assert self.drives is not None
        known = {k: v for k, v in given.items() if k in ("t", "p")}
        laws = self.drives.evaluate_some(q=self.model.initial(), **known)
        at = list(self.model.coordinates), list(self.model.velocities), list(self.model.velocities)
        for place, name in enumerate(self.drives.output("q").labels):
            for row, names, key in zip(out, at, ("q", "qd", "qdd"), strict=True):
                row[..., names.index(name)] = laws[key][..., place]

    def _multipliers(self, lam: Array, found: Mapping[str, Array]) -> Array:
        """Those of closures; forces at one place along the axes of the last common link."""
        rows = {label: lam[..., k] for k, label in enumerate(self.found.labels)}
        system = self.found.space.system
        for closure in self.model.closures.values():
            three = [c for c in closure.conditions if isinstance(c, Coincide)]
            if not three:
                continue
            a, b = (system.pose(end).link for end in closure.ends)
            R = self.back.rotation(found, last_common(system, a, b))
            names = [f"{closure.name}.{c.label}" for c in three]
            force = np.zeros((*lam.shape[:-1], 3))
            for c, name in zip(three, names, strict=True):
                force[..., c.k] = rows[name]
            turned = np.einsum("...ij,...i->...j", R, force)
            rows |= {name: turned[..., c.k] for c, name in zip(three, names, strict=True)}
        if not self.labels:
            return np.zeros((*lam.shape[:-1], 0))
        return np.stack([rows[label] for label in self.labels], axis=-1)


@derivation()
def chart(model: Mechanism, *, folded: bool = False) -> Chart:
    """The natural coordinates of a model."""
    system = linkage(model, folded=folded)
    found = equations(model, system)
    drives = QUANTITIES["drives"].derive(system, "recursive") if model.drives else None
    there = to_natural(system, found.space)
    back = Relative(system, found.space, frames_program(system, found.space))
    labels: tuple[str, ...] = ()
    if model.closures:
        labels = tuple(QUANTITIES["constraints"].derive(system, "recursive").output("h").labels)
    return Chart(model, found, drives, there, back, labels)
