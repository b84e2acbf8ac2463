"""The text of one C function, in one piece or in parts that share a structure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from kinetree.engine import ZERO
from kinetree.targets.c.header import safe
from kinetree.targets.c.solve import general_helper, pattern, symmetric_helper
from kinetree.targets.c.statements import Let, Out, Statement, System, crossing, cut

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kinetree.engine import Node
    from kinetree.program.program import Note, Solve
    from kinetree.targets.c.source import Source

WIDTH = 100


@dataclass(frozen=True, slots=True)
class Signature:
    """Arguments of a function: (declaration, name) each, and how many doubles an array has."""

    rows: tuple[tuple[str, str], ...]
    sizes: Mapping[str, int]

    @property
    def names(self) -> tuple[str, ...]:
        """The names alone, as a call lists them."""
        return tuple(name for _, name in self.rows)

    def declared(self, head: str) -> str:
        """The function `head` with its arguments, broken between arguments where it is long."""
        listed = [
            f"{kind}[{max(self.sizes[name], 1)}]" if name in self.sizes else kind
            for kind, name in self.rows
        ]
        lines = [f"{head}("]
        for number, argument in enumerate(listed):
            text = argument + (")" if number == len(listed) - 1 else ",")
            if len(lines[-1]) + len(text) >= WIDTH:
                lines.append("   ")
            lines[-1] += text if lines[-1].endswith("(") else f" {text}"
        return "\n".join(lines)


class Body:
    """Statements as text.

    Attributes:
        names: Node -> how it is read at this place; grows as statements define more.
        shared: Nodes that live in the structure `work`.
        members: declarations of that structure.
    """

    def __init__(
        self, source: Source, name: str, signature: Signature, names: Mapping[Node, str]
    ) -> None:
        self.source = source
        self.name = name
        self.signature = signature
        self.names = dict(names)
        self.shared: set[Node] = set()
        self.members: list[str] = []
        self.said = ""
        self.systems = 0

    def texts(self, rows: list[Statement]) -> list[str]:
        """The function; a longer one preceded by its structure and its parts."""
        parts = cut(rows)
        if len(parts) == 1:
            lines = self._lines(parts[0])
            return [self._function(f"void {self.name}", self.signature, lines)]
        self.shared = crossing(parts)
        work = f"{self.name}_work"
        rows_ = (*self.signature.rows, (f"{work} *work", "work"))
        signature = Signature(rows_, self.signature.sizes)
        made = [
            self._function(f"static void {self.name}_{i}", signature, self._lines(part))
            for i, part in enumerate(parts, 1)
        ]
        listed = ", ".join((*self.signature.names, "&work"))
        calls = [f"    {self.name}_{i}({listed});" for i in range(1, len(parts) + 1)]
        members = "\n".join(f"    {member};" for member in self.members)
        structure = f"typedef struct {{\n{members}\n}} {work};\n"
        lines = [f"    {work} work;", *calls]
        return [structure, *made, self._function(f"void {self.name}", self.signature, lines)]

    def _function(self, head: str, signature: Signature, lines: list[str]) -> str:
        words = set(re.findall(r"\w+", "\n".join(lines)))
        unused = [f"    (void){name};" for name in signature.names if name not in words]
        return "\n".join([signature.declared(head), "{", *lines, *unused, "}", ""])

    def _lines(self, rows: list[Statement]) -> list[str]:
        lines: list[str] = []
        self.said = ""
        for row in rows:
            if isinstance(row, Let):
                lines += self._let(row)
            elif isinstance(row, System):
                lines += self._system(row.block)
            else:
                lines += self._out(row)
        return lines

    def _let(self, row: Let) -> list[str]:
        expression = self.source.printer.text(row.expr, self.names)
        name = self.source.scope.fresh(row.key.name or "t")
        if row.key in self.shared:
            self.members.append(f"double {name}")
            name = f"work->{name}"
            line = f"{name} = {expression};"
        else:
            line = f"const double {name} = {expression};"
        self.names[row.key] = name
        self.names.setdefault(row.expr, name)
        return [*self._comment(row.note), *_wrapped(line)]

    def _out(self, row: Out) -> list[str]:
        note = f"  /* {safe(row.label)} */" if row.label else ""
        expression = self.source.printer.text(row.expr, self.names)
        lines = _wrapped(f"{row.place} = {expression};")
        lines[-1] += note
        return lines

    def _comment(self, note: Note) -> list[str]:
        """Where an equation comes from, said once for equations that come from the same place."""
        text = safe(str(note))
        if not text or text == self.said:
            return []
        self.said = text
        return [f"    /* {text} */"]

    def _system(self, block: Solve) -> list[str]:
        """Fill the matrix and the right-hand sides, then call the solver for that pattern."""
        n, k = block.n, block.k
        self.systems += 1
        matrix = self.source.scope.fresh(f"A_{self.systems}")
        found = self.source.scope.fresh(f"X_{self.systems}")
        declared = [f"    double {matrix}[{n * n}] = {{0.0}};"]
        if any(target in self.shared for target in block.targets):
            self.members.append(f"double {found}[{n * k}]")
            found = f"work->{found}"
        else:
            declared.append(f"    double {found}[{n * k}];")
        lines = [*self._comment(block.note), *declared]
        for index, node in enumerate(block.matrix):
            below = index % n <= index // n or not block.symmetric
            if node is not ZERO and below:
                lines += _wrapped(f"{matrix}[{index}] = {self._text(node)};")
        for index, node in enumerate(block.rhs):
            lines += _wrapped(f"{found}[{index}] = {self._text(node)};")
        lines.append(f"    {self._solver(block)}({matrix}, {found});")
        self.names.update({t: f"{found}[{i}]" for i, t in enumerate(block.targets)})
        return lines

    def _text(self, node: Node) -> str:
        return self.source.printer.text(node, self.names)

    def _solver(self, block: Solve) -> str:
        n, k = block.n, block.k
        if block.symmetric:
            rows = pattern(block)
            text = symmetric_helper("%s", n, k, rows)
        else:
            text = general_helper("%s", n, k)
        helpers = self.source.helpers
        if text not in helpers:
            name = f"{self.source.name}_solve_{len(helpers) + 1}"
            helpers[text] = text.replace("%s", name, 1)
        place = list(helpers).index(text) + 1
        return f"{self.source.name}_solve_{place}"


def _wrapped(line: str) -> list[str]:
    """A statement, indented, broken at spaces where it is long."""
    if len(line) + 4 <= WIDTH:
        return [f"    {line}"]
    return wrap(
        line, WIDTH, initial_indent="    ", subsequent_indent="        ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
