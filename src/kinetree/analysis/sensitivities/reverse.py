"""Reverse Programs of a run: bars of the state and of what varies, from weights of results."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.sensitivities.directions import ByLabels, bars_at, inputs_by, places_of
from kinetree.arrays import Array, Integers
from kinetree.integrate.loops.backward import ReverseKernel, SweptKernel
from kinetree.program.state_form import STATE
from kinetree.targets.kept import DerivedProgram, remember

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.tangent import Tangent
    from kinetree.analysis.sensitivities.variables import DesignVariable
    from kinetree.program import Program


@dataclass(frozen=True)
class Bars:
    """Bars of the state, and of what varies, in the order of the variables."""

    y: Array
    p: Array


@dataclass(frozen=True)
class Reverse:
    """What goes backwards through a run.

    Attributes:
        made: the dynamics with integrals, without tangents.
        variables: what varies but the duration.
        key: of what is measured.
        once: whether nothing is called often, so that compiling shall be quick.
    """

    made: Tangent
    variables: tuple[DesignVariable, ...]
    key: str
    once: bool = False

    @cached_property
    def by(self) -> ByLabels:
        """Inputs whose bars are wanted, with the labels of their components."""
        forward = self.made.system.forms.forward.program
        return {STATE: None, **inputs_by(forward, self.variables)}

    @property
    def count(self) -> int:
        """Number of bars behind those of the state."""
        rows = (labels for name, labels in self.by.items() if name != STATE)
        return sum(6 if labels is None else len(labels) for labels in rows)

    def _derive(self, program: Program, of: str, *, only: bool = True) -> DerivedProgram:
        """The reverse of a Program, derived once; with its own outputs, or only the bars."""
        made = self.made
        names = ", ".join(row.name for row in self.variables)
        return remember(
            lambda: DerivedProgram.of(program.adjoint(of, self.by, only=only)),
            f"reverse of {of}", made.system.model, self.key, names,
            made.system.forms.rates.digest,
        )  # fmt: skip

    def _kernel(self, form: DerivedProgram, of: str) -> ReverseKernel:
        system = self.made.system
        function = form.quick_function if self.once else form.function
        values = function.with_values(system.parameters)
        return ReverseKernel(values, system.loads.fixed, f"{of}_bar")

    @cached_property
    def _rates(self) -> DerivedProgram:
        """The rates and their reverse."""
        return self._derive(self.made.system.forms.rates.program, "yd", only=False)

    @cached_property
    def of_stages(self) -> SweptKernel:
        """The rates, then their reverse."""
        system = self.made.system
        parts = self._rates.swept.with_values(system.parameters)
        return SweptKernel(parts, system.loads.fixed, "yd_bar")

    @cached_property
    def of_rates(self) -> ReverseKernel:
        """Reverse of the rates."""
        return self._kernel(self._rates, "yd")

    @cached_property
    def of_projection(self) -> ReverseKernel | None:
        """Reverse of the projection; none where there is nothing to project."""
        form = self.made.system.forms.projection
        return None if form is None else self._kernel(self._derive(form.program, STATE), STATE)

    @cached_property
    def of_looks(self) -> ReverseKernel:
        """Reverse of the expressions of measures."""
        return self._kernel(self._derive(self.made.looks.program, "e"), "e")

    def call(self, kernel: ReverseKernel, t: float, Y: Array, weights: Array) -> Bars:
        """Bars from weights at one state."""
        given: dict[str, Any] = {kernel.weights: weights}
        names = {port.name for port in kernel.function.inputs}
        if "w" in names:  # the rate of time, on which no value depends
            given["w"] = np.zeros(self.made.size)
        found = self.made.system.call(kernel.function, t, Y, **given)
        rest = [np.ravel(found[f"{name}_bar"]) for name in self.by if name != STATE]
        return Bars(found[f"{STATE}_bar"], np.concatenate([np.zeros(0), *rest]))

    def look(self, t: float, Y: Array) -> Array:
        """The expressions of measures at one state."""
        system = self.made.system
        form = self.made.looks
        function = (form.quick_function if self.once else form.function).with_values(
            system.parameters
        )
        names = {port.name for port in function.inputs}
        given: dict[str, Any] = {"w": np.zeros(self.made.size)} if "w" in names else {}
        found: Array = system.call(function, t, Y, **given)["e"]
        return found

    def call_many(
        self, kernel: ReverseKernel, t: Array, Y: Array, weights: Array
    ) -> tuple[Array, Array]:
        """Bars of the state and of what varies at many states, one row each."""
        given: dict[str, Any] = {**self.made.system.loads.fixed, kernel.weights: weights}
        found = kernel.function(check=False, t=t, y=Y, **given)
        rest = [found[f"{name}_bar"].reshape(len(t), -1) for name in self.by if name != STATE]
        return found[f"{STATE}_bar"], np.concatenate([np.zeros((len(t), 0)), *rest], axis=1)

    def of_variables(self, bars: Array) -> Array:
        """Bars in the order of the variables, from those of the Programs."""
        return bars_at(self._places, bars)

    @cached_property
    def _places(self) -> Integers:
        """Places of the variables among the bars."""
        by = {name: labels for name, labels in self.by.items() if name != STATE}
        return places_of(by, self.variables)
