"""A language: how it spells what a Program holds.

One subclass per language, all of them leaves; the defaults are those of the many languages in which
`x[i]` is an element and `f(a, b)` a call.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar

from kinetree.plain import plain

if TYPE_CHECKING:
    from kinetree.engine.node import Number
    from kinetree.program.program import Newton, Solve
    from kinetree.targets.text.body import Context
    from kinetree.targets.text.expressions import Printer
    from kinetree.targets.text.names import Rules
    from kinetree.targets.text.source import Source

SIMPLE = re.compile(r"[\w.>\[\]-]+")
"""What can be written twice: a name, an element, a member."""


class Role(Enum):
    """What an argument is to its function."""

    INPUT = "in"
    OUTPUT = "out"
    CONSTANTS = "constants"
    """What the preamble left."""
    FILLED = "filled"
    """The same, where the preamble leaves it."""
    WORK = "work"
    """What the parts of a long function share."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a function.

    Attributes:
        name: identifier.
        size: numbers in it, where it is an array.
        role: what it is for.
        kind: name of its type, where it is a structure.
    """

    name: str
    size: int = 0
    role: Role = Role.INPUT
    kind: str = ""


@dataclass(frozen=True, slots=True)
class TextFunction:
    """A function to be written.

    Attributes:
        name: identifier.
        arguments: in order.
        lines: its statements, indented.
        arrays: local arrays: name -> numbers in it.
        scalars: local values in order of definition.
        work: type of the structure that its parts share, where it only calls them.
        public: whether others call it.
        often: whether it does the work of an evaluation, and not that of the preamble.
    """

    name: str
    arguments: tuple[Argument, ...]
    lines: list[str]
    arrays: Mapping[str, int] = field(default_factory=dict)
    scalars: Sequence[str] = ()
    work: str = ""
    public: bool = True
    often: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arguments, as a call lists them."""
        return tuple(argument.name for argument in self.arguments)

    def of(self, *roles: Role) -> list[Argument]:
        """The arguments of some roles."""
        return [argument for argument in self.arguments if argument.role in roles]


class Language(ABC):
    """Spellings.

    Attributes:
        rules: what names may be.
        functions: engine's name of a function -> the language's, where they differ.
        width: letters in a line.
        whole: whether functions stay in one piece however long they are.
        end: what ends a statement.
        more: what stands at the end of a line that goes on.
        line_comment: what begins a comment that ends with its line.
        indent: of the statements of a function.
        turns: whether one call gives sine and cosine of an angle.
    """

    rules: Rules
    functions: ClassVar[Mapping[str, str]] = {"abs": "fabs", "sign": "kt_sign"}
    width: ClassVar[int] = 100
    whole: ClassVar[bool] = False
    end: ClassVar[str] = ";"
    more: ClassVar[str] = ""
    line_comment: ClassVar[str] = "//"
    indent: ClassVar[str] = "    "
    turns: bool = False

    # --- expressions ---------------------------------------------------------------------------

    def number(self, value: Number) -> str:
        """The shortest decimal that reads back as the same double."""
        return repr(float(value))

    @abstractmethod
    def select(self, condition: str, a: str, b: str) -> str:
        """a where the condition is above zero, else b: an expression that binds tightly."""

    def power(self, base: str, power: int) -> str:
        """base**power for 2 and more; empty where a helper does it."""
        return f"{base}*{base}" if power == 2 and SIMPLE.fullmatch(base) else ""

    def turn(self, angle: str, sine: str, cosine: str, new: Sequence[str]) -> list[str]:
        """Set both places by one call, those that are new declared; only where it `turns`."""
        raise NotImplementedError

    def element(self, array: str, index: int) -> str:
        """An element, counted from 0."""
        return f"{array}[{index}]"

    def field(self, name: str) -> str:
        """What the preamble left under a name."""
        return f"pre.{name}"

    def member(self, name: str) -> str:
        """A value that the parts of a function share."""
        return f"work.{name}"

    # --- statements ----------------------------------------------------------------------------

    def comment(self, text: str) -> str:
        """A comment on a line of its own, or behind a statement."""
        return f"{self.line_comment} {self.safe(text)}"

    def safe(self, text: str) -> str:
        """Text that may stand in a comment, whoever chose it."""
        return plain(text)

    def remarks(self, lines: Iterable[str]) -> list[str]:
        """Comments on lines of their own: what a file says about itself."""
        return [self.comment(line).rstrip() for line in lines]

    def string(self, text: str) -> str:
        """A literal that means the text, whoever chose it; only where the language needs some."""
        raise NotImplementedError

    def let(self, name: str, expression: str) -> str:
        """A local value."""
        return f"{name} = {expression}{self.end}"

    def array(self, name: str, size: int, *, zero: bool = False) -> list[str]:
        """Statements that make a local array; with zeros in it where asked for."""
        raise NotImplementedError

    @abstractmethod
    def solve(self, context: Context, block: Solve, matrix: str, found: str) -> str:
        """The statement that solves a system: found comes in as the right-hand sides."""

    @abstractmethod
    def iterate(self, name: str, block: Newton, found: str, given: str) -> str:
        """The statement that calls a Newton iteration: found comes in as the start."""

    def wrap_line(self, line: str) -> list[str]:
        """A statement, indented, broken at spaces where it is long."""
        if len(line) + len(self.indent) <= self.width:
            return [f"{self.indent}{line}"]
        lines = wrap(
            line, self.width - len(self.more), initial_indent=self.indent,
            subsequent_indent=f"{self.indent}    ", break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
        return [f"{row}{self.more}" for row in lines[:-1]] + lines[-1:]

    # --- functions and files -------------------------------------------------------------------

    def call(self, function: TextFunction, arguments: Sequence[str]) -> str:
        """The statement that calls a function whose results go into its arguments."""
        return f"{function.name}({', '.join(arguments)}){self.end}"

    @abstractmethod
    def function(self, function: TextFunction) -> str:
        """The text of a function."""

    def structure(self, name: str, members: Mapping[str, int]) -> str:
        """The type of what parts share: member -> numbers in it, 0 for a single one."""
        raise NotImplementedError

    @abstractmethod
    def newton(self, name: str, block: Newton, step: TextFunction) -> list[str]:
        """The function `name` that repeats a step; empty where a common one does it."""

    @abstractmethod
    def main_function(self, source: Source) -> str:
        """The main function, which calls the preamble and then the rest."""

    @abstractmethod
    def helpers(self, printer: Printer) -> list[str]:
        """Definitions of what expressions need beyond the language."""
