"""MATLAB and Octave: spellings.  Names have at most 63 letters and do not begin with _."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from kinetree.targets.matlab import helpers
from kinetree.targets.text.language import Language, Role, TextFunction
from kinetree.targets.text.names import Rules
from kinetree.targets.text.templates import fill

if TYPE_CHECKING:
    from kinetree.program.program import Newton, Solve
    from kinetree.targets.text.body import Context
    from kinetree.targets.text.expressions import Printer
    from kinetree.targets.text.source import Source

KEYWORDS = """
break case catch classdef continue do else elseif end end_try_catch end_unwind_protect endfor
endfunction endif endswitch endwhile enumeration events for function global if methods nargin
nargout otherwise parfor persistent properties return spmd switch try until unwind_protect
unwind_protect_cleanup varargin varargout while
abs acos all ans any asin atan atan2 cos cosh eps exp eye i Inf inf isempty isreal isstruct j log
false nan NaN numel ones pi power reshape sign sin sinh sqrt struct sum tan tanh tril true zeros
__FILE__ __LINE__
"""
"""Words of both, and functions that the text calls."""


class Matlab(Language):
    """Spellings of MATLAB."""

    rules = Rules(frozenset(KEYWORDS.split()), longest=63)
    functions: ClassVar[Mapping[str, str]] = {
        "pow": "kt_power",
        **{name: f"kt_{name}" for name in helpers.BOUNDED},
    }
    whole = True
    more = " ..."
    line_comment = "%"

    def select(self, condition: str, a: str, b: str) -> str:
        """A helper, which evaluates both."""
        return f"kt_select({condition}, {a}, {b})"

    def power(self, base: str, power: int) -> str:
        """Powers are of the language."""
        return f"{base}^{power}"

    def element(self, array: str, index: int) -> str:
        """An element; arrays begin at 1."""
        return f"{array}({index + 1})"

    def array(self, name: str, size: int, *, zero: bool = False) -> list[str]:
        """A column of zeros."""
        del zero
        return [f"    {name} = zeros({size}, 1);"]

    def solve(self, context: Context, block: Solve, matrix: str, found: str) -> str:
        """Call the helper, which reads both row by row."""
        context.solvers[helpers.SOLVE] = helpers.SOLVE
        symmetric = "true" if block.symmetric else "false"
        return f"{found} = kt_solve({matrix}, {found}, {block.n}, {block.k}, {symmetric});"

    def iterate(self, name: str, block: Newton, found: str, given: str) -> str:
        """Call the iteration."""
        return f"{found} = {name}({found}, {given});" if given else f"{found} = {name}({found});"

    def function(self, function: TextFunction) -> str:
        """A function; results are made before they are filled."""
        outs = function.of(Role.OUTPUT, Role.FILLED)
        ins = [a.name for a in function.arguments if a not in outs]
        head = f"function [{', '.join(a.name for a in outs)}] = {function.name}({', '.join(ins)})"
        lines = [row[4:] for row in self.wrap_line(head)]
        lines += [f"    {a.name} = zeros({a.size}, 1);" for a in outs if a.role is Role.OUTPUT]
        lines += [f"    {a.name} = struct();" for a in outs if a.role is Role.FILLED]
        return "\n".join([*lines, *function.lines, "end", ""])

    def main_function(self, source: Source) -> str:
        """The function with all inputs: preamble, then the rest."""
        outs = ", ".join(a.name for a in source.main if a.role is Role.OUTPUT)
        names = [
            ", ".join(
                a.name for a in row if a.role is not Role.OUTPUT and a.role is not Role.FILLED
            )
            for row in (source.main, source.preamble, source.prepared_arguments)
        ]
        lines = [
            f"function [{outs}] = {source.name}({names[0]})",
            f"    pre = {source.name}_preamble({names[1]});",
            f"    [{outs}] = {source.name}_prepared({names[2]});",
            "end",
            "",
        ]
        return "\n".join(part for line in lines for part in self.break_line(line))

    def break_line(self, line: str) -> list[str]:
        """A line with its own indent, broken where it is long."""
        indent = len(line) - len(line.lstrip())
        return [f"{' ' * indent}{row[4:]}" for row in self.wrap_line(line.lstrip())] or [line]

    def newton(self, name: str, block: Newton, step: TextFunction) -> list[str]:
        """A bounded loop around the step."""
        del step
        return [
            fill(
                helpers.NEWTON,
                {
                    "NAME": name,
                    "ARGUMENTS": "v, w" if block.given else "v",
                    "LIMIT": str(block.limit),
                    "TOLERANCE": self.number(block.tolerance),
                },
            )
        ]

    def helpers(self, printer: Printer) -> list[str]:
        """Branches, functions that stay real, tables."""
        texts = [helpers.SELECT] if printer.selects else []
        called = {self.functions.get(name, name) for name in printer.functions}
        texts += [helpers.real(name) for name in helpers.BOUNDED if f"kt_{name}" in called]
        return texts + helpers.lookups(printer.tables)
