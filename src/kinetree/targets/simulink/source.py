"""A Program as a Simulink block: NAME_sfun.c beside the C files that it calls.

Build it with `mex NAME_sfun.c NAME.c NAME_rates.c` in MATLAB.  Every input is a port but for
parameters, which are dialog parameters, in order, and for t, which is the time of the simulation.
Every output is a port.  Where the Program gives accelerations, q, qd and user states are continuous
states of the block: they come out at the first port, the start is the first dialog parameter, and
the other inputs remain ports.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from kinetree.program.program import Input, Program
from kinetree.program.state_form import PARTS
from kinetree.targets.c.header import FIRST_LINE, describe
from kinetree.targets.c.language import DOUBLE
from kinetree.targets.c.source import sources as c_sources
from kinetree.targets.simulink.helpers import TEMPLATE
from kinetree.targets.text.rates import has_rates, rates
from kinetree.targets.text.source import Source
from kinetree.targets.text.templates import fill

TIME = "t"


def sources(program: Program) -> dict[str, str]:
    """File name -> text; the same Program always gives the same bytes."""
    texts = c_sources(program)
    source = Source(program, DOUBLE)
    rate: Source | None = None
    if has_rates(program):
        derived = rates(program)
        texts |= c_sources(derived)
        rate = Source(derived, DOUBLE)
    return texts | {f"{source.name}_sfun.c": _Block(source, rate).text()}


@dataclass(frozen=True, slots=True)
class _Block:
    """The S-function of a Program, with states where it has rates."""

    source: Source
    rate: Source | None

    def text(self) -> str:
        program, name = self.source.program, self.source.name
        ports, parameters = self._ports(), self._parameters()
        sizes = [prod(out.shape) for out in program.outputs]
        states = self._states()
        outputs = ([states] if states else []) + sizes
        rows = {
            "FIRST": "\n".join([FIRST_LINE, *describe(self.source)]),
            "NAME_": name,
            "HEADERS": "\n".join(f'#include "{s.name}.h"' for s in (self.source, self.rate) if s),
            "PARAMETERS": str(len(parameters) + bool(states)),
            "STATES": str(states),
            "INPUTS": str(len(ports)),
            "OUTPUTS": str(len(outputs)),
            "IN_WIDTHS": _list(prod(row.shape) for row in ports),
            "OUT_WIDTHS": _list(outputs),
            "CALL": self._call(self.source, [f"y{i}" for i in range(len(sizes))]),
            "DERIVATIVES": self._call(self.rate, ["dy"]) if self.rate else "",
        }
        return fill(TEMPLATE, {f"@{key}@": value for key, value in rows.items()})

    def _ports(self) -> list[Input]:
        inner = (*PARTS, TIME) if self.rate else (TIME,)
        rows = self.source.program.inputs
        return [row for row in rows if not row.parameter and row.name not in inner]

    def _parameters(self) -> list[Input]:
        return [row for row in self.source.program.inputs if row.parameter]

    def _states(self) -> int:
        return len(self.rate.program.input("y").symbols) if self.rate else 0

    def _place(self, name: str) -> int:
        """Where an input begins among the states."""
        before = PARTS[: PARTS.index(name)] if name in PARTS else ()
        rows = self.source.program.inputs
        return sum(len(row.symbols) for row in rows if row.name in before)

    def _call(self, source: Source, results: list[str]) -> str:
        """Statements that copy what the block is given and call a function."""
        lines: list[str] = []
        arguments: list[str] = []
        ports = {row.name: i for i, row in enumerate(self._ports())}
        parameters = {row.name: i for i, row in enumerate(self._parameters(), bool(self._states()))}
        for row in source.program.inputs:
            size, name = prod(row.shape), f"x_{len(arguments)}"
            arguments.append(name)
            if row.name in ports:
                lines.append(f"    real_T {name}[{max(size, 1)}];")
            elif row.name in parameters:
                place = parameters[row.name]
                lines.append(f"    const real_T *{name} = mxGetPr(ssGetSFcnParam(S, {place}));")
            elif row.name == TIME:
                lines.append(f"    const real_T {name}[1] = {{ssGetT(S)}};")
            else:
                at = self._place(row.name)
                lines.append(f"    const real_T *{name} = ssGetContStates(S) + {at};")
        lines += self._results(results)
        lines += [
            f"    kt_port(S, {ports[row.name]}, {name}, {prod(row.shape)});"
            for row, name in zip(source.program.inputs, arguments, strict=True)
            if row.name in ports
        ]
        if source is self.source and self.rate:
            size = self._states()
            lines.append(f"    memcpy(state, ssGetContStates(S), {size} * sizeof(real_T));")
        return "\n".join([*lines, f"    {source.name}({', '.join((*arguments, *results))});"])

    def _results(self, names: list[str]) -> list[str]:
        if names == ["dy"]:
            return ["    real_T *dy = ssGetdX(S);"]
        first = bool(self._states())
        lines = ["    real_T *state = ssGetOutputPortRealSignal(S, 0);"] if first else []
        return lines + [
            f"    real_T *{name} = ssGetOutputPortRealSignal(S, {i});"
            for i, name in enumerate(names, first)
        ]


def _list(sizes: Iterable[int]) -> str:
    values = ", ".join(str(size) for size in sizes)
    return f"{{{values or '0'}}}"
