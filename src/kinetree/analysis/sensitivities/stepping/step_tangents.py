"""The direct method in equal steps: tangents march with the steps, eight in the lanes of one run.

    δs₁ = ∂s₁/∂s δs + ∂s₁/∂p δp                                                       Eq. (S13)

with the direction δp as an input: every lane makes the same steps and has a direction of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.sensitivities.directions import seeds_of
from kinetree.analysis.sensitivities.stepping.step_start import tangents_at_start
from kinetree.arrays import Array
from kinetree.integrate.loops.equal_steps import March, Start
from kinetree.integrate.loops.tangent_lanes import LaneForm
from kinetree.integrate.steps.repartitioned_run import drive_march

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.stepping.step_run import StepLeg, StepRun
    from kinetree.analysis.sensitivities.variables import DesignVariable


class StepTangents:
    """Tangents of a run by some variables, or along some directions, at most eight.

    Attributes:
        S: changes of all states: state × component × variable.
        de: changes of all expressions: state × expression × variable.
        dy: changes of y of the model: state × variable × component.
    """

    def __init__(
        self,
        run: StepRun,
        variables: Sequence[DesignVariable],
        along: tuple[Array, Array] | None = None,
    ) -> None:
        """`along`: directions, variable × direction, and changes of the first state along them."""
        self.run, by = run, run.legs[0].forms.by
        self.seeds = seeds_of(by, variables)
        if along is not None:
            ways, start = along
            self.seeds = {name: rows @ ways for name, rows in self.seeds.items()}
        else:
            start = tangents_at_start(run, variables)
        self.count = start.shape[1]
        rows = [start[None]]
        for leg in run.legs:
            rows.append(self._march(leg, rows[-1][-1]))
        self.S = np.concatenate(rows)
        self.de, self.dy = self._looks(self.S)

    def _march(self, leg: StepLeg, start: Array) -> Array:
        """Tangents behind every step of a leg."""
        run, size, n = self.run, leg.forms.size, self.count
        seeds = {f"{name}_dot": rows.T for name, rows in self.seeds.items()}
        form = LaneForm(leg.forms.tangent_step, "", seeds, size, n, head=0)
        kernel = run.kernel(form)
        x = kernel.arguments()[0]
        x[:size] = run.kept[leg.first]
        x[size : size * (1 + n)] = start.T.ravel()
        begin = Start(
            x[:, None], _parameters(kernel.function), run.start.t0, run.start.h, leg.end,
            done=leg.first,
        )  # fmt: skip
        march = March(kernel.function, size * (1 + n), begin)
        drive_march(march, leg.end, run.progress)
        S = march.states[1:, size:, 0].reshape(-1, n, size)
        return np.swapaxes(S, 1, 2)

    def _looks(self, S: Array) -> tuple[Array, Array]:
        """Changes of the expressions and of y, from those of all states."""
        run, forms = self.run, self.run.legs[0].forms
        dots = run.parts(np.swapaxes(S, 1, 2))
        more: dict[str, Any] = {f"{name}_dot": rows for name, rows in dots.items()}
        for name, seeds in self.seeds.items():
            more[f"{name}_dot"] = np.broadcast_to(seeds.T, (len(S), *seeds.T.shape))
        found = run.call(forms.tangent_looks, run.states, run.times, run.motion.q, **more)
        return np.swapaxes(found["e_dot"], 1, 2), found["y_dot"]


def _parameters(function: Any) -> Array:
    """Values of the parameters of a function, one column."""
    rows = [port.default_array.ravel() for port in function.inputs if port.parameter]
    return np.concatenate([*rows, np.zeros(0)])[:, None]
