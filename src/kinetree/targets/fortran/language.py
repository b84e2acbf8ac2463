"""Fortran: spellings.  Upper and lower case are the same, names have at most 63 letters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from kinetree.targets.fortran import helpers
from kinetree.targets.text.language import Argument, Language, Role, TextFunction
from kinetree.targets.text.names import Rules
from kinetree.targets.text.templates import fill

if TYPE_CHECKING:
    from kinetree.engine.node import Number
    from kinetree.program.program import Newton, Solve
    from kinetree.targets.text.body import Context
    from kinetree.targets.text.expressions import Printer
    from kinetree.targets.text.source import Source

KEYWORDS = """
abs acos allocatable allocate any asin associate atan atan2 block call case character class close
common complex concurrent contains continue cos cosh cycle data deallocate default dimension do dp
double elemental else elseif elsewhere end enddo endif entry epsilon exit exp external format
function goto if implicit in include inout inquire integer intent interface intrinsic is kind log
logical max merge min module namelist none nullify only open operator out parameter pointer pow
precision print private procedure program public pure read real recursive result return save select
sign sin sinh sqrt stop subroutine sum tan tanh target then type use value where while write
ieee_arithmetic ieee_quiet_nan ieee_value iso_fortran_env real32 real64
"""
"""Words of the language and the functions of its own that the text uses."""
LONG_WORD = re.compile(r"\S{123,}")
"""What does not fit into the 132 columns of a line."""
SIGN = re.compile(r"(?<!\*)([*/(])(?!\*)")
"""Where such a word can be broken."""
STRUCTURE = "type ::"
"""How a type begins; types stand before the functions of a module."""


class Fortran(Language):
    """Spellings of Fortran."""

    rules = Rules(frozenset(KEYWORDS.split()), folded=True, longest=63)
    functions: ClassVar[Mapping[str, str]] = {"sign": "kt_sign", "pow": "kt_pow"}
    end = ""
    more = " &"
    line_comment = "!"

    def wrap_line(self, line: str) -> list[str]:
        """A statement, broken where it is long: at spaces, and where there are none at signs."""
        return super().wrap_line(LONG_WORD.sub(lambda word: SIGN.sub(r"\1 ", word[0]), line))

    def number(self, value: Number) -> str:
        """A literal of the kind dp."""
        return f"{super().number(value)}_dp"

    def select(self, condition: str, a: str, b: str) -> str:
        """The function merge, which evaluates both."""
        return f"merge({a}, {b}, {condition} > 0)"

    def power(self, base: str, power: int) -> str:
        """Integer powers are of the language."""
        return f"{base}**{power}"

    def element(self, array: str, index: int) -> str:
        """An element; arrays begin at 1."""
        return f"{array}({index + 1})"

    def field(self, name: str) -> str:
        """A component of the constants."""
        return f"pre%{name}"

    def member(self, name: str) -> str:
        """A component of what parts share."""
        return f"work%{name}"

    def array(self, name: str, size: int, *, zero: bool = False) -> list[str]:
        """Arrays are declared at the head of their function."""
        del size
        return [f"    {name} = 0"] if zero else []

    def solve(self, context: Context, block: Solve, matrix: str, found: str) -> str:
        """Call the helper for symmetric or for general systems."""
        text = helpers.SYMMETRIC if block.symmetric else helpers.GENERAL
        context.solvers[text] = text
        name = "kt_solve_symmetric" if block.symmetric else "kt_solve_general"
        return f"call {name}({block.n}, {block.k}, {matrix}, {found})"

    def iterate(self, name: str, block: Newton, found: str, given: str) -> str:
        """Call the iteration."""
        return f"call {name}({found}, {given})" if given else f"call {name}({found})"

    def call(self, function: TextFunction, arguments: Sequence[str]) -> str:
        """Call a part of a subroutine."""
        joined = f"call {function.name}({', '.join(arguments)})"
        return "\n".join(self.wrap_line(joined)).lstrip()

    def function(self, function: TextFunction) -> str:
        """A subroutine, its arguments and local values declared."""
        head = f"subroutine {function.name}({', '.join(function.names)})"
        lines = [row[4:] for row in self.wrap_line(head)]
        part = bool(function.of(Role.WORK))
        lines += [f"    {_declare(argument, part)}" for argument in function.arguments]
        if function.work:
            lines.append(f"    type({function.work}) :: work")
        lines += [f"    real(dp) :: {name}({size})" for name, size in function.arrays.items()]
        for start in range(0, len(function.scalars), 50):
            names = ", ".join(function.scalars[start : start + 50])
            lines += self.wrap_line(f"real(dp) :: {names}")
        return "\n".join([*lines, *function.lines, f"end subroutine {function.name}", ""])

    def structure(self, name: str, members: Mapping[str, int]) -> str:
        """A derived type."""
        rows = [f"    real(dp) :: {m}{f'({size})' if size else ''}" for m, size in members.items()]
        return "\n".join([f"{STRUCTURE} {name}", *rows, f"end type {name}", ""])

    def main_function(self, source: Source) -> str:
        """The main subroutine: preamble, then the rest."""
        early, late = (
            ", ".join(a.name for a in row) for row in (source.preamble, source.prepared_arguments)
        )
        lines = [
            f"    type({source.name}_constants) :: pre",
            *self.wrap_line(f"call {source.name}_preamble({early})"),
            *self.wrap_line(f"call {source.name}_prepared({late})"),
        ]
        return self.function(TextFunction(source.name, source.main, lines))

    def newton(self, name: str, block: Newton, step: TextFunction) -> list[str]:
        """A bounded loop around the step."""
        sizes = {argument.name: argument.size for argument in step.of(Role.OUTPUT)}
        given = f"\n    real(dp), intent(in) :: w({len(block.given)})" if block.given else ""
        return [
            fill(
                helpers.NEWTON,
                {
                    "NAME": name,
                    "ARGUMENTS": "v, w" if block.given else "v",
                    "GIVEN": given,
                    "EQUATIONS": str(sizes["h"]),
                    "UNKNOWNS": str(sizes["dv"]),
                    "LIMIT": str(block.limit),
                    "TOLERANCE": self.number(block.tolerance),
                },
            )
        ]

    def helpers(self, printer: Printer) -> list[str]:
        """Sign, powers with any exponent, tables."""
        texts = [helpers.SIGN] if "sign" in printer.functions else []
        texts += [helpers.POW] if "pow" in printer.functions else []
        return texts + helpers.lookups(printer.tables, self)


def _declare(argument: Argument, part: bool) -> str:
    """An argument; a part of a function fills some of the results and leaves the others alone."""
    name, out = argument.name, "inout" if part else "out"
    size = f"({argument.size})"
    return {
        Role.INPUT: f"real(dp), intent(in) :: {name}{size}",
        Role.OUTPUT: f"real(dp), intent({out}) :: {name}{size}",
        Role.CONSTANTS: f"type({argument.kind}), intent(in) :: {name}",
        Role.FILLED: f"type({argument.kind}), intent({out}) :: {name}",
        Role.WORK: f"type({argument.kind}), intent(inout) :: {name}",
    }[argument.role]
