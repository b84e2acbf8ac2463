"""JavaScript: spellings."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from kinetree.engine.ops import FUNCTIONS
from kinetree.targets.javascript import helpers
from kinetree.targets.text.expressions import Printer, squarings
from kinetree.targets.text.language import Language, Role, TextFunction
from kinetree.targets.text.names import Rules
from kinetree.targets.text.templates import fill

if TYPE_CHECKING:
    from kinetree.program.program import Newton, Solve
    from kinetree.targets.text.body import Context
    from kinetree.targets.text.source import Source

KEYWORDS = """
abstract arguments as async await boolean break byte case catch char class const continue debugger
default delete do double else enum eval export extends false final finally float for from function
get goto if implements import in instanceof int interface let long native new null of package
private protected public return set short static super switch synchronized this throw throws
transient true try typeof undefined var void volatile while with yield
Array Float64Array Infinity Math NaN Number Object info evaluate constructor prototype name length
"""
"""Words of the language, names that it defines everywhere, and names that the module exports."""


def data(value: Any) -> str:
    """Texts, numbers, lists and mappings in ASCII, without what HTML reads inside a script."""
    return re.sub(r"[<>&]", lambda sign: f"\\u{ord(sign[0]):04x}", json.dumps(value))


class JavaScript(Language):
    """Spellings of JavaScript."""

    rules = Rules(frozenset(KEYWORDS.split()))
    functions: ClassVar[Mapping[str, str]] = {
        op.name: f"Math.{op.name}" for op in FUNCTIONS if op.c
    }

    def safe(self, text: str) -> str:
        """Text without what HTML reads inside a script, comments of which are no exception."""
        return re.sub(r"<(?=[!/?\w])|--(?=>)", r"\g<0> ", super().safe(text))

    def string(self, text: str) -> str:
        """In ASCII, and without what HTML reads inside a script."""
        return data(text)

    def select(self, condition: str, a: str, b: str) -> str:
        """The operator ?:."""
        return f"({condition} > 0 ? {a} : {b})"

    def let(self, name: str, expression: str) -> str:
        """A constant."""
        return f"const {name} = {expression};"

    def array(self, name: str, size: int, *, zero: bool = False) -> list[str]:
        """A typed array, which always begins with zeros."""
        del zero
        return [f"    const {name} = new Float64Array({size});"]

    def solve(self, context: Context, block: Solve, matrix: str, found: str) -> str:
        """Call the helper for symmetric or for general systems."""
        text = helpers.SYMMETRIC if block.symmetric else helpers.GENERAL
        context.solvers[text] = text
        name = "kt_solve_symmetric" if block.symmetric else "kt_solve_general"
        return f"{name}({matrix}, {found}, {block.n}, {block.k});"

    def iterate(self, name: str, block: Newton, found: str, given: str) -> str:
        """Call the iteration."""
        return f"{name}({found}, {given});" if given else f"{name}({found});"

    def function(self, function: TextFunction) -> str:
        """A function that writes its results into its arguments."""
        lines = function.lines
        if function.work:
            lines = [line.replace(", work)", f", {function.work})") for line in lines]
        head = f"{'export ' if function.public else ''}function {function.name}"
        opening = self.wrap_line(f"{head}({', '.join(function.names)}) {{")
        return "\n".join([*(row[4:] for row in opening), *lines, "}", ""])

    def structure(self, name: str, members: Mapping[str, int]) -> str:
        """What parts share: one object, made once."""
        rows = [
            f"    {member}: {f'new Float64Array({size})' if size else '0'},"
            for member, size in members.items()
        ]
        return "\n".join([f"const {name} = {{", *rows, "};", ""])

    def main_function(self, source: Source) -> str:
        """The main function: preamble, then the rest."""
        early, late = (
            ", ".join(a.name for a in row) for row in (source.preamble, source.prepared_arguments)
        )
        lines = [
            "    const pre = {};",
            f"    {source.name}_preamble({early});",
            f"    {source.name}_prepared({late});",
        ]
        return self.function(TextFunction(source.name, source.main, lines))

    def newton(self, name: str, block: Newton, step: TextFunction) -> list[str]:
        """A bounded loop around the step."""
        arguments = ["v", *(["w"] if block.given else [])]
        sizes = {a.name: a.size for a in step.of(Role.OUTPUT)}
        return [
            fill(
                helpers.NEWTON,
                {
                    "NAME": name,
                    "ARGUMENTS": ", ".join(arguments),
                    "EQUATIONS": str(sizes["h"]),
                    "UNKNOWNS": str(sizes["dv"]),
                    "LIMIT": str(block.limit),
                    "TOLERANCE": self.number(block.tolerance),
                },
            )
        ]

    def helpers(self, printer: Printer) -> list[str]:
        """Powers and tables."""
        texts = [_power(n) for n in sorted(printer.powers)]
        return texts + helpers.table_helpers(printer.tables)


def _power(n: int) -> str:
    steps = squarings(n, "    y = y*y;", "    y = y*y*x;")
    body = "\n".join(["    let y = x;", *steps, "    return y;"])
    return f"function kt_pow_{n}(x) {{\n{body}\n}}\n"
