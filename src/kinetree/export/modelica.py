"""Connected components as one flat model in Modelica: variables, parameters, equations, events.

What is written is the system as it stands before any sorting: every equation of every part, and
those of the connections.  So another translator can be asked what it finds (tests do), or go on
from there.  Names are the paths, in quotes.  States that began with a default here do so there.

Refs: Modelica2021 secs. 4, 8
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kinetree.acausal import Component
from kinetree.acausal.hybrid.words import SampledEquations, Ticks, When
from kinetree.acausal.instances import FlatVariable
from kinetree.acausal.physical import join_name, split_name
from kinetree.acausal.sort import SortedComponent, bound_in_order, sort_component
from kinetree.arguments import check_arguments
from kinetree.engine import PREVIOUS, SWITCH, Node, Rank, compounds, substitute, symbol, symbols
from kinetree.engine.show import Style, render
from kinetree.errors import UnsupportedError
from kinetree.files import write_file
from kinetree.model import time_symbol

UNKNOWN = frozenset({"table", "previous", "hold"})
"""Functions that have no counterpart."""


def export_modelica(component: Component, path: str | Path) -> Path:
    """Write connected components as a flat model in Modelica.

    Args:
        component: the whole.  Dry friction and look-up tables, of which the language knows nothing
            by itself, are refused.
        path: file to write, such as "motor.mo".

    Returns:
        The file.
    """
    check_arguments(export_modelica, locals())
    found = sort_component(component)
    _refuse(found)
    return write_file(path, "\n".join(_Writer(found).lines()) + "\n")


def _refuse(found: SortedComponent) -> None:
    if found.flat.frictions:
        raise UnsupportedError(
            "its modes are settled by pivots, which equations of Modelica cannot say",
            element=f"friction '{found.flat.frictions[0].name}'",
            cure="hand the system over as an FMU",
        )


class _Modelica(Style):
    """Expressions of Modelica."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def number(self, x: Any) -> str:
        return repr(float(x))

    def symbol(self, name: str) -> str:
        return self.names[name]

    def power(self, base: Any, exp: int) -> list[Any]:
        return [base] if exp == 1 else [base, f"^{exp}"]

    def call(self, node: Node) -> tuple[str, str]:
        name = node.op.name
        if name in UNKNOWN or node.op.lookup is not None:
            raise UnsupportedError(
                "Modelica has no function like it",
                element=f"function '{'table' if node.op.lookup else name}'",
                cure="hand the system over as an FMU",
            )
        return ("(", ")") if name in ("select", "switch", "pow") else (f"{name}(", ")")

    def arguments(self, node: Node) -> list[Any]:
        args = [(a, 0) for a in node.args]
        if node.op.name == "pow":
            return ["(", args[0], ")^(", args[1], ")"]
        if node.op.name not in ("select", "switch"):
            return super().arguments(node)
        c, a, b = args
        head, tail = ("", " > 0") if node.op is SWITCH else ("noEvent(", " > 0)")
        return ["if ", head, c, tail, " then ", a, " else ", b]


def quote(path: str) -> str:
    """A path as an identifier."""
    inside = path.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{inside}'"


