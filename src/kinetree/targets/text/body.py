"""The statements of one function, in one piece or in parts that share a structure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from kinetree.engine import ZERO, Node
from kinetree.program.program import Newton, Note, Solve
from kinetree.targets.text.language import Argument, Language, Role, TextFunction
from kinetree.targets.text.statements import (
    LetStatement,
    Out,
    Statement,
    SystemStatement,
    crossing,
    cut,
    is_turn,
)

if TYPE_CHECKING:
    from kinetree.targets.text.expressions import Printer
    from kinetree.targets.text.names import Names


class Context(Protocol):
    """What the functions of a file share.

    Attributes:
        name: of the main function.
        language: spells everything.
        scope: names that are taken.
        printer: spells expressions.
        solvers: helpers that solve linear systems: text without a name -> text.
    """

    name: str
    language: Language
    scope: Names
    printer: Printer
    solvers: dict[str, str]

    def iteration(self, block: Newton) -> str:
        """The name of the function that solves the equations of a block; it is written now."""


@dataclass(slots=True)
class _Part:
    """Statements in the making, and what they define."""

    lines: list[str] = field(default_factory=list)
    arrays: dict[str, int] = field(default_factory=dict)
    scalars: list[str] = field(default_factory=list)


class FunctionBody:
    """Statements as text.

    Attributes:
        names: Node -> how it is read at this place; grows as statements define more.
        shared: Nodes that live in the structure `work`.
        members: of that structure: name -> numbers in it, 0 for a single one.
        public: whether the function is called by others.
        often: whether it does the work of an evaluation, and not that of the preamble.
    """

    def __init__(
        self,
        source: Context,
        name: str,
        arguments: tuple[Argument, ...],
        names: Mapping[Node, str],
        *,
        public: bool = True,
        often: bool = True,
    ) -> None:
        self.source = source
        self.language = source.language
        self.name = name
        self.arguments = arguments
        self.names = dict(names)
        self.public = public
        self.often = often
        self.shared: set[Node] = set()
        self.members: dict[str, int] = {}
        self.part = _Part()
        self.said = ""
        self.systems = 0

    def texts(self, rows: list[Statement]) -> list[str]:
        """The function; a longer one preceded by its structure and its parts."""
        return self.write(rows)[1]

    def write(self, rows: list[Statement]) -> tuple[TextFunction, list[str]]:
        """The function and the texts that make it up."""
        parts = [rows] if self.language.whole else cut(rows)
        if len(parts) == 1:
            made = self._function(self.name, self.arguments, rows, public=self.public)
            return made, [self.language.function(made)]
        self.shared = crossing(parts)
        work = f"{self.name}_work"
        arguments = (*self.arguments, Argument("work", role=Role.WORK, kind=work))
        functions = [
            self._function(f"{self.name}_{i}", arguments, part, public=False)
            for i, part in enumerate(parts, 1)
        ]
        lines = [
            f"{self.language.indent}{self.language.call(part, part.names)}" for part in functions
        ]
        whole = TextFunction(self.name, self.arguments, lines, work=work, public=self.public)
        structure = self.language.structure(work, self.members)
        return whole, [structure, *(self.language.function(f) for f in (*functions, whole))]

    def _function(
        self, name: str, arguments: tuple[Argument, ...], rows: list[Statement], *, public: bool
    ) -> TextFunction:
        self.part = _Part()
        self.said = ""
        done = False
        for row, after in zip(rows, [*rows, None][1:], strict=True):
            if done:
                done = False
            elif self._turned(row, after):
                done = True
            elif isinstance(row, LetStatement):
                self._let(row)
            elif isinstance(row, SystemStatement):
                self._write_solve(row.block)
            else:
                self._out(row)
        part = self.part
        return TextFunction(
            name, arguments, part.lines, part.arrays, part.scalars,
            public=public, often=self.often,
        )  # fmt: skip

    def _say(self, line: str, note: str = "") -> None:
        lines = self.language.wrap_line(line)
        if note:
            lines[-1] += note
        self.part.lines += lines

    def _let(self, row: LetStatement) -> None:
        expression = self.source.printer.text(row.expr, self.names)
        name = self.source.scope.fresh(row.key.name or "t")
        self._comment(row.note)
        if row.key in self.shared:
            self.members[name] = 0
            name = self.language.member(name)
            self._assign(name, expression)
        else:
            self.part.scalars.append(name)
            self._say(self.language.let(name, expression))
        self.names[row.key] = name
        self.names.setdefault(row.expr, name)

    def _turned(self, row: Statement, after: Statement | None) -> bool:
        """Sine and cosine of one angle, one after the other: by one call where there is one."""
        if not (
            isinstance(row, LetStatement)
            and isinstance(after, LetStatement)
            and self.language.turns
        ):
            return False
        if not is_turn(row.expr, after.expr):
            return False
        angle = self.source.printer.text(row.expr.args[0], self.names)
        self._comment(row.note)
        places, new = [], []
        for one in (row, after):
            name = self.source.scope.fresh(one.key.name or "t")
            if one.key in self.shared:
                self.members[name] = 0
                name = self.language.member(name)
            else:
                new.append(name)
            places.append(name)
            self.names[one.key] = name
            self.names.setdefault(one.expr, name)
        self.part.scalars += new
        self.source.printer.functions.add("sincos")
        for line in self.language.turn(angle, places[0], places[1], new):
            self._say(line)
        return True

    def _assign(self, place: str, expression: str, note: str = "") -> None:
        self._say(f"{place} = {expression}{self.language.end}", note)

    def _out(self, row: Out) -> None:
        note = f"  {self.language.comment(row.label)}" if row.label else ""
        self._assign(row.place, self.source.printer.text(row.expr, self.names), note)

    def _comment(self, note: Note) -> None:
        """Where an equation comes from, said once for equations that come from the same place."""
        text = str(note)
        if not text or text == self.said:
            return
        self.said = text
        self.part.lines.append(f"{self.language.indent}{self.language.comment(text)}")

    def _write_solve(self, block: Solve | Newton) -> None:
        self.systems += 1
        self._comment(block.note)
        if isinstance(block, Solve):
            self._system(block)
        else:
            self._iteration(block)

    def _local(self, name: str, size: int, *, zero: bool = False) -> str:
        self.part.arrays[name] = size
        self.part.lines += self.language.array(name, size, zero=zero)
        return name

    def _array(self, stem: str, targets: tuple[Node, ...]) -> str:
        """An array for what a block defines, shared or local."""
        name = self.source.scope.fresh(f"{stem}_{self.systems}")
        if any(target in self.shared for target in targets):
            self.members[name] = len(targets)
            name = self.language.member(name)
        else:
            self._local(name, len(targets))
        self.names.update({t: self.language.element(name, i) for i, t in enumerate(targets)})
        return name

    def _fill(self, array: str, nodes: tuple[Node, ...], names: Mapping[Node, str]) -> None:
        for index, node in enumerate(nodes):
            place = self.language.element(array, index)
            self._assign(place, self.source.printer.text(node, names))

    def _system(self, block: Solve) -> None:
        """Fill the matrix and the right-hand sides, then call what solves it."""
        n, before = block.n, dict(self.names)
        matrix = self._local(self.source.scope.fresh(f"A_{self.systems}"), n * n, zero=True)
        found = self._array("X", block.targets)
        for index, node in enumerate(block.matrix):
            below = index % n <= index // n or not block.symmetric
            if node is not ZERO and below:
                text = self.source.printer.text(node, before)
                self._assign(self.language.element(matrix, index), text)
        self._fill(found, block.rhs, before)
        self._say(self.language.solve(self.source, block, matrix, found))

    def _iteration(self, block: Newton) -> None:
        """Fill the start values and what is given, then call the function that iterates."""
        before = dict(self.names)
        found = self._array("v", block.targets)
        given = ""
        if block.given:
            given = self._local(self.source.scope.fresh(f"w_{self.systems}"), len(block.given))
            self._fill(given, block.given, before)
        self._fill(found, block.start, before)
        self._say(self.language.iterate(self.source.iteration(block), block, found, given))
