"""Python: the spellings that NumPy, JAX, CasADi and SymPy share.

Functions take lists of components and give tuples of lists; what a component is - an array, a
traced value, a symbol - is the business of the module's first lines, which define `kt_select`,
`kt_solve`, `kt_newton` and `kt_look_up`.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from kinetree.engine.ops import FUNCTIONS
from kinetree.tables import pieces
from kinetree.targets.text.about import FIRST_LINE, about
from kinetree.targets.text.language import Language, Role, TextFunction
from kinetree.targets.text.names import Rules
from kinetree.targets.text.source import Source, inner
from kinetree.targets.text.tables import list_numbers
from kinetree.targets.text.templates import fill

if TYPE_CHECKING:
    from kinetree.engine.node import Number
    from kinetree.program.program import Newton, Program, Solve
    from kinetree.targets.text.body import Context
    from kinetree.targets.text.expressions import Printer

MODULES = [
    "ca",
    "jax",
    "jnp",
    "lax",
    "math",
    "np",
    "sp",
    "torch",
    "Rational",
    "Piecewise",
    "pre",
    "INPUTS",
    "OUTPUTS",
    "DEFAULTS",
]
"""Names that modules have at their top."""
RULES = Rules(
    frozenset((*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *MODULES))
    | frozenset(op.name for op in FUNCTIONS)
)


@dataclass(frozen=True)
class Pythonic(Language):
    """Spellings of Python.

    Attributes:
        exact: whether fractions stay fractions.
        named: whether a local value is announced under its name.
    """

    exact: bool = False
    named: bool = False
    rules: Rules = RULES
    functions: ClassVar[Mapping[str, str]] = {}
    whole: ClassVar[bool] = True
    end: ClassVar[str] = ""
    more: ClassVar[str] = " \\"
    line_comment: ClassVar[str] = "#"

    def number(self, value: Number) -> str:
        """A float, or an exact number where these are kept."""
        if not self.exact or isinstance(value, float):
            return super().number(value)
        below = value.denominator
        return str(value) if below == 1 else f"Rational({value.numerator}, {below})"

    def select(self, condition: str, a: str, b: str) -> str:
        """A helper, which is given both."""
        return f"kt_select({condition}, {a}, {b})"

    def power(self, base: str, power: int) -> str:
        """Powers are of the language."""
        return f"{base}**{power}"

    def field(self, name: str) -> str:
        """An entry of the dictionary of constants."""
        return f'pre["{name}"]'

    def let(self, name: str, expression: str) -> str:
        """A local value."""
        return (
            f'{name} = kt_let("{name}", {expression})' if self.named else f"{name} = {expression}"
        )

    def array(self, name: str, size: int, *, zero: bool = False) -> list[str]:
        """A list."""
        del zero
        return [f"    {name} = [{self.number(0)}]*{size}"]

    def solve(self, context: Context, block: Solve, matrix: str, found: str) -> str:
        """Call the helper, which reads both row by row."""
        del context
        return f"{found} = kt_solve({matrix}, {found}, {block.n}, {block.k}, {block.symmetric})"

    def iterate(self, name: str, block: Newton, found: str, given: str) -> str:
        """Call the iteration."""
        known = f"({given},)" if given else "()"
        limits = f"{super().number(block.tolerance)}, {block.limit}"
        return f"{found} = kt_newton({name}_step, {found}, {known}, {limits})"

    def function(self, function: TextFunction) -> str:
        """A function of lists; results are made before they are filled."""
        outs = function.of(Role.OUTPUT, Role.FILLED)
        ins = [a.name for a in function.arguments if a not in outs]
        lines = [row[4:] for row in self.wrap_line(f"def {function.name}({', '.join(ins)}):")]
        lines += [f"    {a.name} = [{self.number(0)}]*{a.size}" for a in outs if not a.kind]
        lines += [f"    {a.name} = {{}}" for a in outs if a.kind]
        given = (
            outs[0].name
            if outs and outs[0].kind
            else "(" + "".join(f"{a.name}, " for a in outs) + ")"
        )
        return "\n".join([*lines, *function.lines, *self.wrap_line(f"return {given}"), "", ""])

    def main_function(self, source: Source) -> str:
        """The function with all inputs: preamble, then the rest."""
        early, late = (
            ", ".join(a.name for a in row if a.role in (Role.INPUT, Role.CONSTANTS))
            for row in (source.preamble, source.prepared_arguments)
        )
        ins = ", ".join(a.name for a in source.main if a.role is Role.INPUT)
        lines = [
            f"    pre = {source.name}_preamble({early})",
            *self.wrap_line(f"return {source.name}_prepared({late})"),
        ]
        return "\n".join([f"def {source.name}({ins}):", *lines, "", ""])

    def newton(self, name: str, block: Newton, step: TextFunction) -> list[str]:
        """The helper of the module repeats all steps."""
        return []

    def helpers(self, printer: Printer) -> list[str]:
        """Tables: knots, start and coefficients of every piece, a function per derivative."""
        texts = []
        for table, name in printer.tables.names.items():
            rows = [f"        ({list_numbers(row, repr)})," for row in pieces(table).tolist()]
            knots = [f"        {x!r}," for x in table.knots]
            lines = [
                f"{name}_data = (",
                "    (",
                *knots,
                "    ),",
                "    (",
                *rows,
                "    ),",
                ")",
                "",
                "",
            ]
            texts.append("\n".join(lines))
        for row in printer.tables.rows:
            look = f"kt_look_up({printer.tables.names[row.table]}_data, {row.order}, x)"
            texts.append(f"def {printer.tables.function(row)}(x):\n    return {look}\n\n")
        return texts


def module(
    program: Program,
    language: Pythonic,
    prelude: str,
    last: str,
    more: Mapping[str, str] | None = None,
) -> tuple[str, Source, str]:
    """(name, functions, text) of a module.

    Args:
        program: what to write.
        language: its spellings.
        prelude: first lines: imports and helpers.
        last: last lines; NAME, EQUATIONS, INPUTS and OUTPUTS in them are filled in.
        more: further words in the last lines -> what they stand for.
    """
    name, source = inner(program, language)
    heads = [*language.remarks([FIRST_LINE, "", *about(source, program.name)]), ""]
    words = {
        "NAME": name,
        "EQUATIONS": source.name,
        "INPUTS": _rows(_inputs(source)),
        "OUTPUTS": _rows(_outputs(source)),
        **(more or {}),
    }
    body = [*source.tools(), *source.functions]
    text = "\n".join([*heads, prelude, "", *body, fill(last, words)])
    return name, source, text


def _rows(rows: list[str]) -> str:
    return "(\n" + "".join(f"    {row},\n" for row in rows) + ")"


def _inputs(source: Source) -> list[str]:
    """(name, shape, values or None, whether it is a parameter, labels) of every input."""
    return [
        repr((row.name, row.shape, row.default and tuple(map(float, row.default)), row.parameter,
              row.labels))
        for row in source.program.inputs
    ]  # fmt: skip


def _outputs(source: Source) -> list[str]:
    """(name, shape, labels) of every output."""
    return [repr((out.name, out.shape, out.labels)) for out in source.program.outputs]
