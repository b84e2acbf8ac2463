"""A Program as the functions of a file, whatever the language.

NAME(inputs, outputs) is the main function.  Where there are parameters two more stand beside it:
NAME_preamble(p, pre), once per parameter set, and NAME_prepared(…, pre, outputs), as often as
wanted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from kinetree.engine import Node, symbols
from kinetree.program.program import Newton, Program
from kinetree.targets.text.body import FunctionBody
from kinetree.targets.text.expressions import Printer
from kinetree.targets.text.language import Argument, Language, Role
from kinetree.targets.text.names import Names
from kinetree.targets.text.newton import newton_functions
from kinetree.targets.text.statements import Out, statements


class Source:
    """The functions of a Program.

    Attributes:
        name: of the main function.
        ins, outs: name of an input or output -> identifier of its argument.
        constants: what the preamble leaves for the body: Node -> name of its field.
        solvers: helpers that solve linear systems.
        iterations: functions that solve systems by Newton's method.
        functions: preamble, body, and what joins them; made by `write`.
    """

    def __init__(self, program: Program, language: Language) -> None:
        self.program = program
        self.language = language
        self.name = language.rules.stem(program.name)
        self.scope = Names(language.rules, self.name, "pre", "work", own=self.name)
        self.loops = Names(language.rules)
        self.printer = Printer(language)
        self.solvers: dict[str, str] = {}
        self.iterations: list[str] = []
        self.ins = {row.name: self.scope.fresh(row.name) for row in program.inputs}
        self.outs = {row.name: self.scope.fresh(row.name) for row in program.outputs}
        self.constants = self._constants()
        self.functions = self._functions()

    def _constants(self) -> dict[Node, str]:
        """Fields for the parameters and preamble values that the body reads."""
        read = set(symbols(self.program.roots(preamble=False)))
        members = Names(self.language.rules)
        return {s: members.fresh(label) for s, label in self._early() if s in read}

    def _early(self) -> Iterator[tuple[Node, str]]:
        """Everything known once the parameters are, with a name for it."""
        for row in self.program.inputs:
            for index, symbol in enumerate(row.symbols if row.parameter else ()):
                yield symbol, row.labels[index] if row.labels else f"{row.name}_{index + 1}"
        for block in self.program.preamble:
            for target in block.targets:
                yield target, target.name

    def _inputs(self, *, parameter: bool | None = None) -> list[Argument]:
        """Inputs as arguments: all, or only parameters, or all but these."""
        return [
            Argument(self.ins[row.name], prod(row.shape))
            for row in self.program.inputs
            if parameter in (None, row.parameter)
        ]

    def _outputs(self) -> list[Argument]:
        return [
            Argument(self.outs[out.name], prod(out.shape), Role.OUTPUT)
            for out in self.program.outputs
        ]

    def _pre(self, role: Role) -> list[Argument]:
        kind = f"{self.name}_constants"
        return [Argument("pre", role=role, kind=kind)] if self.constants else []

    @property
    def main(self) -> tuple[Argument, ...]:
        """Arguments of the main function."""
        return (*self._inputs(), *self._outputs())

    @property
    def prepared_arguments(self) -> tuple[Argument, ...]:
        """Arguments of the function that takes the preamble's results."""
        return (*self._inputs(parameter=False), *self._pre(Role.CONSTANTS), *self._outputs())

    @property
    def preamble(self) -> tuple[Argument, ...]:
        """Arguments of the preamble."""
        return (*self._inputs(parameter=True), *self._pre(Role.FILLED))

    def tools(self) -> list[str]:
        """What stands before the functions: helpers, solvers, iterations."""
        helpers = self.language.helpers(self.printer)
        return [*helpers, *self.solvers.values(), *self.iterations]

    def iteration(self, block: Newton) -> str:
        """The name of the function that solves the equations of a block; it is written now."""
        name = self.loops.fresh(f"{self.name}_newton")
        self.iterations += newton_functions(self, name, block)
        return name

    def _functions(self) -> list[str]:
        program, element, field = self.program, self.language.element, self.language.field
        inputs = {
            symbol: element(self.ins[row.name], i)
            for row in program.inputs
            for i, symbol in enumerate(row.symbols)
        }
        results = [
            Out(element(self.outs[out.name], i), node, _label(out.labels, i))
            for out in program.outputs
            for i, node in enumerate(out.nodes)
        ]
        rows = statements(program.blocks, results)
        if not self.constants:
            return FunctionBody(self, self.name, self.main, inputs).texts(rows)
        fields = [Out(field(name), node) for node, name in self.constants.items()]
        early = FunctionBody(self, f"{self.name}_preamble", self.preamble, inputs, often=False)
        texts = early.texts(statements(program.preamble, fields))
        names = {**inputs, **{node: field(name) for node, name in self.constants.items()}}
        texts += FunctionBody(self, f"{self.name}_prepared", self.prepared_arguments, names).texts(
            rows
        )
        return [*texts, self.language.main_function(self)]


def inner(program: Program, language: Language) -> tuple[str, Source]:
    """The name of a Program's function, and its functions under the name `NAME_equations`.

    For languages whose main function prepares the arguments of another one.
    """
    name = language.rules.stem(program.name)
    return name, Source(replace(program, name=f"{name}_equations"), language)


def solver(known: dict[str, str], stem: str, text: str) -> str:
    """The name of the helper with that text, in which %s stands for its name."""
    if text not in known:
        known[text] = text.replace("%s", f"{stem}_solve_{len(known) + 1}", 1)
    return f"{stem}_solve_{list(known).index(text) + 1}"


def _label(labels: tuple[str, ...], index: int) -> str:
    return labels[index] if index < len(labels) else ""
