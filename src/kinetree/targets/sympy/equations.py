"""Equations in SymPy: what `program.compile(target="sympy")` gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Equations:
    """A Program in SymPy.

    Attributes:
        inputs: name -> symbols of its components, row-major.
        equations: (symbol, expression) in order; an expression uses inputs and earlier symbols.
        outputs: name -> SymPy's array or expression in inputs and symbols.
    """

    inputs: Mapping[str, tuple[Any, ...]]
    equations: tuple[tuple[Any, Any], ...]
    outputs: Mapping[str, Any]

    def full(self, name: str) -> Any:
        """An output in terms of the inputs alone; its size may grow exponentially."""
        value = self.outputs[name]
        for symbol, expression in reversed(self.equations):
            value = value.subs(symbol, expression)
        return value

    def function(self) -> Callable[..., list[Any]]:
        """A function of all components of all inputs in order: the outputs, by NumPy."""
        sympy = import_module("sympy")
        arguments = [symbol for row in self.inputs.values() for symbol in row]
        results = list(self.outputs.values())
        found: Callable[..., list[Any]] = sympy.lambdify(
            arguments, results, "numpy", cse=lambda _: (list(self.equations), results)
        )
        return found


def equations(module: Any, name: str) -> Equations:
    """What a module of SymPy's expressions holds."""
    del name
    return Equations(module.inputs, tuple(module.equations), module.outputs)
