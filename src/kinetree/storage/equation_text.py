"""Equations and expressions of component files: the grammar of model files, with physical values.

    equation   = sum "==" sum
    condition  = both { "or" both }
    both       = negation { "and" negation }
    negation   = [ "not" ] comparison
    comparison = sum [ ("<" | "<=" | ">" | ">=") sum ]
    atom       = … | "if" condition "then" sum "else" sum | path

A path has names from the component down, with dots; of an array of parts one is taken by its
number, R[0] or R[k + 1].  der(x) is the derivative by time, `time` the time; select(c, a, b) and
switch(c, a, b) take conditions, and "if" is a switch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from kinetree import functions
from kinetree.acausal.components import Component, Element, declarations, made_parts
from kinetree.acausal.declarations import Setting
from kinetree.acausal.physical import (
    Physical,
    PhysicalEquation,
    Relation,
    apply,
    der,
    physical,
    pre,
)
from kinetree.acausal.physical import time as the_time
from kinetree.engine import Table, number
from kinetree.errors import ExpressionError, KinetreeError, suggest
from kinetree.formats.expression import ARITY, CONSTANTS, ExpressionReader, parse

STEP = r"[^\W\d]\w*(?:\[[^\[\]]*\])?"
TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    rf"|(?P<name>{STEP}(?:\.{STEP})*)"
    r"|(?P<sign>\*\*|==|<=|>=|[-+*/(),<>=]))"
)
WORDS = ("and", "or", "not", "if", "then", "else")
INDEXED = re.compile(r"(\w+)\[([^\[\]]*)\]")
OTHERS: dict[str, Callable[..., Any]] = {
    "min": functions.minimum,
    "max": functions.maximum,
    "der": der,
    "pre": pre,
    "previous": pre,
}


class EquationReader(ExpressionReader):
    """Reads an equation, a condition or an expression of one component.

    Args:
        text: what is read.
        component: whose names it uses.
        element: where it stands in the file, for errors.
        numbers: values of names besides those of the component: indices of loops.
        tables: that it may look up, by the NAME of table_NAME(x).
    """

    pattern, functions = TOKEN, {**ARITY, "der": 1, "pre": 1}

    def __init__(
        self,
        text: str,
        component: Component,
        element: str,
        numbers: Mapping[str, int],
        tables: Mapping[str, Table],
    ) -> None:
        self.component = component
        super().__init__(text, numbers, element, tables)

    def read(self, rule: Callable[[int], Any]) -> Any:
        """What the whole text means by a rule; errors of units get the place in the file."""
        try:
            return self.whole(rule)
        except KinetreeError as error:
            if error.element:
                raise
            raise type(error)(error.problem, element=self.element, cure=error.cure) from None
        except TypeError as error:
            raise self.wrong(f"a condition stands in place of a value ({error})",
                             "use it in if … then … else …") from None  # fmt: skip

    def equation(self, depth: int) -> PhysicalEquation:
        """Equation = sum "==" sum."""
        left = self.sum(depth)
        if self.take("="):
            raise self.wrong("'=' is not an equation", "write ==")
        self.need("==")
        made: PhysicalEquation = left == self.sum(depth)
        return made

    def relation(self, depth: int) -> Relation:
        """A condition, and nothing else."""
        found = self.condition(depth)
        if not isinstance(found, Relation):
            raise self.wrong("it is not a condition", "compare with < or >")
        return found

    def argument(self, depth: int) -> Any:
        """What stands in a bracket: an expression or a condition."""
        return self.condition(depth)

    def condition(self, depth: int) -> Any:
        """Condition = both { "or" both }."""
        found = self.both(depth)
        while self.word("or"):
            found = found | self.both(depth)
        return found

    def both(self, depth: int) -> Any:
        """Both = negation { "and" negation }."""
        found = self.negation(depth)
        while self.word("and"):
            found = found & self.negation(depth)
        return found

    def negation(self, depth: int) -> Any:
        """Negation = [ "not" ] comparison."""
        return ~self.comparison(depth) if self.word("not") else self.comparison(depth)

    def comparison(self, depth: int) -> Any:
        """Comparison = sum [ sign sum ]."""
        left = self.sum(depth)
        sign = self.take("<", "<=", ">", ">=")
        if not sign:
            return left
        right = self.sum(depth)
        return left > right if sign[0] == ">" else left < right

    def word(self, text: str) -> bool:
        """Whether the word stands here; it is consumed."""
        if self.token.kind != "name" or self.token.text != text:
            return False
        self.token = next(self.rest)
        return True

    def branch(self, depth: int) -> Any:
        """What follows "if": condition "then" sum "else" sum."""
        parts = [self.condition(depth + 1)]
        for text in ("then", "else"):
            if not self.word(text):
                raise self.wrong(f"'{text}' is missing before {self.here()}", f"add '{text}'")
            parts.append(self.sum(depth + 1))
        return apply("switch", parts)

    def raise_to(self, base: Any, exponent: Any) -> Any:
        """A power, whose exponent is a number."""
        if not exponent.node.is_number:
            raise self.wrong("an exponent is not a number", "use exp and log")
        value = float(exponent.node.value)
        return base ** (int(value) if value.is_integer() else value)

    def literal(self, value: float) -> Physical:
        """A number."""
        return Physical(number(value), None)

    def apply(self, name: str, args: list[Any]) -> Any:
        """A function of its arguments."""
        return OTHERS[name](*args) if name in OTHERS else apply(name, args)

    def name(self, name: str, depth: int) -> Any:
        """A variable, a parameter, a number; or what follows "if"."""
        if name == "if":
            return self.branch(depth)
        if name in self.names or name in CONSTANTS:
            return physical(self.names[name] if name in self.names else CONSTANTS[name])
        if name == "time":
            return the_time
        if name in WORDS:
            raise self.wrong(f"'{name}' is not expected", "complete the expression")
        found = find(self.component, name, self.names, self.element)
        if isinstance(found, Element | list):
            raise self.wrong(f"'{name}' is a part or a port", "name one of its variables")
        return physical(found)


def find(component: Component, path: str, numbers: Mapping[str, int], element: str) -> Any:
    """What stands under a path of a component: a variable, a port, a part, an array of parts."""
    found: Any = component
    for step in re.findall(STEP, path):
        indexed = INDEXED.fullmatch(step)
        label = indexed[1] if indexed else step
        known = _names(found) if isinstance(found, Element) else []
        if label not in known:
            raise ExpressionError(
                f"there is no '{label}' in '{path}'", element=element,
                cure=suggest(label, known, "name"),
            )  # fmt: skip
        found = getattr(found, label)
        if indexed:
            k = integer(indexed[2], component, numbers, element)
            if not isinstance(found, list) or not 0 <= k < len(found):
                size = f"{len(found)} of them" if isinstance(found, list) else "one alone"
                raise ExpressionError(
                    f"there is no '{label}[{k}]'", element=element, cure=f"there is {size}, from 0"
                )
            found = found[k]
    return found


def _names(element: Element) -> list[str]:
    """Names inside a component or a connector."""
    made = made_parts(element) if isinstance(element, Component) else []
    return [*declarations(type(element)), *dict.fromkeys(p.label.split("[")[0] for p in made)]


def integer(text: str | int, component: Component, numbers: Mapping[str, int], element: str) -> int:
    """A whole number, given by an expression of settings and indices."""
    names = {k: number(v) for k, v in numbers.items()}
    for name, row in declarations(type(component)).items():
        if isinstance(row, Setting) and isinstance(getattr(component, name), int):
            names.setdefault(name, number(getattr(component, name)))
    node = parse(str(text), names, element)
    if not node.is_number or float(node.value) != int(node.value):
        raise ExpressionError(
            f"'{text}' is not a whole number", element=element, cure="use integers and settings"
        )
    return int(node.value)