class _Writer:
    """The text of one model."""

    def __init__(self, found: SortedComponent) -> None:
        self.found, self.flat = found, found.flat
        self.names = {time_symbol().name: "time"}
        self.names |= {row.symbol.name: quote(p) for p, row in self.flat.variables.items()}
        self.names |= {row.symbol.name: quote(p) for p, row in self.flat.parameters.items()}
        self.names |= {node.name: quote(node.name) for node in self.flat.bound}
        self.modes = {r.symbol for r in self.flat.variables.values() if r.role == "mode"}
        self.rates: dict[str, str] = {}  # rates that have variables of their own -> equation
        self.style = _Modelica(self.names)

    def say(self, node: Node) -> str:
        """An expression; rates of rates get variables of their own."""
        for s in symbols((node,)):
            if s.name not in self.names:
                self.names[s.name] = self._rate(*split_name(s))
        return render(node, self.style)

    def _rate(self, path: str, order: int) -> str:
        name = quote(path)
        for k in range(1, order):
            own = quote(join_name(path, k))
            self.rates.setdefault(own, f"  {own} = der({name});")
            name = own
        return f"der({name})"

    def lines(self) -> Iterator[str]:
        """The whole model."""
        name = self.flat.name
        equations, initial = [*self._equations()], [*self._initial()]
        yield f"model {name}"
        yield from self._declarations()
        if initial:
            yield from ["initial equation", *initial]
        yield from ["equation", *equations, *self.rates.values(), *self._events()]
        yield f"end {name};"

    def _declarations(self) -> Iterator[str]:
        for row in self.flat.parameters.values():
            yield f"  parameter Real {quote(row.name)} = {row.value!r};"
        for node, expr in bound_in_order(self.flat):
            yield f"  parameter Real {quote(node.name)} = {self.say(expr)};"
        for path, variable in self.flat.variables.items():
            yield f"  {self._kind(variable)}Real {quote(path)}{_start(variable)};"
        for name in self.rates:
            yield f"  Real {name};"

    def _kind(self, row: FlatVariable) -> str:
        if row.role == "mode":
            return "discrete "
        return "input " if row.role == "in" and "." not in row.path else ""

    def _equations(self) -> Iterator[str]:
        for row in (*self.flat.equations, *self.found.joined.sums):
            yield f"  {self.say(row.residual)} = 0;"
        for a, b in self.found.joined.pairs:
            yield f"  {self.say(a)} = {self.say(b)};"

    def _initial(self) -> Iterator[str]:
        for row in self.flat.initial:
            yield f"  {self.say(row.residual)} = 0;"
        page, values = self.found.page, self.found.beginning.values
        for column in self.found.beginning.defaults:
            node = page.columns[column]
            yield f"  {self.say(node)} = {float(values[node])!r};"

    # --- events ----------------------------------------------------------------------------------

    def _events(self) -> Iterator[str]:
        """Resets of states; modes have one chain of conditions each, as the language wants it."""
        chains: dict[Node, list[str]] = {}
        for path, event in self.flat.events:
            if isinstance(event, SampledEquations):
                yield f"  when {self._ticks(event.ticks)} then"
                for mode, value in event.rows:
                    yield f"    {self.say(mode)} = {self._instant(value, path)};"
                yield "  end when;"
                continue
            moved = [row for row in event.changes if row.target not in self.modes]
            if moved:
                yield f"  when {self._condition(event)} then"
                for row in moved:
                    yield f"    reinit({self.say(row.target)}, {self._before(row.value)});"
                yield "  end when;"
            for row in event.changes:
                if row.target in self.modes:
                    line = f"    {self.say(row.target)} = {self._before(row.value)};"
                    head = f"when {self._condition(event)} then"
                    chains.setdefault(row.target, []).append(f"{head}\n{line}")
        for rows in chains.values():
            yield "  " + "\n  else".join(rows)
            yield "  end when;"

    def _condition(self, event: When) -> str:
        if isinstance(event.condition, Ticks):
            return self._ticks(event.condition)
        return f"{self.say(event.condition.margin)} > 0"

    @staticmethod
    def _ticks(ticks: Ticks) -> str:
        return f"sample({ticks.first!r}, {ticks.period!r})"

    def _instant(self, node: Node, path: str) -> str:
        """An expression of values of a tick, in which pre(x) of a mode is what was before it."""
        new: dict[Node, Node] = {}
        for one in compounds((node,)):
            if one.op is PREVIOUS and one.args[0] not in self.modes:
                raise UnsupportedError(
                    "pre(…) of what is continuous has no words in Modelica",
                    element=f"sampled value of '{path or 'the whole'}'",
                    cure="read a sampled value there",
                )
            if one.op is PREVIOUS:
                name = one.args[0].name
                new[one] = symbol(f"pre({name})", Rank.LOCAL)
                self.names[new[one].name] = f"pre({self.names[name]})"
        return self.say(substitute((node,), new)[0])

    def _before(self, node: Node) -> str:
        """An expression of the values before the event."""
        held = [s for s in symbols((node,)) if s in self.modes]
        new = {s: symbol(f"pre({s.name})", Rank.LOCAL) for s in held}
        self.names |= {new[s].name: f"pre({self.names[s.name]})" for s in held}
        return self.say(substitute((node,), new)[0])


def _start(row: FlatVariable) -> str:
    if row.start is None:
        return ""
    return f"(start = {row.start!r}{', fixed = true' if row.fixed else ''})"
