"""Whether independent velocities are still a good choice, and others where they are not.

The equations that are used, J, have a least singular value over all velocities that may move, and
one over the dependent ones alone.  Where the second falls far below the first, the choice is bad
while the mechanism itself is not singular.

Refs: WehageHaug1982
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.assembly.partition import partition
from kinetree.errors import KinetreeError

if TYPE_CHECKING:
    from kinetree.model import Mechanism
    from kinetree.program import Program
    from kinetree.targets.native.function import Function

LEAST = 0.03
"""Share of the least singular value below which the dependent velocities are a bad choice."""


class Watch:
    """Looks at the choice of a topological step.

    Attributes:
        found: the better choice of the last look.
    """

    def __init__(self, model: Mechanism, info: Mapping[str, str], loops: Program) -> None:
        self.model, self._loops = model, loops
        names, labels = list(model.velocities), list(loops.output("h").labels)
        own = set(filter(None, info["independent"].split(", ")))
        self.rows = [labels.index(x) for x in filter(None, info["equations"].split(", "))]
        self.free = [k for k, name in enumerate(names) if name not in model.drives]
        self.dependent = [k for k in self.free if names[k] not in own]
        self.independent = own
        self.found: tuple[str, ...] = ()

    @cached_property
    def _function(self) -> Function:
        made: Function = self._loops.compile()
        return made

    def share(self, q: Array, t: float, parameters: Mapping[str, float]) -> float:
        """How well the dependent velocities are determined, from 0 to 1."""
        if not self.rows:
            return 1.0
        given: dict[str, Any] = {"q": q, "qd": np.zeros(self.model.nv), "t": np.asarray(t)}
        function = self._function
        port = next((p for p in function.inputs if p.name == "p"), None)
        if port is not None:
            p = port.default_array.copy()
            for name, value in parameters.items():
                if name in port.labels:
                    p[port.labels.index(name)] = value
            given["p"] = p
        J = function(**self._loops.given(given))["J"][self.rows]
        J = J / np.maximum(np.abs(J).max(axis=1, keepdims=True), 1e-6)
        part = np.linalg.svd(J[:, self.dependent], compute_uv=False)[-1]
        whole = np.linalg.svd(J[:, self.free], compute_uv=False)[len(self.rows) - 1]
        return float(part / max(whole, 1e-300))

    def bad(self, q: Array, t: float, parameters: Mapping[str, float]) -> bool:
        """Whether others should be chosen; they are `found`."""
        return self.share(q, t, parameters) < LEAST and self.better(q, t, parameters)

    def better(self, q: Array, t: float, parameters: Mapping[str, float]) -> bool:
        """Look for other independent velocities; whether there are any."""
        try:
            new = partition(self.model, q.tolist(), t=t, parameters=dict(parameters))
        except KinetreeError:
            return False
        names = tuple(name for name in new.independent if name not in new.rate_dependent)
        if new.singular or new.rank != len(self.rows) or set(names) == self.independent:
            return False
        self.found = names
        return True


__all__ = ["LEAST", "Watch"]
