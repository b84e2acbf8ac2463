"""Equations in SymPy: what `program.compile(target="sympy")` gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from kinetree.targets.text.python.loading import load_module


@dataclass(frozen=True, slots=True)
class Equations:
    """A Program in SymPy.

    Attributes:
        inputs: name -> symbols of its components, row-major.
        equations: (symbol, expression) in order; an expression uses inputs and earlier symbols.
        outputs: name -> SymPy's array or expression in inputs and symbols.
        values: name -> values of its components, for the inputs that have some.
    """

    inputs: Mapping[str, tuple[Any, ...]]
    equations: tuple[tuple[Any, Any], ...]
    outputs: Mapping[str, Any]
    values: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def full(self, name: str) -> Any:
        """An output in terms of the inputs alone; its size may grow exponentially."""
        value = self.outputs[name]
        for symbol, expression in reversed(self.equations):
            value = value.subs(symbol, expression)
        return value

    def function(self) -> Callable[..., list[Any]]:
        """A function of all components of all inputs in order: the outputs, by NumPy.

        The last ones may be left out where they have values.
        """
        arguments = [symbol for row in self.inputs.values() for symbol in row]
        symbols = (*arguments, *(symbol for symbol, _ in self.equations))
        spelled = _spelling({symbol: f"x{i}" for i, symbol in enumerate(symbols)})
        lines = [f"    {spelled(symbol)} = {spelled(value)}" for symbol, value in self.equations]
        results = [_list_output(value, spelled) for value in self.outputs.values()]
        text = [
            "import numpy",
            f"def function({', '.join(self._arguments(spelled))}):",
            *lines,
            f"    return [{', '.join(results)}]",
        ]
        found: Callable[..., list[Any]] = load_module("equations", "\n".join(text)).function
        return found

    def _arguments(self, spelled: Callable[[Any], str]) -> list[str]:
        """Arguments of the function; Python wants those with values behind all others."""
        found: list[str] = []
        last = True
        for name, row in reversed([*self.inputs.items()]):
            last = last and (name in self.values or not row)
            given = [f"={x!r}" for x in self.values[name]] if last and row else [""] * len(row)
            found = [*(f"{spelled(s)}{x}" for s, x in zip(row, given, strict=True)), *found]
        return found


def _spelling(names: Mapping[Any, str]) -> Callable[[Any], str]:
    """SymPy's spelling in NumPy, with other names; its own way takes a minute for a humanoid."""
    numpy = import_module("sympy.printing.numpy")

    class Printer(numpy.NumPyPrinter):  # type: ignore[misc, name-defined]
        def _print_Symbol(self, symbol: Any) -> str:  # noqa: N802  SymPy's name
            return names[symbol]

    found: Callable[[Any], str] = Printer({"fully_qualified_modules": True}).doprint
    return found


def _list_output(value: Any, spelled: Callable[[Any], str]) -> str:
    """An output: a number, or the components of an array in its shape."""
    shape = getattr(value, "shape", ())
    if not shape:
        return spelled(value)
    components = value.reshape(value.shape[0] if len(shape) == 1 else len(value))
    parts = ", ".join(spelled(x) for x in components)
    return f"numpy.array([{parts}], dtype=float).reshape({tuple(shape)})"


def equations(module: Any, name: str) -> Equations:
    """What a module of SymPy's expressions holds."""
    del name
    return Equations(module.inputs, tuple(module.equations), module.outputs, module.values)
