"""A Program as one .c and one .h file.

    void NAME(const double q[…], …, const double p[…], double tau[…]);

Where there are parameters two more functions stand beside it: NAME_preamble(p, &pre), once per
parameter set, and NAME_prepared(q, …, &pre, tau), as often as wanted.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from kinetree.engine import symbols
from kinetree.targets.c import header
from kinetree.targets.c.body import Body, Signature
from kinetree.targets.c.expressions import Printer
from kinetree.targets.c.names import RESERVED, Names
from kinetree.targets.c.statements import Out, statements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kinetree.engine import Node
    from kinetree.program.program import Program


def sources(program: Program) -> dict[str, str]:
    """File name -> text; the same Program always gives the same bytes."""
    source = Source(program)
    return {f"{source.name}.c": source.c_text(), f"{source.name}.h": source.h_text()}


class Source:
    """The two texts of a Program.

    Attributes:
        name: of the main function.
        arrays: argument arrays in order: C name -> number of doubles.
        constants: what the preamble leaves for the body: Node -> name of its field.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.name = Names(RESERVED).fresh(program.name)
        self.scope = Names(RESERVED | {self.name, "pre", "work"})
        self.printer = Printer()
        self.helpers: dict[str, str] = {}
        self.ins = {row.name: self.scope.fresh(row.name) for row in program.inputs}
        self.outs = {row.name: self.scope.fresh(row.name) for row in program.outputs}
        self.constants = self._constants()

    def _constants(self) -> dict[Node, str]:
        """Fields for the parameters and preamble values that the body reads."""
        roots = [n for block in self.program.blocks for n in block.operands]
        roots += [n for out in self.program.outputs for n in out.nodes]
        read = set(symbols(roots))
        members = Names(RESERVED)
        return {s: members.fresh(label) for s, label in self._early() if s in read}

    def _early(self) -> Iterator[tuple[Node, str]]:
        """Everything known once the parameters are, with a name for it."""
        for row in self.program.inputs:
            for index, symbol in enumerate(row.symbols if row.parameter else ()):
                yield symbol, row.labels[index] if row.labels else f"{row.name}_{index + 1}"
        for block in self.program.preamble:
            for target in block.targets:
                yield target, target.name

    def signature(self, *, variables: bool, parameters: bool, results: bool) -> Signature:
        """The argument arrays of one of the functions."""
        rows = [
            (f"const double {self.ins[row.name]}", self.ins[row.name])
            for row in self.program.inputs
            if (parameters if row.parameter else variables)
        ]
        sizes = {self.ins[r.name]: prod(r.shape) for r in self.program.inputs}
        kept = "" if parameters else "const "
        if self.constants and not (variables and parameters):
            rows.append((f"{kept}{self.name}_constants *pre", "pre"))
        if results:
            rows += [(f"double {name}", name) for name in self.outs.values()]
            sizes.update({self.outs[out.name]: prod(out.shape) for out in self.program.outputs})
        return Signature(tuple(rows), sizes)

    @property
    def main(self) -> Signature:
        """Arguments of the main function."""
        return self.signature(variables=True, parameters=True, results=True)

    @property
    def prepared(self) -> Signature:
        """Arguments of the function that takes the preamble's results."""
        return self.signature(variables=True, parameters=False, results=True)

    @property
    def preamble(self) -> Signature:
        """Arguments of the preamble."""
        return self.signature(variables=False, parameters=True, results=False)

    def h_text(self) -> str:
        """The header."""
        return header.header_text(self)

    def c_text(self) -> str:
        """The source: helpers, preamble, body, and the function that joins them."""
        functions = self._functions()
        heads = [header.FIRST_LINE, "", f'#include "{self.name}.h"', "", "#include <math.h>", ""]
        return "\n".join([*heads, *self.printer.helpers(), *self.helpers.values(), *functions])

    def _functions(self) -> list[str]:
        program = self.program
        inputs = {
            symbol: f"{self.ins[row.name]}[{i}]"
            for row in program.inputs
            for i, symbol in enumerate(row.symbols)
        }
        results = [
            Out(f"{self.outs[out.name]}[{i}]", node, _label(out.labels, i))
            for out in program.outputs
            for i, node in enumerate(out.nodes)
        ]
        if not self.constants:
            return self._body(self.name, self.main, inputs, results)
        fields = [Out(f"pre->{field}", node) for node, field in self.constants.items()]
        early = Body(self, f"{self.name}_preamble", self.preamble, inputs)
        texts = early.texts(statements(program.preamble, fields))
        names = {**inputs, **{node: f"pre->{field}" for node, field in self.constants.items()}}
        texts += self._body(f"{self.name}_prepared", self.prepared, names, results)
        return [*texts, self._joined()]

    def _body(
        self, name: str, signature: Signature, names: dict[Node, str], results: list[Out]
    ) -> list[str]:
        return Body(self, name, signature, names).texts(statements(self.program.blocks, results))

    def _joined(self) -> str:
        early, late = (
            ", ".join("&pre" if n == "pre" else n for n in signature.names)
            for signature in (self.preamble, self.prepared)
        )
        return (
            f"{self.main.declared(f'void {self.name}')}\n{{\n"
            f"    {self.name}_constants pre;\n"
            f"    {self.name}_preamble({early});\n"
            f"    {self.name}_prepared({late});\n}}\n"
        )


def _label(labels: tuple[str, ...], index: int) -> str:
    return labels[index] if index < len(labels) else ""
