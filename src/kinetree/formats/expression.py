"""Expression strings of model files, read by a grammar of their own and never run as code.

    sum     = product { ("+" | "-") product }
    product = sign { ("*" | "/") sign }
    sign    = ("+" | "-") sign | power
    power   = atom [ "**" sign ]
    atom    = number | name | name "(" sum { "," sum } ")" | "(" sum ")"

A name is a parameter of the model (dots allowed) or `pi`; a function is one of the engine's table,
among them select(c, a, b), which is a where c > 0 and b elsewhere; min(a, b) or max(a, b);
switch(c, a, b), which changes its branch at events; previous(x_NAME) or hold(x_NAME) in laws of
sampled values; or
table_NAME(x), the table of that name looked up, of which table_NAME.d1(x) is the derivative.
As in Python, -a**2 is -(a**2) and a**b**c is a**(b**c).
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kinetree.engine import Node, Table, as_node, call, maximum, minimum, number
from kinetree.engine.ops import FUNCTIONS, MARKS
from kinetree.errors import ExpressionError, suggest
from kinetree.functions import table
from kinetree.tables import CUBIC

EXTRA: dict[str, Callable[[Node, Node], Node]] = {"min": minimum, "max": maximum}
"""Functions of two arguments that are no operators of the engine."""
ARITY = {op.name: op.arity for op in (*FUNCTIONS, *MARKS)} | dict.fromkeys(EXTRA, 2)
CONSTANTS = {"pi": math.pi}
DEEPEST = 60
"""Most brackets, signs and powers inside one another."""
LONGEST = 10_000
"""Most characters of an expression."""
DECIMAL_COMMA = re.compile(r"\s*([-+]?\d+),(\d+)\s*")
"""A number as some languages write it, 1,5."""
EXACT_EXPONENT = 64
"""Largest exponent for which a power of numbers stays exact."""

ORDERS = tuple(str(order) for order in range(1, CUBIC + 1))
"""Derivatives of a table that can be spelled."""

TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)"
    r"|(?P<sign>\*\*|[-+*/(),]))"
)


@dataclass(frozen=True)
class Token:
    """A piece of the text: its kind ("number", "name", "sign", "end"), spelling and place."""

    kind: str
    text: str
    at: int


def parse(
    text: str, names: Mapping[str, Node], element: str, tables: Mapping[str, Table] | None = None
) -> Node:
    """The Node of an expression.

    Args:
        text: the expression.
        names: the parameters it may use.
        element: where it stands in the file, for errors.
        tables: the tables it may look up, by the NAME of table_NAME(x).

    Raises:
        ExpressionError: naming the element, the place and the nearest known name.
    """
    reader = NodeReader(text, names, element, tables or {})
    node: Node = reader.whole(reader.sum)
    return node


def _tokens(text: str, element: str, pattern: re.Pattern[str]) -> Iterator[Token]:
    """The pieces of `text`, then an end."""
    at = 0
    end = len(text.rstrip())
    while at < end:
        match = pattern.match(text, at)
        if match is None:
            odd = text[at:].lstrip()[0]
            raise ExpressionError(
                f"'{odd}' cannot stand in the expression '{text}'",
                element=element,
                cure="use numbers, parameters, + - * / ** ( ) and the engine's functions",
            )
        kind = match.lastgroup or ""
        yield Token(kind, match[kind], match.start(kind))
        at = match.end()
    yield Token("end", "the end", end)


class ExpressionReader(ABC):
    """Recursive descent over the tokens, one token ahead, bounded in depth.

    What the pieces become is said by those who derive from it.
    """

    pattern, functions = TOKEN, ARITY

    def __init__(
        self, text: str, names: Mapping[str, Any], element: str, tables: Mapping[str, Table]
    ) -> None:
        if len(text) > LONGEST:
            raise ExpressionError(
                f"the expression has {len(text)} characters",
                element=element,
                cure=f"use at most {LONGEST}, with parameters for its parts",
            )
        self.text, self.names, self.element, self.tables = text, names, element, tables
        self.rest = _tokens(text, element, self.pattern)
        self.token = next(self.rest)

    def whole(self, first: Callable[[int], Any]) -> Any:
        """What the whole text means, by the rule that it begins with."""
        try:
            found = first(0)
        except ExpressionError as error:
            if error.element:
                raise
            raise self.wrong(error.problem, "change the expression") from error
        except (ArithmeticError, ValueError) as error:
            raise self.wrong(f"it has no value ({error})", "change the expression") from error
        if self.token.kind != "end":
            comma = DECIMAL_COMMA.fullmatch(self.text)
            cure = f"write {comma[1]}.{comma[2]}" if comma else "put an operator before it"
            raise self.wrong(f"'{self.token.text}' is not expected", cure)
        return found

    def wrong(self, problem: str, cure: str) -> ExpressionError:
        """An error about this expression."""
        return ExpressionError(f"in '{self.text}', {problem}", element=self.element, cure=cure)

    def take(self, *spellings: str) -> str:
        """The sign at hand if it is one of `spellings`, consumed; otherwise an empty string."""
        here = self.token
        if here.kind != "sign" or here.text not in spellings:
            return ""
        self.token = next(self.rest)
        return here.text

    def need(self, spelling: str) -> None:
        """Consume the sign `spelling`."""
        if not self.take(spelling):
            raise self.wrong(f"'{spelling}' is missing before {self.here()}", f"add '{spelling}'")

    def here(self) -> str:
        """The token at hand, for messages."""
        return "the end" if self.token.kind == "end" else f"'{self.token.text}'"

    def sum(self, depth: int) -> Any:
        """Sum = product { ("+" | "-") product }."""
        if depth > DEEPEST:
            raise self.wrong(
                f"more than {DEEPEST} brackets stand inside one another",
                "use parameters for its parts",
            )
        node = self.product(depth)
        while sign := self.take("+", "-"):
            term = self.product(depth)
            node = node + term if sign == "+" else node - term
        return node

    def product(self, depth: int) -> Any:
        """Product = sign { ("*" | "/") sign }."""
        node = self.sign(depth)
        while sign := self.take("*", "/"):
            factor = self.sign(depth)
            node = node * factor if sign == "*" else node / factor
        return node

    def sign(self, depth: int) -> Any:
        """Sign = ("+" | "-") sign | power; a run of signs is read in a loop."""
        negative = False
        while sign := self.take("+", "-"):
            negative ^= sign == "-"
        node = self.power(depth)
        return -node if negative else node

    def power(self, depth: int) -> Any:
        """Power = atom [ "**" sign ]."""
        base = self.atom(depth)
        if not self.take("**"):
            return base
        if depth > DEEPEST:
            raise self.wrong(
                f"more than {DEEPEST} powers stand inside one another",
                "use parameters for its parts",
            )
        return self.raise_to(base, self.sign(depth + 1))

    @abstractmethod
    def raise_to(self, base: Any, exponent: Any) -> Any:
        """A power."""

    @abstractmethod
    def literal(self, value: float) -> Any:
        """A number."""

    @abstractmethod
    def argument(self, depth: int) -> Any:
        """What stands in a bracket."""

    @abstractmethod
    def apply(self, name: str, args: list[Any]) -> Any:
        """A function of its arguments."""

    @abstractmethod
    def name(self, name: str, depth: int) -> Any:
        """What a name stands for that is not that of a function."""

    def atom(self, depth: int) -> Any:
        """A number, a name, a call or a bracket."""
        here = self.token
        if self.take("("):
            node = self.argument(depth + 1)
            self.need(")")
            return node
        if here.kind == "number":
            self.token = next(self.rest)
            return self.literal(_number(here.text))
        if here.kind == "name":
            self.token = next(self.rest)
            return self.call(here.text, depth) if self.take("(") else self.name(here.text, depth)
        raise self.wrong(
            f"a number, a name or a bracket is missing before {self.here()}",
            "complete the expression",
        )

    def call(self, name: str, depth: int) -> Any:
        """The function `name` of the arguments that follow."""
        found = self.table(name)
        arity = 1 if found else self.functions.get(name)
        if arity is None:
            known = [*self.functions, *(f"table_{stem}" for stem in self.tables)]
            raise self.wrong(
                f"the engine does not know the function '{name}'", suggest(name, known, "function")
            )
        args = [self.argument(depth + 1)]
        while self.take(","):
            args.append(self.argument(depth + 1))
        self.need(")")
        if len(args) != arity:
            raise self.wrong(f"'{name}' has {len(args)} arguments", f"give it {arity}")
        if found:
            return table(args[0], *found)
        return self.apply(name, args)

    def table(self, name: str) -> tuple[Table, int] | None:
        """The table meant by table_NAME or table_NAME.dK, and the order of the derivative."""
        stem, _, order = name.removeprefix("table_").rpartition(".d")
        if not name.startswith("table_"):
            return None
        whole = self.tables.get(name.removeprefix("table_"))
        if whole is not None:
            return whole, 0
        known = stem in self.tables and order in ORDERS
        return (self.tables[stem], int(order)) if known else None


class NodeReader(ExpressionReader):
    """Reads expressions of parameters as Nodes."""

    def raise_to(self, base: Any, exponent: Any) -> Any:
        """A power."""
        if base.is_number and exponent.is_number and abs(float(exponent.value)) > EXACT_EXPONENT:
            return number(float(base.value) ** float(exponent.value))
        return base**exponent

    def literal(self, value: float) -> Any:
        """A number."""
        return number(value)

    def argument(self, depth: int) -> Any:
        """What stands in a bracket."""
        return self.sum(depth)

    def apply(self, name: str, args: list[Any]) -> Any:
        """A function of its arguments."""
        return EXTRA[name](*args) if name in EXTRA else call(name, *args)

    def name(self, name: str, depth: int) -> Any:
        """The parameter or constant called `name`."""
        del depth
        if name in self.names:
            return self.names[name]
        if name in CONSTANTS:
            return as_node(CONSTANTS[name])
        if name in self.functions or self.table(name):
            raise self.wrong(f"the function '{name}' has no argument", f"write {name}(…)")
        raise self.wrong(f"there is no parameter '{name}'", suggest(name, self.names, "parameter"))


def _number(spelling: str) -> int | float:
    """A literal: short integers exactly, everything else as a double."""
    value = int(spelling) if spelling.isdigit() and len(spelling) <= 15 else float(spelling)
    if not math.isfinite(value):
        raise OverflowError(f"{spelling} is too large")
    return value
